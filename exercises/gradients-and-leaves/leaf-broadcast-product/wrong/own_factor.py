# expect: failed, "both gradients are those of autograd", "expected"


def fold(gradient, shape):
    return gradient.sum_to_size(tuple(shape))


def product_gradients(a, b, upstream):
    return fold(upstream * a, a.shape), fold(upstream * b, b.shape)
