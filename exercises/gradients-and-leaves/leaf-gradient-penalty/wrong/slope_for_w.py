# expect: error, "the value of the penalty is right", "expected"

import torch


def critic(w, v, x):
    return torch.tanh(x @ w) @ v


def penalty(w, v, x):
    (slopes,) = torch.autograd.grad(critic(w, v, x).sum(), w, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()
