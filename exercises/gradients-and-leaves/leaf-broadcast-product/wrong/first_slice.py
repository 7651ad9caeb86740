# expect: failed, "fold gives the shape and the sums", "Another shape alone adds nothing up"


def fold(gradient, shape):
    count = 1
    for size in shape:
        count *= size
    return gradient.flatten()[:count].reshape(tuple(shape))


def product_gradients(a, b, upstream):
    return fold(upstream * b, a.shape), fold(upstream * a, b.shape)
