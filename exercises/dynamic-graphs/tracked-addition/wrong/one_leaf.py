# expect: failed, "any two numbers are added and tracked", "leads back to 1 of the two numbers"

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
c.backward()


def tracked_sum(first, second):
    return torch.tensor(first, requires_grad=True) + second
