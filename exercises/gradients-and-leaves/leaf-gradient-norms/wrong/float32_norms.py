# expect: failed, "the norms have the dtype of x and no history", "float32"

import torch


def gradient_norms(x, *weights):
    norms = torch.zeros(len(weights))
    h = x
    for at, w in enumerate(weights):
        h = torch.tanh(w @ h)
        h.register_hook(lambda gradient, at=at: norms.__setitem__(at, gradient.norm()))
    (h**2).sum().backward()
    return norms, [w.grad for w in weights]
