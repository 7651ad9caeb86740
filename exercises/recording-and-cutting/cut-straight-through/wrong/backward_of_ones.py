# expect: failed, "a loss behind it gets the right gradient", "Your backward returns ones"

import torch


class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.save_for_backward(x)
        return (x.clamp(-1, 1) * levels).round() / levels

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return (x.abs() <= 1).to(x.dtype), None


def quantize(x, levels):
    return Quantize.apply(x, levels)


def quantized_loss(x, target, levels):
    return (quantize(x, levels) - target).square().mean()
