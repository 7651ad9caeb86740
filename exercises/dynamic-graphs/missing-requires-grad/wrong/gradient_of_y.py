# expect: failed, "the gradient is 18 times x", "and not yet for x"

import torch


def gradient_at(value):
    y = (torch.tensor(value) * 3).requires_grad_()
    z = y**2
    z.backward()
    return y.grad


x = torch.tensor(2.0, requires_grad=True)
x.grad = gradient_at(2.0)
