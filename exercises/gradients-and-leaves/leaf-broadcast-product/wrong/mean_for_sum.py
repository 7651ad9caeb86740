# expect: failed, "fold gives the shape and the sums", "it is their sum that is asked for"


def fold(gradient, shape):
    for _ in range(gradient.dim() - len(shape)):
        gradient = gradient.mean(dim=0)
    for dim, size in enumerate(shape):
        if size == 1:
            gradient = gradient.mean(dim=dim, keepdim=True)
    return gradient


def product_gradients(a, b, upstream):
    return fold(upstream * b, a.shape), fold(upstream * a, b.shape)
