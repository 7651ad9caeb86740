import torch

from graders.checks import check, close, mistake

# Sums over many points may be made in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}

CLEARED = (
    "A .grad is None at the end. Either it was cleared after the last backward(), "
    "or what you return are other tensors than those that backward() filled."
)


def points_near_a_line(draw, dtype=torch.float32):
    """x and y of the shape (n,), y near a line that is far from w = b = 0."""
    n = draw.integers(4, 9, n=1)[0]
    slope, intercept = draw.floats(1, 2, n=2)
    x = draw.tensor(n, dtype=dtype, low=0.5, high=2.0)
    return x, slope * x + intercept + draw.tensor(n, dtype=dtype, low=-0.2, high=0.2)


def descent(x, y, steps, lr, *, clears=("w", "b")):
    """(w, b, last gradient of w, of b), by formula. clears: which gradients are cleared in each step."""
    values = {"w": x.new_zeros(()), "b": x.new_zeros(())}
    grads = {"w": x.new_zeros(()), "b": x.new_zeros(())}
    for _ in range(steps):
        error = values["w"] * x + values["b"] - y
        for name, new in (("w", 2 * (error * x).mean()), ("b", 2 * error.mean())):
            grads[name] = new if name in clears else grads[name] + new
        values = {name: values[name] - lr * grads[name] for name in values}
    return values["w"], values["b"], grads["w"], grads["b"]


def pair(answer, *args):
    got = answer.call("fit", *args)
    assert len(got) == 2, f"{got.name} must be the two tensors (w, b)."
    return got


def cases(draw, steps):
    """Two data sets with a learning rate and a number of steps each."""
    for lr in draw.floats(0.02, 0.1, n=2):
        yield (*points_near_a_line(draw), steps, lr)


@check("one step is right", hint="w and b move against their gradients: w -= lr * w.grad.")
def one_step(answer, draw):
    for case in cases(draw, 1):
        got = pair(answer, *case)
        for value, right in zip(got, descent(*case), strict=False):
            assert close(value, right, **TOLERANCE)


@check(
    "several steps are right",
    points=2,
    hint="Clear both gradients in each step, and keep w and b the same two leaves throughout.",
)
def several_steps(answer, draw):
    for steps in draw.integers(2, 6, n=2):
        for case in cases(draw, steps):
            got = pair(answer, *case)
            for value, right in zip(got, descent(*case), strict=False):
                assert close(value, right, **TOLERANCE), never_cleared(got, case)


def never_cleared(got, case):
    """What to say where gradients were not cleared; "" leaves it to the comparison."""
    known = {
        (): "neither gradient is cleared between the steps: backward() adds to what is left in .grad",
        ("w",): "the gradient of b is not cleared between the steps",
        ("b",): "the gradient of w is not cleared between the steps",
    }
    for clears, words in known.items():
        wrong = descent(*case, clears=clears)
        if all(close(value, other, **TOLERANCE).holds for value, other in zip(got, wrong, strict=False)):
            return f"w and b are what comes out if {words}."
    return ""


@check(
    "w and b are still leaves",
    hint="w = w - … makes a new tensor. Change the old one in place, under torch.no_grad().",
)
def leaves(answer, draw):
    for case in cases(draw, 2):
        for value in pair(answer, *case):
            assert value.is_leaf
            assert value.requires_grad


@check(
    ".grad belongs to the last step",
    points=2,
    hint="Clear at the start of a step, before backward(): then the last gradient stays.",
)
def last_gradient(answer, draw):
    for steps in (1, 4):
        for case in cases(draw, steps):
            got = pair(answer, *case)
            for value, right in zip(got, descent(*case)[2:], strict=True):
                assert value.grad is not None, CLEARED
                assert close(value.grad, right, **TOLERANCE)


@check("the dtype is that of x", hint="x.new_zeros(()) takes the dtype from x.")
def double_precision(answer, draw):
    x, y = points_near_a_line(draw, torch.float64)
    got = pair(answer, x, y, 3, 0.05)
    for value, right in zip(got, descent(x, y, 3, 0.05), strict=False):
        assert value.dtype == torch.float64
        assert close(value, right)


@mistake("several steps are right")
def renamed(source):
    if source.loops and not source.uses("no_grad") and not source.uses("data") and source.assigns("w") > 1:
        return "w = w - … gives the name w to the result of an operation; a gradient is kept for leaves only."
    return None
