import torch

from graders.checks import check, close, mistake

# Products may be summed in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
SIZES = ((2, 3), (4, 2), (3, 3), (1, 4))


def cases(draw, dtype=torch.float32):
    """x (n,), w (m, n) and v (m,), with m and n different and equal."""
    return [
        (
            draw.tensor(n, dtype=dtype),
            draw.tensor(m, n, dtype=dtype),
            draw.tensor(m, dtype=dtype, low=0.5, high=2.0),
        )
        for m, n in SIZES
    ]


def right(x, w):
    """The Jacobian of tanh(w @ x) by formula: (m, n)."""
    return (1 - torch.tanh(w @ x) ** 2)[:, None] * w


@check(
    "vector_jacobian gives v times J",
    points=2,
    hint="A vector has no single gradient. y.backward(v) says how much each output counts.",
)
def product(answer, draw):
    for x, w, v in cases(draw):
        true_j = right(x, w)
        got = answer.call("vector_jacobian", x, w, v)
        assert close(got, v @ true_j, **TOLERANCE), unweighted(got, true_j)


def unweighted(got, true_j):
    if close(got, true_j.sum(dim=0), **TOLERANCE).holds:
        return f"{got.name} is the sum of the rows of J, each counted once: v has no say in it."
    return ""


@check(
    "jacobian gives the whole matrix",
    points=3,
    hint="Each row of torch.eye(m) as grad_outputs gives one row of J. Stack the rows.",
)
def matrix(answer, draw):
    for x, w, _ in cases(draw):
        got = answer.call("jacobian", x, w)
        true_j = right(x, w)
        assert close(got, true_j, **TOLERANCE), cumulated(got, true_j)


def cumulated(got, true_j):
    if close(got, true_j.cumsum(dim=0), **TOLERANCE).holds and len(true_j) > 1:
        return f"In {got.name} every row also contains the rows above it: x.grad adds up until it is cleared."
    if close(got, true_j[-1:].expand_as(true_j), **TOLERANCE).holds and len(true_j) > 1:
        return f"In {got.name} all rows are the last row: the list holds one and the same tensor each time."
    if close(got, true_j.sum(dim=0, keepdim=True).expand_as(true_j), **TOLERANCE).holds and len(true_j) > 1:
        return f"In {got.name} all rows are the sum of the rows of J."
    return ""


@check("the dtype is that of x", hint="torch.eye makes float32 unless it is told otherwise: dtype=y.dtype.")
def double_precision(answer, draw):
    for x, w, v in cases(draw, torch.float64):
        for got, expected in (
            (answer.call("jacobian", x, w), right(x, w)),
            (answer.call("vector_jacobian", x, w, v), v @ right(x, w)),
        ):
            assert got.dtype == torch.float64
            assert close(got, expected)


@check(
    "x may require a gradient or not",
    hint="Work on a leaf of your own, x.detach().requires_grad_(), and do not write into the arguments.",
)
def plain_or_tracked(answer, draw):
    for x, w, v in cases(draw):
        for given in (x, x.clone().requires_grad_()):
            for _ in range(2):
                whole = answer.call("jacobian", given, w)
                assert not whole.changed
                assert close(whole, right(x, w), **TOLERANCE)
                weighed = answer.call("vector_jacobian", given, w, v)
                assert not weighed.changed
                assert close(weighed, v @ right(x, w), **TOLERANCE)


@mistake("jacobian gives the whole matrix")
def graph_is_gone(source):
    if not source.uses("retain_graph") and source.loops and source.calls("grad"):
        return "The graph of y is used once for each row. retain_graph=True keeps it for the next one."
    return None
