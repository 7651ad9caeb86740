# expect: failed, "each micro-batch is measured", "your list has 1"

import torch


def accumulate(w, x, y, size):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    return w.grad, [loss.item()]
