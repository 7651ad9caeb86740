# expect: error, "backward through the graph a second time"

import torch


def forward(x):
    y = x * 2
    return y * 3 if y.item() > 1.5 else y * 4


x = torch.tensor(1.0, requires_grad=True)
z = forward(x)
z.backward()
z.backward()


def gradient_at(value):
    leaf = torch.tensor(value, requires_grad=True)
    forward(leaf).backward()
    return leaf.grad
