# expect: failed, "x.grad is 6.0", "x.grad is 8.0; expected 6.0."

import torch


def forward(x):
    y = x * 2
    if y.item() < 1.5:
        return y * 3
    return y * 4


x = torch.tensor(1.0, requires_grad=True)
z = forward(x)
z.backward()


def gradient_at(value):
    leaf = torch.tensor(value, requires_grad=True)
    forward(leaf).backward()
    return leaf.grad
