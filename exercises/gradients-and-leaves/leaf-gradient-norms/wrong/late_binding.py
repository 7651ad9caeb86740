# expect: failed, "each layer has its own norm", "all hooks have written there"

import torch


def gradient_norms(x, *weights):
    norms = x.new_zeros(len(weights))
    h = x
    for at, w in enumerate(weights):
        h = torch.tanh(w @ h)

        def record(gradient):
            norms[at] = gradient.norm()

        h.register_hook(record)
    (h**2).sum().backward()
    return norms, [w.grad for w in weights]
