# expect: failed, "one layer is right", "expected"

import torch


def gradient_norms(x, *weights):
    norms = x.new_zeros(len(weights))
    h = x
    for at, w in enumerate(weights):
        h = torch.tanh(w @ h)
        w.register_hook(lambda gradient, at=at: norms.__setitem__(at, gradient.norm()))
    (h**2).sum().backward()
    return norms, [w.grad for w in weights]
