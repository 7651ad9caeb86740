# expect: failed, "any two numbers are added and tracked", "was made directly, not by an operation"

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
c.backward()


def tracked_sum(first, second):
    total = torch.tensor(first, requires_grad=True) + torch.tensor(second, requires_grad=True)
    return torch.tensor(total.item(), requires_grad=True)
