# expect: failed, "the gradient passes straight through", "the gradient of rounding itself"

import torch


def quantize(x: torch.Tensor, levels: int) -> torch.Tensor:
    """x clamped to [-1, 1] and rounded to multiples of 1/levels; backwards, as if only clamped."""
    inside = x.clamp(-1, 1)
    rounded = (inside * levels).round() / levels
    return rounded


def quantized_loss(x: torch.Tensor, target: torch.Tensor, levels: int) -> torch.Tensor:
    return (quantize(x, levels) - target).square().mean()
