# expect: failed, "the gradient is 18 times x", "the value of z. Its gradient is asked for"

import torch

x = torch.tensor(2.0, requires_grad=True)
z = (x * 3) ** 2
z.backward()


def gradient_at(value):
    x = torch.tensor(value, requires_grad=True)
    z = (x * 3) ** 2
    z.backward()
    return z.item()
