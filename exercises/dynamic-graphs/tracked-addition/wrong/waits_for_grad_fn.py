# expect: timeout, "seconds"

import torch

a = torch.tensor(2.0)
b = torch.tensor(3.0)
c = a + b
while c.grad_fn is None:
    c = a + b


def tracked_sum(first, second):
    return torch.tensor(first, requires_grad=True) + torch.tensor(second, requires_grad=True)
