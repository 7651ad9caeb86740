# expect: failed, "the gradient follows the branch", "the gradient of the other branch"

import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
if y.item() > 1.5:
    z = y * 3
else:
    z = y * 4
z.backward()


def gradient_at(value):
    return 6.0
