# expect: error, "Only Tensors of floating point"

import torch

x = torch.tensor(1, requires_grad=True)
y = x * 2
if y.item() > 1.5:
    z = y * 3
else:
    z = y * 4
z.backward()


def gradient_at(value):
    return x.grad.item()
