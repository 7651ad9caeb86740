# expect: failed, "a smaller last piece counts for less", "though the last one has fewer rows"

import torch


def accumulate(w, x, y, size):
    losses = []
    pieces = list(zip(x.split(size), y.split(size)))
    for rows, targets in pieces:
        loss = ((rows @ w - targets) ** 2).mean()
        (loss / len(pieces)).backward()
        losses.append(loss.item())
    return w.grad, losses
