# expect: error, "does not require grad and does not have a grad_fn"

import torch

x = torch.tensor(2.0)
y = x * 3
z = y * y
z.backward()
print(x.grad)


def gradient_at(value):
    x = torch.tensor(value)
    z = (x * 3) ** 2
    z.backward()
    return x.grad
