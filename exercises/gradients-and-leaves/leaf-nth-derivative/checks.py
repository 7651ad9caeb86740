import torch

from graders.checks import check, close, mistake

# The n-th derivative grows like 5 ** (n / 2), and so do the errors of float32.
TOLERANCE = {"rtol": 1e-3, "atol": 1e-3}
SHAPES = ((3,), (2, 2), ())


def right(x, n):
    """The n-th derivative of exp(x) * sin(2x): the imaginary part of (1 + 2i)^n * exp((1 + 2i) x)."""
    rate = 1 + 2j
    return (rate**n * torch.exp(rate * x.detach().to(torch.complex128))).imag.to(x.dtype)


def places(draw, dtype=torch.float32):
    return [draw.tensor(*shape, dtype=dtype, low=-1.5, high=1.5, requires_grad=True) for shape in SHAPES]


def compare(answer, x, n, tolerance):
    got = answer.call("nth_derivative", x, n)
    expected = right(x, n)
    assert close(got, expected, **tolerance), known_mistake(got, x, n, tolerance)


def known_mistake(got, x, n, tolerance):
    """What to say of a value that is wrong in a way we know; "" leaves it to the comparison."""
    for other in range(n + 3):
        if other != n and close(got, right(x, other), **tolerance).holds:
            return f"For n = {n} you return derivative number {other}. How often does the loop run?"
    total = sum(right(x, number) for number in range(1, n + 1))
    if n > 1 and close(got, total, **tolerance).holds:
        return f"For n = {n} you return the sum of derivatives 1 to {n}: backward() has added each to x.grad."
    return ""


@check("n = 0 and n = 1 are right", hint="n = 0 is f(x) itself. torch.autograd.grad returns a tuple.")
def first(answer, draw):
    for n in (0, 1):
        for x in places(draw):
            compare(answer, x, n, TOLERANCE)


@check(
    "higher derivatives are right",
    points=2,
    hint="create_graph=True records how a gradient was computed, so that it has a gradient in its turn.",
)
def higher(answer, draw):
    for n in (2, draw.choice([3, 4])):
        for x in places(draw):
            compare(answer, x, n, TOLERANCE)


@check(
    "the result can be differentiated again",
    points=2,
    hint="Pass create_graph=True in the last round too. torch.autograd.grad leaves x.grad alone.",
)
def again(answer, draw):
    for n in (0, 1, 2):
        for x in places(draw):
            tracked = answer.call("nth_derivative", x, n).requires_grad
            assert tracked, f"For n = {n} nothing leads from the result back to x."
            got = answer.gradient("nth_derivative", x, n)
            assert got is not None, f"For n = {n} nothing leads from the result back to x."
            assert close(got, right(x, n + 1), **TOLERANCE)


@check(
    "the work is done in the dtype of x",
    hint="Make no tensors of your own: those that f returns have the dtype of x.",
)
def double_precision(answer, draw):
    for x in places(draw, torch.float64):
        got = answer.call("nth_derivative", x, 3)
        assert got.dtype == torch.float64
        compare(answer, x, 3, {"rtol": 1e-7, "atol": 1e-8})


@mistake("n = 0 and n = 1 are right", "higher derivatives are right")
def a_tuple(answer):
    leaf = torch.tensor([0.5], requires_grad=True)
    if answer.call("nth_derivative", leaf, 1).kind == "tuple":
        return "torch.autograd.grad returns a tuple, here of one gradient: (value,) = … takes it out."
    return None
