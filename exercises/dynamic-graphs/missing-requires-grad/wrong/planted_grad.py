# expect: failed, "the gradient is 18 times x", "stores a number in .grad itself and never calls backward()"

import torch

x = torch.tensor(2.0)
y = x * 3
z = y**2
x.grad = torch.tensor(36.0)
print(x.grad)


def gradient_at(value):
    x = torch.tensor(value)
    x.grad = torch.tensor(36.0)
    return x.grad
