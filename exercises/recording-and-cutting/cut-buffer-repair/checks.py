import torch

from graders.checks import check, close, mistake

# Means and products may be summed in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
SHAPES = ((2,), (5,), (3, 2), (6, 3))


def cases(draw):
    """An alpha and an x for each shape."""
    alphas = draw.floats(0.2, 0.9, n=len(SHAPES), clear_of=[0.5])
    return [
        (alpha, draw.tensor(*shape, low=-2.0, high=2.0)) for alpha, shape in zip(alphas, SHAPES, strict=True)
    ]


@check("the values are right", hint="Compare with the printed values of the code as it was.")
def values(answer, draw, reference):
    for alpha, x in cases(draw):
        got = answer.call("smoothed", alpha, x)
        assert close(got, reference.smoothed(alpha, x), **TOLERANCE)
    alpha, x = 0.25, draw.tensor(4, 2, dtype=torch.float64)
    assert close(answer.call("smoothed", alpha, x), reference.smoothed(alpha, x))


@check("x is left alone", hint="x -= … overwrites x; x - … makes a new tensor.")
def unchanged(answer, draw):
    for alpha, x in cases(draw):
        assert not answer.call("smoothed", alpha, x).changed, (
            "smoothed has overwritten the x that it was given."
        )


@check(
    "alpha learns from every step",
    points=2,
    hint="Do not write into a tensor whose rows the product still needs: collect the rows in a list.",
)
def alpha_learns(answer, draw, reference):
    for number, x in cases(draw):
        alpha = torch.tensor(number, requires_grad=True)
        reference.smoothed(alpha, x).sum().backward()
        got = answer.gradient("smoothed", torch.tensor(number), x)
        assert got is not None
        assert close(got, alpha.grad, **TOLERANCE)


@check(
    "x gets its gradient",
    points=2,
    hint="The gradient of x passes through the mean as well as through the steps.",
)
def x_learns(answer, draw, reference):
    for alpha, x in cases(draw):
        leaf = x.clone().requires_grad_()
        reference.smoothed(alpha, leaf).sum().backward()
        got = answer.gradient("smoothed", alpha, x)
        assert got is not None
        assert close(got, leaf.grad, **TOLERANCE)
        tracked = answer.call("smoothed", torch.tensor(alpha), x.clone().requires_grad_())
        assert tracked.requires_grad, "With a tensor for alpha, nothing leads from the result back to x."


@mistake("alpha learns from every step", "x gets its gradient")
def one_step_is_all_that_is_seen(source):
    if source.uses("detach") or source.uses("data"):
        line = source.line_of("detach") or source.line_of("data")
        return f"The error is gone because line {line} has taken the earlier steps out of the graph."
    return None
