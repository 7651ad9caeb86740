# expect: error, "does not require grad"

import torch


def layer(x, w):
    return torch.tanh(w @ x)


def vector_jacobian(x, w, v):
    return torch.autograd.grad(layer(x, w), x, grad_outputs=v)[0]


def jacobian(x, w):
    y = layer(x, w)
    rows = []
    for v in torch.eye(len(y), dtype=y.dtype):
        rows.append(torch.autograd.grad(y, x, grad_outputs=v, retain_graph=True)[0])
    return torch.stack(rows)
