# expect: failed, "the value of the penalty is right", "each slope is divided by the number of rows"

import torch


def critic(w, v, x):
    return torch.tanh(x @ w) @ v


def penalty(w, v, x):
    x = x.detach().requires_grad_()
    (slopes,) = torch.autograd.grad(critic(w, v, x).mean(), x, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()
