# expect: error, "Only Tensors of floating point"

import torch

a = torch.tensor(2, requires_grad=True)
b = torch.tensor(3, requires_grad=True)
c = a + b
c.backward()


def tracked_sum(first, second):
    return torch.tensor(first, requires_grad=True) + torch.tensor(second, requires_grad=True)
