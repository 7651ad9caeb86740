# expect: failed, "the gradient passes straight through", "the wrong part of the sum is detached"

import torch


def quantize(x: torch.Tensor, levels: int) -> torch.Tensor:
    """x clamped to [-1, 1] and rounded to multiples of 1/levels; backwards, as if only clamped."""
    inside = x.clamp(-1, 1)
    rounded = (inside * levels).round() / levels
    return rounded.detach() + (inside.detach() - inside) + (rounded - rounded.detach())


def quantized_loss(x: torch.Tensor, target: torch.Tensor, levels: int) -> torch.Tensor:
    return (quantize(x, levels) - target).square().mean()
