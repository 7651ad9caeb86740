# expect: failed, "fold gives the shape and the sums", "Shapes differ"


def fold(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(dim=0)
    return gradient


def product_gradients(a, b, upstream):
    return fold(upstream * b, a.shape), fold(upstream * a, b.shape)
