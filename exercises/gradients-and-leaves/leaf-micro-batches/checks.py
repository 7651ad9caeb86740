import torch

from graders.checks import check, close, mistake

# Sums over many rows may be made in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def batch(draw, n, dtype=torch.float32):
    """w (d,), x (n, d), y (n,), with errors that differ from row to row."""
    d = draw.integers(2, 4, n=1)[0]
    w = draw.tensor(d, dtype=dtype, requires_grad=True)
    x = draw.tensor(n, d, dtype=dtype, low=-2.0, high=2.0)
    return w, x, draw.tensor(n, dtype=dtype, low=1.0, high=3.0)


def whole(w, x, y):
    """The gradient of the mean squared error for w, by formula."""
    return 2 * (x @ w.detach() - y) @ x / len(x)


def pieces(w, x, y, size):
    """(rows, targets) of each micro-batch."""
    return [(x[at : at + size], y[at : at + size]) for at in range(0, len(x), size)]


def gradient_and_losses(answer, *args):
    got = answer.call("accumulate", *args)
    assert len(got) == 2, f"{got.name} must be two things: the gradient of w, and the list of losses."
    return got[0], got[1]


def equal(draw):
    """Batches that `size` divides."""
    counts = draw.integers(2, 5, n=3)
    return [(*batch(draw, size * count), size) for size, count in zip((2, 3, 1), counts, strict=True)]


def ragged(draw):
    """Batches whose last micro-batch is smaller, and one that is a single micro-batch smaller than `size`."""
    counts = draw.integers(1, 3, n=3)
    cases = [(*batch(draw, size * count + 1), size) for size, count in zip((2, 3, 4), counts, strict=True)]
    return [*cases, (*batch(draw, 3), 5)]


@check("each micro-batch is measured", hint="x.split(size) gives all pieces, with the rest as the last one.")
def losses(answer, draw):
    for case in equal(draw) + ragged(draw):
        w = case[0].detach()
        right = [((rows @ w - targets) ** 2).mean().item() for rows, targets in pieces(*case)]
        got = gradient_and_losses(answer, *case)[1]
        assert len(got) == len(right), (
            f"{len(case[1])} rows in pieces of {case[3]} are {len(right)} micro-batches; "
            f"your list has {len(got)}."
        )
        for loss, expected in zip(got, right, strict=True):
            assert loss.kind != "tensor", (
                "The list holds a tensor. A float, from .item(), keeps no graph alive."
            )
            assert close(loss, expected, **TOLERANCE)


def agrees(answer, case):
    """The gradient of one case is that of the whole batch, or a sentence says what it is instead."""
    got = gradient_and_losses(answer, *case)[0]
    assert got is not None
    assert close(got, whole(*case[:3]), **TOLERANCE), known_mistake(got, case)


def known_mistake(got, case):
    parts = pieces(*case)
    each = [whole(case[0], rows, targets) for rows, targets in parts]
    n = len(case[1])
    if close(got, n * whole(*case[:3]), **TOLERANCE).holds:
        return f"{got.name} is {n} times too large: a sum over {n} rows stands where their mean should."
    if len(parts) > 1 and close(got, sum(each), **TOLERANCE).holds:
        return (
            f"{got.name} is the sum of the gradients of {len(parts)} means. "
            "The mean over all rows divides by the number of all rows."
        )
    if len(parts) > 1 and close(got, sum(each) / len(parts), **TOLERANCE).holds:
        return (
            f"{got.name} is the average over the {len(parts)} micro-batches, "
            "though the last one has fewer rows than the others."
        )
    if len(parts) > 1 and close(got, each[-1], **TOLERANCE).holds:
        return f"{got.name} is the gradient of the last micro-batch alone: was it cleared in between?"
    return ""


@check(
    "equal pieces give the gradient of the whole batch",
    points=2,
    hint="Let the gradients of the pieces add up. Which factor makes their sum that of the mean?",
)
def equal_pieces(answer, draw):
    for case in equal(draw):
        agrees(answer, case)


@check(
    "a smaller last piece counts for less",
    points=2,
    hint="Every row has the same weight, 1 / len(x), whatever piece it is in.",
)
def ragged_pieces(answer, draw):
    for case in ragged(draw):
        agrees(answer, case)


@check("w keeps its values, and the dtype is kept", hint="No step is taken here: w is only measured.")
def nothing_else(answer, draw):
    w, x, y = batch(draw, 5, torch.float64)
    got = answer.call("accumulate", w, x, y, 2)
    assert not got.changed, "accumulate changed the values of an argument; it should only fill w.grad."
    assert got[0].dtype == torch.float64
    assert close(got[0], whole(w, x, y))


@mistake()
def cleared_in_between(source):
    if source.loops and (source.calls("zero_") or source.calls("zero_grad") or source.assigns("grad")):
        return "Your loop clears the gradient; here the parts of all micro-batches should add up."
    return None
