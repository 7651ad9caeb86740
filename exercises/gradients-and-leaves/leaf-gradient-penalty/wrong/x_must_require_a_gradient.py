# expect: error, "does not require grad"

import torch


def critic(w, v, x):
    return torch.tanh(x @ w) @ v


def penalty(w, v, x):
    (slopes,) = torch.autograd.grad(critic(w, v, x).sum(), x, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()
