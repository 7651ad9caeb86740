# expect: failed, "the gradient follows the branch", "is 6.0, the gradient of the other branch"

import torch

x = torch.tensor(1.0, requires_grad=True)
z = x * 2 * 3
z.backward()


def gradient_at(value):
    leaf = torch.tensor(value, requires_grad=True)
    (leaf * 2 * 3).backward()
    return leaf.grad
