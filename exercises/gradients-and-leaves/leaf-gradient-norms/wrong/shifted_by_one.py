# expect: failed, "one layer is right", "expected"

import torch


def gradient_norms(x, *weights):
    norms = x.new_zeros(len(weights))
    h = x.clone().requires_grad_()
    for at, w in enumerate(weights):
        h.register_hook(lambda gradient, at=at: norms.__setitem__(at, gradient.norm()))
        h = torch.tanh(w @ h)
    (h**2).sum().backward()
    return norms, [w.grad for w in weights]
