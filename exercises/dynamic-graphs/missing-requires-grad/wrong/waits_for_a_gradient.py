# expect: timeout, "seconds"

import torch

x = torch.tensor(2.0)
while x.grad is None:
    y = x * 3
    z = y**2


def gradient_at(value):
    return 18 * value
