# expect: failed, "v takes part too", "Nothing leads from the penalty back to v"

import torch


def critic(w, v, x):
    return torch.tanh(x @ w) @ v


def penalty(w, v, x):
    x = x.detach().requires_grad_()
    (slopes,) = torch.autograd.grad(critic(w, v.detach(), x).sum(), x, create_graph=True)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()
