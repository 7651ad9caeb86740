# expect: failed, "each layer has its own norm", "stand in reverse"

import torch


def gradient_norms(x, *weights):
    norms = []
    h = x
    for w in weights:
        h = torch.tanh(w @ h)
        h.register_hook(lambda gradient: norms.append(gradient.norm()))
    (h**2).sum().backward()
    return torch.stack(norms), [w.grad for w in weights]
