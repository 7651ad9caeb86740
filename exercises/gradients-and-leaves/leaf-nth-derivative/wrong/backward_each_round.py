# expect: failed, "higher derivatives are right", "you return the sum of derivatives 1 to"

import torch


def f(x):
    return torch.exp(x) * torch.sin(2 * x)


def nth_derivative(x, n):
    value = f(x)
    for _ in range(n):
        value.sum().backward(create_graph=True)
        value = x.grad
    return value
