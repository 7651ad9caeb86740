# expect: failed, "the line is the reference's", "expected"

import torch


def fit(xs, ys, steps):
    w = torch.zeros((), requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.Adam([w, b], lr=0.1)
    for _ in range(steps):
        ((w * xs + b - ys) ** 2).mean().backward()
        optimizer.step()
    return w.item(), b.item()
