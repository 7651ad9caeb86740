# expect: failed, "each micro-batch is measured", "keeps no graph alive"

import torch


def accumulate(w, x, y, size):
    losses = []
    for rows, targets in zip(x.split(size), y.split(size)):
        errors = (rows @ w - targets) ** 2
        (errors.sum() / len(x)).backward()
        losses.append(errors.mean())
    return w.grad, losses
