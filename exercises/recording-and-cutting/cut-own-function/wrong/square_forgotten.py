# expect: failed, "the bump has its values", "differs from what is expected"

import torch


class Bump(torch.autograd.Function):
    """y = exp(-(x / width)²), element by element."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, width: float) -> torch.Tensor:
        y = torch.exp(-(x / width))
        ctx.save_for_backward(x, y)
        ctx.width = width
        return y

    @staticmethod
    def backward(ctx, grad_output: torch.Tensor) -> tuple[torch.Tensor, None]:
        x, y = ctx.saved_tensors
        return grad_output * y * (-2 * x / ctx.width**2), None


def bump(x: torch.Tensor, width: float) -> torch.Tensor:
    return Bump.apply(x, width)


def weighted(x: torch.Tensor, width: float, weights: torch.Tensor) -> torch.Tensor:
    return (bump(x, width) * weights).sum()
