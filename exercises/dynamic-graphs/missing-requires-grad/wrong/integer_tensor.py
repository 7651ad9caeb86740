# expect: error, "Only Tensors of floating point"

import torch

x = torch.tensor(2, requires_grad=True)
y = x * 3
z = y**2
z.backward()
print(x.grad)


def gradient_at(value):
    x = torch.tensor(value, requires_grad=True)
    z = (x * 3) ** 2
    z.backward()
    return x.grad
