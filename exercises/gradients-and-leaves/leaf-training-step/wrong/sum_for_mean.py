# expect: failed, "one step is right", "expected"

import torch


def fit(x, y, steps, lr):
    w = x.new_zeros((), requires_grad=True)
    b = x.new_zeros((), requires_grad=True)
    for _ in range(steps):
        w.grad = b.grad = None
        loss = ((w * x + b - y) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
    return w, b
