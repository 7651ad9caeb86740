# expect: failed, "fold can be differentiated", "is tracked, and what it returns is not"

import torch


@torch.no_grad()
def fold(gradient, shape):
    return gradient.sum_to_size(tuple(shape))


def product_gradients(a, b, upstream):
    return fold(upstream * b, a.shape), fold(upstream * a, b.shape)
