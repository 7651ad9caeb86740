import torch


def fit(xs, ys, steps):
    w = torch.zeros((), requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    return w.item(), b.item()
