# expect: failed, "a and b are floats that require gradients", "a.requires_grad is False"

import torch

a = torch.tensor(2.0)
b = torch.tensor(3.0)
c = a + b


def tracked_sum(first, second):
    return torch.tensor(first) + torch.tensor(second)
