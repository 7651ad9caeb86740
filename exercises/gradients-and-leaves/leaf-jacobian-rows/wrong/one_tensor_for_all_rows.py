# expect: failed, "jacobian gives the whole matrix", "one and the same tensor"

import torch


def layer(x, w):
    return torch.tanh(w @ x)


def vector_jacobian(x, w, v):
    x = x.detach().requires_grad_()
    layer(x, w).backward(v)
    return x.grad


def jacobian(x, w):
    x = x.detach().requires_grad_()
    x.grad = torch.zeros_like(x)
    y = layer(x, w)
    rows = []
    for v in torch.eye(len(y), dtype=y.dtype):
        x.grad.zero_()
        y.backward(v, retain_graph=True)
        rows.append(x.grad)
    return torch.stack(rows)
