import torch

from graders.checks import check, close, mistake

# A sum and its rounding error: x + (rounded - x) need not be rounded to the last bit.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def drawn(draw, levels, *, dtype=torch.float32):
    """Numbers inside and outside of [-1, 1], clear of the edges and of the middle between two steps.

    Returns: x, and the values that it should be rounded to.
    """
    inner = torch.tensor(draw.integers(-levels + 1, levels - 1, n=6))
    outer = torch.tensor([levels + 1, -levels - 1, levels + 2, -levels - 2])
    steps = torch.cat([inner, outer]).to(dtype)[torch.tensor(draw.shuffled(range(10)))]
    offsets = torch.tensor(draw.floats(-0.4, 0.4, n=10, clear_of=[0.0]), dtype=dtype)
    return (steps + offsets) / levels, (steps / levels).clamp(-1, 1)


def cases(draw):
    """levels, x and its rounded values, for several levels."""
    return [(levels, *drawn(draw, levels)) for levels in draw.integers(2, 9, n=4)]


@check("the values lie on the steps", hint="Clamp, multiply by levels, round, divide by levels.")
def values(answer, draw):
    for levels, x, right in cases(draw):
        got = answer.call("quantize", x, levels)
        assert close(got, right, **TOLERANCE)


@check(
    "the gradient passes straight through",
    points=2,
    hint="Add the rounding to the clamped value as a correction without history.",
)
def straight_through(answer, draw):
    for levels, x, _ in cases(draw):
        got = answer.gradient("quantize", x, levels)
        assert got is not None
        assert close(got, (x.abs() <= 1).to(x.dtype)), known_mistake(got, x)


def known_mistake(got, x):
    """What to say of a gradient that is wrong in a way we know; "" leaves it to the comparison."""
    if close(got, torch.zeros_like(x)).holds:
        return f"{got.name} is 0 everywhere: that is the gradient of rounding itself."
    if close(got, torch.ones_like(x)).holds:
        return f"{got.name} is 1 everywhere; where x lies outside of [-1, 1] it should be 0."
    if close(got, -(x.abs() <= 1).to(x.dtype)).holds:
        return f"{got.name} has the wrong sign inside the range: the wrong part of the sum is detached."
    return ""


@check(
    "a loss behind it gets the right gradient",
    points=2,
    hint="The gradient of the mean square is 2 · (quantized − target) / n, where it may pass.",
)
def loss(answer, draw):
    for levels, x, rounded in cases(draw):
        target = draw.tensor(10)
        assert close(
            answer.call("quantized_loss", x, target, levels), (rounded - target).square().mean(), **TOLERANCE
        )
        right = 2 * (rounded - target) / 10 * (x.abs() <= 1)
        got = answer.gradient("quantized_loss", x, target, levels)
        assert got is not None
        assert close(got, right, **TOLERANCE)


@check("dtype and arguments are kept", hint="Work with new tensors of the dtype of x.")
def kept(answer, draw):
    x, right = drawn(draw, 3, dtype=torch.float64)
    got = answer.call("quantize", x, 3)
    assert not got.changed, "quantize has changed the tensor that it was given."
    assert close(got, right)
    got = answer.call("quantized_loss", x, right, 3)
    assert not got.changed, "quantized_loss has changed a tensor that it was given."
    assert got.dtype == torch.float64


@mistake("a loss behind it gets the right gradient")
def incoming_gradient_forgotten(answer, draw, source):
    if source.defines("backward"):
        x = draw.tensor(4)
        got = answer.gradient("quantized_loss", x, torch.zeros(4), 4)
        if close(got, torch.ones(4)).holds:
            return "Your backward returns ones. It should hand on what comes in, where that may pass."
    return None
