# expect: failed, "the result can be differentiated again", "nothing leads from the result back to x"

import torch


def f(x):
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x, n):
    value = f(x)
    for step in range(n):
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=step < n - 1)
    return value
