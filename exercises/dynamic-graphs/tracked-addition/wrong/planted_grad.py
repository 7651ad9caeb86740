# expect: failed, "c is 5.0 and has a grad_fn", "c.grad_fn is None: c was made directly, not by an operation"

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = torch.tensor(5.0, requires_grad=True)
a.grad = torch.tensor(1.0)
b.grad = torch.tensor(1.0)


def tracked_sum(first, second):
    return torch.tensor(first + second, requires_grad=True)
