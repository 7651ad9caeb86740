# expect: failed, "any two numbers are added and tracked", "is 5.0; expected"

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
c.backward()


def tracked_sum(first, second):
    return a + b
