# expect: error, "higher derivatives are right", "does not require grad"

import torch


def f(x):
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x, n):
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.sum(), x)
    return value
