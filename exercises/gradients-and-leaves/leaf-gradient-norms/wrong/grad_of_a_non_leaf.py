# expect: error, "one layer is right", "h is no leaf"

import torch


def gradient_norms(x, *weights):
    states = []
    h = x
    for w in weights:
        h = torch.tanh(w @ h)
        states.append(h)
    (h**2).sum().backward()
    return torch.stack([h.grad.norm() for h in states]), [w.grad for w in weights]
