# expect: failed, "w keeps its values, and the dtype is kept", "changed the values of an argument"

import torch


def accumulate(w, x, y, size):
    losses = []
    for rows, targets in zip(x.split(size), y.split(size)):
        errors = (rows @ w - targets) ** 2
        (errors.sum() / len(x)).backward()
        losses.append(errors.mean().item())
    with torch.no_grad():
        w -= 0.1 * w.grad
    return w.grad, losses
