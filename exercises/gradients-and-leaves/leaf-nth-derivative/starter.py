import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x: torch.Tensor, n: int) -> torch.Tensor:
    value = f(x)
    for _ in range(n):
        # Replace value by its derivative. Why does the second round fail?
        (value,) = torch.autograd.grad(value.sum(), x)
    return value


if __name__ == "__main__":
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    for n in range(3):
        print(n, nth_derivative(x, n))
