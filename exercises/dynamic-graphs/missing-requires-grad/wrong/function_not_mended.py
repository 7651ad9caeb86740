# expect: error, "the gradient is 18 times x", "raised RuntimeError"

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * 3
z = y**2
z.backward()
print(x.grad)


def gradient_at(value):
    x = torch.tensor(value)
    z = (x * 3) ** 2
    z.backward()
    return x.grad
