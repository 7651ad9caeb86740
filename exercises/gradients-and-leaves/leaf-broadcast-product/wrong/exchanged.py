# expect: failed, "both gradients are those of autograd", "have changed places"


def fold(gradient, shape):
    return gradient.sum_to_size(tuple(shape))


def product_gradients(a, b, upstream):
    return fold(upstream * a, b.shape), fold(upstream * b, a.shape)
