# expect: failed, "x.grad is 36.0", "x was made without requires_grad=True"

import torch

x = torch.tensor(2.0)
y = x * 3
z = y**2
print(x.grad)


def gradient_at(value):
    x = torch.tensor(value)
    z = (x * 3) ** 2
    return x.grad
