# expect: failed, "fold gives the shape and the sums", "Shapes differ"


def fold(gradient, shape):
    for _ in range(gradient.dim() - len(shape)):
        gradient = gradient.sum(dim=0)
    for dim in reversed(range(len(shape))):
        if shape[dim] == 1:
            gradient = gradient.sum(dim=dim)
    return gradient


def product_gradients(a, b, upstream):
    return fold(upstream * b, a.shape), fold(upstream * a, b.shape)
