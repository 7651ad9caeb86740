# expect: failed, "equal pieces give the gradient of the whole batch", "is the sum of the gradients of"

import torch


def accumulate(w, x, y, size):
    losses = []
    for rows, targets in zip(x.split(size), y.split(size)):
        loss = ((rows @ w - targets) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
    return w.grad, losses
