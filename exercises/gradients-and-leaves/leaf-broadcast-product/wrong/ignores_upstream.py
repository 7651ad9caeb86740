# expect: failed, "both gradients are those of autograd", "expected"

import torch


def fold(gradient, shape):
    return gradient.sum_to_size(tuple(shape))


def product_gradients(a, b, upstream):
    a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
    return torch.autograd.grad((a * b).sum(), [a, b])
