# expect: failed, "the gradient follows the branch", "each gradient is added to those of the calls before"

import torch


def forward(x):
    y = x * 2
    return y * 3 if y.item() > 1.5 else y * 4


x = torch.tensor(1.0, requires_grad=True)
z = forward(x)
z.backward()

leaf = torch.tensor(0.0, requires_grad=True)


def gradient_at(value):
    leaf.data.fill_(value)
    forward(leaf).backward()
    return leaf.grad.item()
