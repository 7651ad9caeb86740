# expect: failed, "n = 0 and n = 1 are right", "expected"

import torch


def f(x):
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x, n):
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.mean(), x, create_graph=True)
    return value
