# expect: failed, "both gradients are 1.0", "a.grad is None: backward() was not called"

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b


def tracked_sum(first, second):
    return torch.tensor(first, requires_grad=True) + torch.tensor(second, requires_grad=True)
