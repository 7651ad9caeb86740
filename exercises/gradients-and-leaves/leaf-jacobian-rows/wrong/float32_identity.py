# expect: failed, "the dtype is that of x", "dtype"

import torch


def layer(x, w):
    return torch.tanh(w @ x)


def vector_jacobian(x, w, v):
    x = x.detach().requires_grad_()
    layer(x, w).backward(v.float())
    return x.grad


def jacobian(x, w):
    x = x.detach().float().requires_grad_()
    y = layer(x, w.float())
    rows = []
    for v in torch.eye(len(y)):
        rows.append(torch.autograd.grad(y, x, grad_outputs=v, retain_graph=True)[0])
    return torch.stack(rows)
