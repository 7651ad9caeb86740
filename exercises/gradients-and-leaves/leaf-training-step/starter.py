import torch


def fit(x: torch.Tensor, y: torch.Tensor, steps: int, lr: float) -> tuple[torch.Tensor, torch.Tensor]:
    w = torch.zeros((), requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    for _ in range(steps):
        loss = ((w * x + b - y) ** 2).mean()
        loss.backward()
        # One step works. What is w after this line?
        w = w - lr * w.grad
        b = b - lr * b.grad
    return w, b


if __name__ == "__main__":
    x = torch.tensor([0.0, 1.0, 2.0])
    y = torch.tensor([1.0, 3.0, 5.0])
    print(fit(x, y, 1, 0.1))
    print(fit(x, y, 2, 0.1))
