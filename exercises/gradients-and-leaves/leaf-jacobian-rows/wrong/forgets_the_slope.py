# expect: failed, "jacobian gives the whole matrix", "expected"

import torch


def layer(x, w):
    return torch.tanh(w @ x)


def vector_jacobian(x, w, v):
    x = x.detach().requires_grad_()
    layer(x, w).backward(v)
    return x.grad


def jacobian(x, w):
    return w.clone()
