# expect: failed, "each micro-batch is measured", "micro-batches; your list has"

import torch


def accumulate(w, x, y, size):
    losses = []
    for piece in range(len(x) // size):
        rows = x[piece * size : (piece + 1) * size]
        targets = y[piece * size : (piece + 1) * size]
        errors = (rows @ w - targets) ** 2
        (errors.sum() / len(x)).backward()
        losses.append(errors.mean().item())
    return w.grad, losses
