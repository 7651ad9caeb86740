# expect: failed, "vector_jacobian gives v times J", "v has no say in it"

import torch


def layer(x, w):
    return torch.tanh(w @ x)


def vector_jacobian(x, w, v):
    x = x.detach().requires_grad_()
    layer(x, w).sum().backward()
    return x.grad


def jacobian(x, w):
    x = x.detach().requires_grad_()
    y = layer(x, w)
    return torch.stack([torch.autograd.grad(y[i], x, retain_graph=True)[0] for i in range(len(y))])
