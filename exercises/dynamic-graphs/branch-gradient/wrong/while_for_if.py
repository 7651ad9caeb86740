# expect: timeout, "seconds"

import torch


def gradient_at(value):
    leaf = torch.tensor(value, requires_grad=True)
    y = leaf * 2
    while y.item() > 1.5:
        z = y * 3
    z = y * 4
    z.backward()
    return leaf.grad


x = torch.tensor(1.0, requires_grad=True)
z = x * 2 * 3
z.backward()
