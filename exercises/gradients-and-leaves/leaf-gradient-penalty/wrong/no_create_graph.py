# expect: error, "the penalty can be trained away", "have no graph behind them"

import torch


def critic(w, v, x):
    return torch.tanh(x @ w) @ v


def penalty(w, v, x):
    x = x.detach().requires_grad_()
    (slopes,) = torch.autograd.grad(critic(w, v, x).sum(), x)
    return ((slopes.norm(dim=1) - 1) ** 2).mean()
