# expect: failed, "the gradient follows the branch", "stores a number in .grad itself and never calls backward()"

import torch

x = torch.tensor(1.0, requires_grad=True)
z = torch.tensor(6.0)
x.grad = torch.tensor(6.0)


def gradient_at(value):
    leaf = torch.tensor(value, requires_grad=True)
    leaf.grad = torch.tensor(6.0)
    return leaf.grad
