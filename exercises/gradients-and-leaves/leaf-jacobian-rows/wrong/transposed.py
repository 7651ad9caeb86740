# expect: failed, "jacobian gives the whole matrix", "expected"

import torch


def layer(x, w):
    return torch.tanh(w @ x)


def vector_jacobian(x, w, v):
    x = x.detach().requires_grad_()
    layer(x, w).backward(v)
    return x.grad


def jacobian(x, w):
    x = x.detach().requires_grad_()
    y = layer(x, w)
    rows = []
    for v in torch.eye(len(y), dtype=y.dtype):
        rows.append(torch.autograd.grad(y, x, grad_outputs=v, retain_graph=True)[0])
    return torch.stack(rows, dim=1)
