import torch


def fit(x: torch.Tensor, y: torch.Tensor, steps: int, lr: float) -> tuple[torch.Tensor, torch.Tensor]:
    w = x.new_zeros((), requires_grad=True)
    b = x.new_zeros((), requires_grad=True)
    for _ in range(steps):
        w.grad = b.grad = None
        loss = ((w * x + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b
