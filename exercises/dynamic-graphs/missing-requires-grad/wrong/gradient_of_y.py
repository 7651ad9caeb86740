# expect: failed, "x.grad is 36.0", "12.0"

import torch


def gradient_at(value):
    y = (torch.tensor(value) * 3).requires_grad_()
    z = y**2
    z.backward()
    return y.grad


x = torch.tensor(2.0, requires_grad=True)
x.grad = gradient_at(2.0)
