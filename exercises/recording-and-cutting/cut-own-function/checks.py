import torch

from graders.checks import check, close, mistake

# One formula, written in several ways.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def bump(x, width):
    return torch.exp(-((x / width) ** 2))


def slope(x, width):
    return bump(x, width) * -2 * x / width**2


def cases(draw):
    """An x and a width for each of several shapes."""
    widths = draw.floats(0.6, 2.5, n=3, clear_of=[1.0, 2.0])
    shapes = ((4,), (2, 3), (1,))
    # At 0 the slope is 0 whatever one does: no x lies close to it.
    sizes = [draw.tensor(*shape, low=0.2, high=1.8) for shape in shapes]
    signs = [draw.tensor(*shape, low=0.0, high=2.0, dtype=torch.int64) * 2 - 1 for shape in shapes]
    return [(x * sign, width) for x, sign, width in zip(sizes, signs, widths, strict=True)]


@check("the bump has its values", hint="torch.exp(-((x / width) ** 2))")
def values(answer, draw):
    for x, width in cases(draw):
        got = answer.call("bump", x, width)
        assert close(got, bump(x, width), **TOLERANCE)
        assert not got.changed, "bump has changed the tensor that it was given."
    x = draw.tensor(3, dtype=torch.float64)
    assert close(answer.call("bump", x, 1.5), bump(x, 1.5))


@check("the node is your own", hint="Call it by Bump.apply(x, width), in that order.")
def node(answer, draw):
    for x, width in cases(draw):
        got = answer.call("bump", x.requires_grad_(), width)
        assert got.grad_fn == "BumpBackward", (
            f"{got.name} has the grad_fn {got.grad_fn}; one called BumpBackward is made by Bump.apply."
        )
        assert got.graph.ops == {"Bump": 1}, f"More than your own node stands behind {got.name}."


@check("the gradient of the sum is right", points=2, hint="dy/dx = y · (−2x / width²)")
def gradient(answer, draw):
    for x, width in cases(draw):
        got = answer.gradient("bump", x, width)
        assert got is not None
        assert close(got, slope(x, width), **TOLERANCE), known_mistake(got, x, width)
    x = draw.tensor(3, dtype=torch.float64, low=0.2, high=1.0)
    assert close(answer.gradient("bump", x, 1.5), slope(x, 1.5))


def known_mistake(got, x, width):
    """What to say of a gradient that is wrong in a way we know; "" leaves it to the comparison."""
    if close(got, bump(x, width), **TOLERANCE).holds:
        return f"{got.name} is the value of the bump: the inner derivative, −2x / width², is missing."
    if close(got, torch.ones_like(x)).holds:
        return f"{got.name} is all ones: backward hands on what arrives, as if the bump were not there."
    if close(got, slope(x, width) * width, **TOLERANCE).holds:
        return f"{got.name} is off by the factor width: it is squared in the inner derivative."
    if close(got, slope(x, width) * width**2, **TOLERANCE).holds:
        return f"{got.name} is off by the factor width²: the inner derivative divides by it."
    return ""


@check("the gradient that comes in counts", points=2, hint="Multiply by grad_output.")
def incoming(answer, draw):
    for x, width in cases(draw):
        weights = draw.tensor(*x.shape, low=1.5, high=3.0)
        assert close(
            answer.call("weighted", x, width, weights), (bump(x, width) * weights).sum(), **TOLERANCE
        )
        got = answer.gradient("weighted", x, width, weights)
        assert got is not None
        forgotten = close(got, slope(x, width), **TOLERANCE).holds
        assert close(got, slope(x, width) * weights, **TOLERANCE), (
            f"{got.name} is the same whatever the weights are: backward does not use grad_output."
            if forgotten
            else ""
        )


@mistake("the node is your own")
def forward_called_directly(source):
    if not source.calls("apply"):
        return "Your code never calls Bump.apply, and only that puts a node behind the result."
    return None
