# expect: failed, "w and b are still leaves", "is_leaf is False"

import torch


def fit(x, y, steps, lr):
    w = x.new_zeros((), requires_grad=True)
    b = x.new_zeros((), requires_grad=True)
    for _ in range(steps):
        loss = ((w * x + b - y) ** 2).mean()
        grad_w, grad_b = torch.autograd.grad(loss, [w, b])
        w = w - lr * grad_w
        b = b - lr * grad_b
    return w, b
