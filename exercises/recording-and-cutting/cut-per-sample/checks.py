import torch

from graders.checks import check, close

# Products may be summed in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def rows_of(w, x, y):
    """The gradient of each example by the formula: 2 (x·w − y) x."""
    return 2 * (x @ w - y)[:, None] * x


def drawn(draw, batch, features, dtype=torch.float32):
    """w, x and y of which each row has a gradient that is not small."""
    x = draw.tensor(batch, features, low=0.3, high=1.5, dtype=dtype)
    w = draw.tensor(features, dtype=dtype)
    signs = draw.tensor(batch, low=0.0, high=2.0, dtype=torch.int64) * 2 - 1
    return w, x, x @ w + draw.tensor(batch, low=0.3, high=2.0, dtype=dtype) * signs


def cases(draw):
    return [drawn(draw, batch, features) for batch, features in ((4, 3), (3, 3), (1, 2), (5, 2))]


@check("the loss of one example", hint="The square of x @ w − y, for one x and one y.")
def one_loss(answer, draw):
    for w, x, y in cases(draw):
        got = answer.call("sample_loss", w, x[0], y[0])
        assert got.shape == ()
        assert close(got, (x[0] @ w - y[0]) ** 2, **TOLERANCE)


@check(
    "each row is one example's gradient",
    points=2,
    hint="vmap over the examples of x and y, grad for the first argument.",
)
def rows(answer, draw):
    for w, x, y in cases(draw):
        got = answer.call("per_sample_gradients", w, x, y)
        right = rows_of(w, x, y)
        assert close(got, right, **TOLERANCE), known_mistake(got, right)
        assert not got.changed, "per_sample_gradients has changed an argument."
    w, x, y = drawn(draw, 3, 2, torch.float64)
    assert close(answer.call("per_sample_gradients", w, x, y), rows_of(w, x, y))


def known_mistake(got, right):
    """What to say of rows that are wrong in a way we know; "" leaves it to the comparison."""
    if close(got, right.mean(dim=0), **TOLERANCE).holds or close(got, right.sum(dim=0), **TOLERANCE).holds:
        return f"{got.name} is one gradient for all examples together; a row for each is asked for."
    if len(right) > 1 and close(got, right / len(right), **TOLERANCE).holds:
        return f"{got.name} is divided by the number of examples: each row belongs to one example's own loss."
    return ""


@check(
    "the rows have a gradient themselves",
    hint="Nothing may cut the graph: no detach(), no .data, no no_grad() around the transforms.",
)
def second_order(answer, draw):
    for w, x, y in cases(draw):
        leaf = w.clone().requires_grad_()
        rows_of(leaf, x, y).sum().backward()
        got = answer.gradient("per_sample_gradients", w, x, y)
        assert got is not None
        assert close(got, leaf.grad, **TOLERANCE)


@check(
    "long rows are shortened before the mean",
    points=2,
    hint="Scale each row by limit / norm, by 1 at the most; then take the mean over the examples.",
)
def clipped(answer, draw):
    for w, x, y in cases(draw):
        right = rows_of(w, x, y)
        norms = right.norm(dim=1, keepdim=True)
        lowest, highest = norms.min().item(), norms.max().item()
        for limit in (0.5 * lowest, (lowest + highest) / 2, 2 * highest):
            factors = (limit / norms).clamp(max=1)
            got = answer.call("clipped_mean", w, x, y, limit)
            assert close(got, (right * factors).mean(dim=0), **TOLERANCE), clipped_otherwise(
                got, right, limit
            )
    w, x, y = drawn(draw, 3, 2, torch.float64)
    assert answer.call("clipped_mean", w, x, y, 0.5).dtype == torch.float64
    leaf, limit = w.clone().requires_grad_(), 0.7
    right = rows_of(leaf, x, y)
    (right * (limit / right.norm(dim=1, keepdim=True)).clamp(max=1)).mean(dim=0).sum().backward()
    assert close(answer.gradient("clipped_mean", w, x, y, limit), leaf.grad, **TOLERANCE)


def clipped_otherwise(got, right, limit):
    """What to say of a mean that was clipped in another way; "" leaves it to the comparison."""
    norms = right.norm(dim=1, keepdim=True)
    mean = right.mean(dim=0)
    others = {
        "the mean were shortened, not each row": mean * min(1.0, limit / mean.norm().item()),
        "no row were shortened": mean,
        "each row were brought to the limit, the short ones as well": (right * limit / norms).mean(dim=0),
        "each number were clamped, not each row's length": right.clamp(-limit, limit).mean(dim=0),
        "the rows were added up": (right * (limit / norms).clamp(max=1)).sum(dim=0),
    }
    for what, value in others.items():
        if close(got, value, **TOLERANCE).holds:
            return f"{got.name} is what it would be if {what}."
    return ""
