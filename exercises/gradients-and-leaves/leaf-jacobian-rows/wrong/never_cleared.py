# expect: failed, "jacobian gives the whole matrix", "every row also contains the rows above it"

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
        y.backward(v, retain_graph=True)
        rows.append(x.grad.clone())
    return torch.stack(rows)
