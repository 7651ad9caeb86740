# expect: failed, "equal pieces give the gradient of the whole batch", "Your loop clears the gradient"

import torch


def accumulate(w, x, y, size):
    losses = []
    for rows, targets in zip(x.split(size), y.split(size)):
        w.grad = None
        errors = (rows @ w - targets) ** 2
        (errors.sum() / len(x)).backward()
        losses.append(errors.mean().item())
    return w.grad, losses
