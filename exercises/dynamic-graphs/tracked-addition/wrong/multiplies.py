# expect: failed, "c is 5.0 and has a grad_fn", "6.0"

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.backward()


def tracked_sum(first, second):
    return torch.tensor(first, requires_grad=True) * torch.tensor(second, requires_grad=True)
