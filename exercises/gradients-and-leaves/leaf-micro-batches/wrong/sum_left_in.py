# expect: failed, "equal pieces give the gradient of the whole batch", "times too large: a sum over"

import torch


def accumulate(w, x, y, size):
    losses = []
    for rows, targets in zip(x.split(size), y.split(size)):
        errors = (rows @ w - targets) ** 2
        errors.sum().backward()
        losses.append(errors.mean().item())
    return w.grad, losses
