import torch


def slope(value: float) -> float:
    x = torch.tensor(value, requires_grad=True)
    # Your code here.
    return 0.0
