import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x: torch.Tensor, n: int) -> torch.Tensor:
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    return value
