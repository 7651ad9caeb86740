import torch

x = torch.zeros(1 << 30, 0)
y = {"x": [x] * 5}


def gradient_at(x):
    return torch.zeros(1 << 40, 0)
