import torch

from graders.checks import check, close

# Products may be summed in another order than ours.
TOLERANCE = {"rtol": 1e-3, "atol": 1e-5}


def cases(draw, dtype=torch.float32):
    """w (d, k), v (k,) and x (n, d), with n, d and k different and slopes that are not near 0."""
    sizes = [draw.shuffled([2, 3, 4]) for _ in range(3)] + [[3, 2, 1]]
    return [
        (
            draw.tensor(d, k, dtype=dtype, low=0.3, high=1.5, requires_grad=True),
            draw.tensor(k, dtype=dtype, low=0.5, high=2.0, requires_grad=True),
            draw.tensor(n, d, dtype=dtype, low=-0.5, high=0.5),
        )
        for d, k, n in sizes
    ]


def slopes(w, v, x):
    """The gradient of each row's score for the row, by formula: (n, d)."""
    return ((1 - torch.tanh(x @ w) ** 2) * v) @ w.T


def right(w, v, x):
    return ((slopes(w, v, x).norm(dim=1) - 1) ** 2).mean()


@check(
    "the value of the penalty is right",
    points=2,
    hint="One norm for each row, of the gradient of scores.sum() for x; then (norm - 1) ** 2, and the mean.",
)
def value(answer, draw):
    for w, v, x in cases(draw):
        got = answer.call("penalty", w, v, x)
        assert close(got, right(w, v, x).detach(), **TOLERANCE), known_mistake(got, w, v, x)


def known_mistake(got, w, v, x):
    with torch.no_grad():
        found = slopes(w, v, x)
        known = {
            "the norm were taken over all rows together": (found.norm() - 1) ** 2,
            "1 were subtracted from the square of the norm": ((found.norm(dim=1) ** 2 - 1) ** 2).mean(),
            "the norm were taken over the rows, for each column": ((found.norm(dim=0) - 1) ** 2).mean(),
            "the scores' mean were differentiated, by which each slope is divided by the number of rows": (
                ((found / len(x)).norm(dim=1) - 1) ** 2
            ).mean(),
            "the squares were summed, not averaged": ((found.norm(dim=1) - 1) ** 2).sum(),
        }
    for words, other in known.items():
        if len(x) > 1 and close(got, other, **TOLERANCE).holds:
            return f"{got.name} is what comes out if {words}."
    return ""


@check(
    "the penalty can be trained away",
    points=3,
    hint="The slopes are to be differentiated once more: create_graph=True records how they were computed.",
)
def trained(answer, draw):
    for w, v, x in cases(draw):
        (expected,) = torch.autograd.grad(right(w, v, x), w)
        assert answer.call("penalty", w, v, x).requires_grad, (
            "Nothing leads from the penalty back to w: the slopes it is made of have no graph behind them."
        )
        got = answer.gradient("penalty", w, v, x)
        assert got is not None
        assert close(got, expected, **TOLERANCE)


@check("v takes part too", hint="The slopes depend on w and on v; neither may be detached.")
def both_parameters(answer, draw):
    for w, v, x in cases(draw):
        got = answer.call("penalty", w.detach(), v, x)
        reached = [node.shape for node in got.graph.listed if node.leaf is not None]
        assert tuple(v.shape) in reached, "Nothing leads from the penalty back to v."
        assert close(got, right(w, v, x).detach(), **TOLERANCE)


@check("x is only measured", hint="Work on a leaf of your own, x.detach().requires_grad_().")
def data(answer, draw):
    for w, v, x in cases(draw):
        for given in (x, x.clone().requires_grad_()):
            got = answer.call("penalty", w, v, given)
            assert not got.changed, "penalty has overwritten an argument."
            assert close(got, right(w, v, x).detach(), **TOLERANCE)


@check("the dtype is that of x", hint="Make no tensors of your own from plain numbers.")
def double_precision(answer, draw):
    for w, v, x in cases(draw, torch.float64):
        got = answer.call("penalty", w, v, x)
        assert got.dtype == torch.float64
        assert close(got, right(w, v, x).detach())
        (expected,) = torch.autograd.grad(right(w, v, x), w)
        assert close(answer.gradient("penalty", w, v, x), expected)
