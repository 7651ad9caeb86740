# expect: failed, "alpha learns from every step", "out of the graph"

import torch


def smoothed(alpha, x):
    x = x - x.mean(dim=0)
    out = torch.empty_like(x)
    out[0] = x[0]
    for step in range(1, len(x)):
        out[step] = alpha * out[step - 1].detach().clone() + (1 - alpha) * x[step]
    return out
