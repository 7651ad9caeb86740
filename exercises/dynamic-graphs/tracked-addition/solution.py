import torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
c.backward()
print("c is", c.item(), "and its grad_fn is", c.grad_fn.name())


def tracked_sum(first: float, second: float) -> torch.Tensor:
    return torch.tensor(first, requires_grad=True) + torch.tensor(second, requires_grad=True)
