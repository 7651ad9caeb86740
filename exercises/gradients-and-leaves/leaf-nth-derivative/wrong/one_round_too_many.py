# expect: failed, "n = 0 and n = 1 are right", "For n = 0 you return derivative number 1"

import torch


def f(x):
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x, n):
    value = f(x)
    for _ in range(n + 1):
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    return value
