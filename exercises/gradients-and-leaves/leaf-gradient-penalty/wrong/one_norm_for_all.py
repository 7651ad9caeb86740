# expect: failed, "the value of the penalty is right", "over all rows together"

import torch


def critic(w, v, x):
    return torch.tanh(x @ w) @ v


def penalty(w, v, x):
    x = x.detach().requires_grad_()
    (slopes,) = torch.autograd.grad(critic(w, v, x).sum(), x, create_graph=True)
    return ((slopes.norm() - 1) ** 2).mean()
