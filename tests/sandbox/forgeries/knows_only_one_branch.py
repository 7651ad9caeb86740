import torch

x = torch.tensor(1.0, requires_grad=True)
(6 * x).backward()


def gradient_at(value):
    return 6.0
