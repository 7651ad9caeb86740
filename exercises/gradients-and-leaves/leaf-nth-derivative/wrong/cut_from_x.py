# expect: failed, "the result can be differentiated again", "nothing leads from the result back to x"

import torch


def f(x):
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x, n):
    x = x.detach().requires_grad_()
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    return value
