# expect: failed, "each micro-batch is measured", "your list has"

import torch


def accumulate(w, x, y, size):
    losses = []
    for rows, targets in zip(x.chunk(size), y.chunk(size)):
        errors = (rows @ w - targets) ** 2
        (errors.sum() / len(x)).backward()
        losses.append(errors.mean().item())
    return w.grad, losses
