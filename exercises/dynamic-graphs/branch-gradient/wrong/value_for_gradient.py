# expect: failed, "the gradient follows the branch", "the value of z. Its gradient is asked for"

import torch


def forward(x):
    y = x * 2
    return y * 3 if y.item() > 1.5 else y * 4


x = torch.tensor(1.0, requires_grad=True)
z = forward(x)
z.backward()


def gradient_at(value):
    return forward(torch.tensor(value)).item()
