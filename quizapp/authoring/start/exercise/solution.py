import torch


def slope(value: float) -> float:
    x = torch.tensor(value, requires_grad=True)
    (x * x).backward()
    return x.grad.item()
