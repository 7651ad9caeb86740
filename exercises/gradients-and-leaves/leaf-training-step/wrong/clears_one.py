# expect: failed, "several steps are right", "if the gradient of b is not cleared"

import torch


def fit(x, y, steps, lr):
    w = x.new_zeros((), requires_grad=True)
    b = x.new_zeros((), requires_grad=True)
    for _ in range(steps):
        w.grad = None
        loss = ((w * x + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b
