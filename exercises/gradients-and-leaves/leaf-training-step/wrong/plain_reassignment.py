# expect: error, "several steps are right", "w = w - … gives the name w to the result of an operation"

import torch


def fit(x, y, steps, lr):
    w = x.new_zeros((), requires_grad=True)
    b = x.new_zeros((), requires_grad=True)
    for _ in range(steps):
        loss = ((w * x + b - y) ** 2).mean()
        loss.backward()
        w = w - lr * w.grad
        b = b - lr * b.grad
    return w, b
