# expect: failed, "both gradients are those of autograd", "expected"


def fold(gradient, shape):
    return gradient.sum_to_size(tuple(shape))


def product_gradients(a, b, upstream):
    upstream *= 1.0
    return fold(upstream, a.shape) * fold(b.expand_as(upstream), a.shape), fold(upstream * a, b.shape)
