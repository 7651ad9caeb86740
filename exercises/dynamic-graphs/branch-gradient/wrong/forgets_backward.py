# expect: failed, "x.grad is 6.0", "x.grad is None: backward() was not called"

import torch


def forward(x):
    y = x * 2
    return y * 3 if y.item() > 1.5 else y * 4


x = torch.tensor(1.0, requires_grad=True)
z = forward(x)


def gradient_at(value):
    leaf = torch.tensor(value, requires_grad=True)
    forward(leaf).backward()
    return leaf.grad
