# expect: failed, "the weights get their usual gradients", "expected"

import torch


def gradient_norms(x, *weights):
    norms = x.new_zeros(len(weights))
    h = x
    for at, w in enumerate(weights):
        h = torch.tanh(w @ h)

        def record(gradient, at=at):
            norms[at] = gradient.norm()
            return gradient / norms[at]

        h.register_hook(record)
    (h**2).sum().backward()
    return norms, [w.grad for w in weights]
