import torch

from graders.checks import check, close, mistake

# Sums over many elements may be made in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
# The shape of a and that of b.
PAIRS = (((4, 1), (1, 3)), ((2, 3), (2, 3)), ((2, 3, 2), (3, 1)), ((2, 1, 3), (4, 1)), ((3, 2), (2, 1, 1)))
BIAS_PAIRS = (((4, 3), (3,)), ((3,), (2, 2, 3)), ((), (3, 2)), ((2, 3), ()), ((1,), (4,)))


def product(draw, shapes, dtype=torch.float32):
    """a and b of these shapes, and an upstream gradient of the shape of a * b."""
    a, b = (draw.tensor(*shape, dtype=dtype, low=0.5, high=2.0) for shape in shapes)
    return a, b, draw.tensor(*torch.broadcast_shapes(*shapes), dtype=dtype, low=0.5, high=2.0)


def right(a, b, upstream):
    """The two gradients, by autograd."""
    leaves = [a.clone().requires_grad_(), b.clone().requires_grad_()]
    return torch.autograd.grad(leaves[0] * leaves[1], leaves, grad_outputs=upstream)


@check(
    "fold gives the shape and the sums",
    points=2,
    hint="Sum away the leading dimensions that the shape lacks. Where it has a 1, sum with keepdim=True.",
)
def folded(answer, draw):
    for shapes in PAIRS + BIAS_PAIRS:
        whole = torch.broadcast_shapes(*shapes)
        for shape in shapes:
            gradient = draw.tensor(*whole, low=0.5, high=2.0)
            got = answer.call("fold", gradient, shape)
            expected = gradient.sum_to_size(shape)
            assert close(got, expected, **TOLERANCE), known_mistake(got, gradient, expected)


@check(
    "fold can be differentiated",
    hint="Use operations on the tensor itself, without .detach(), .data or torch.no_grad().",
)
def differentiable(answer, draw):
    for shapes in PAIRS[:3] + BIAS_PAIRS[:2]:
        gradient = draw.tensor(*torch.broadcast_shapes(*shapes), requires_grad=True)
        got = answer.call("fold", gradient, shapes[1])
        assert got.requires_grad, "fold was given a gradient that is tracked, and what it returns is not."
        assert close(answer.gradient("fold", gradient, shapes[1]), torch.ones_like(gradient))


def known_mistake(got, gradient, expected):
    repeats = gradient.numel() // max(1, expected.numel())
    if repeats > 1 and close(got, expected / repeats, **TOLERANCE).holds:
        return (
            f"{got.name} is the mean over {repeats} uses. "
            "Each use adds its gradient, so it is their sum that is asked for."
        )
    return ""


def two_gradients(answer, *args):
    got = answer.call("product_gradients", *args)
    assert len(got) == 2, f"{got.name} must be two tensors, the gradients for a and for b."
    return got


def compare(answer, draw, pairs):
    for shapes in pairs:
        a, b, upstream = product(draw, shapes)
        got = two_gradients(answer, a, b, upstream)
        expected = right(a, b, upstream)
        for value, true in zip(got, expected, strict=True):
            assert close(value, true, **TOLERANCE), exchanged(got, expected)


def exchanged(got, expected):
    """What to say where each gradient stands in the other's place; "" leaves it to the comparison."""
    first, second = expected
    if close(got[0], second, **TOLERANCE).holds and close(got[1], first, **TOLERANCE).holds:
        return "The two gradients have changed places."
    return ""


@check(
    "both gradients are those of autograd",
    points=2,
    hint="The gradient for a is upstream * b, folded to the shape of a.",
)
def both(answer, draw):
    compare(answer, draw, PAIRS)


@check(
    "a bias and a single number",
    hint="If a tensor has fewer dimensions than the result, the first are missing.",
)
def bias(answer, draw):
    compare(answer, draw, BIAS_PAIRS)


@check(
    "float64 stays, and so do the arguments", hint="Make new tensors; write into none that you were given."
)
def double_precision(answer, draw):
    for shapes in PAIRS[1:3] + BIAS_PAIRS[:1]:
        a, b, upstream = product(draw, shapes, torch.float64)
        got = two_gradients(answer, a, b, upstream)
        assert not got.changed, "product_gradients has overwritten an argument."
        for value, true in zip(got, right(a, b, upstream), strict=True):
            assert value.dtype == torch.float64
            assert close(value, true)


@mistake("fold gives the shape and the sums")
def reshaped(source):
    if source.uses("reshape") or source.uses("view") or source.uses("expand"):
        return "Another shape alone adds nothing up: each element of the result is a sum of several."
    return None
