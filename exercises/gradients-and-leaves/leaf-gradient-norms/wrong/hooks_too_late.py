# expect: failed, "one layer is right", "expected"

import torch


def gradient_norms(x, *weights):
    norms = x.new_zeros(len(weights))
    states = []
    h = x
    for w in weights:
        h = torch.tanh(w @ h)
        states.append(h)
    (h**2).sum().backward()
    for at, state in enumerate(states):
        state.register_hook(lambda gradient, at=at: norms.__setitem__(at, gradient.norm()))
    return norms, [w.grad for w in weights]
