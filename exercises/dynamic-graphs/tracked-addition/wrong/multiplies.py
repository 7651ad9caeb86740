# expect: failed, "both gradients are 1.0", "that is the gradient of a product"

import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.backward()


def tracked_sum(first, second):
    return torch.tensor(first, requires_grad=True) * torch.tensor(second, requires_grad=True)
