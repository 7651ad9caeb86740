import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if y.item() > 1.5:
        return y * 3
    return y * 4


x = torch.tensor(1.0, requires_grad=True)
z = forward(x)
z.backward()
print("z is", z.item(), "and x.grad is", x.grad.item())


def gradient_at(value: float) -> float:
    leaf = torch.tensor(value, requires_grad=True)  # a new leaf each time: gradients accumulate
    forward(leaf).backward()
    return leaf.grad.item()
