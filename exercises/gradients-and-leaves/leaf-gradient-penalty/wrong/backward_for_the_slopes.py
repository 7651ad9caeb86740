# expect: failed, "the penalty can be trained away", "expected"

import torch


def critic(w, v, x):
    return torch.tanh(x @ w) @ v


def penalty(w, v, x):
    x = x.detach().requires_grad_()
    critic(w, v, x).sum().backward(create_graph=True)
    return ((x.grad.norm(dim=1) - 1) ** 2).mean()
