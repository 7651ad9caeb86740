from itertools import pairwise

import torch

from graders.checks import check, close, mistake

# Products may be summed in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def network(draw, layers, dtype=torch.float32):
    """x and weights, each layer of another width than the one before."""
    widths = draw.shuffled([2, 3, 4, 5])[: layers + 1]
    weights = [
        draw.tensor(rows, columns, dtype=dtype, low=0.2, high=0.9, requires_grad=True)
        for columns, rows in pairwise(widths)
    ]
    return draw.tensor(widths[0], dtype=dtype, low=-1.0, high=1.0), weights


def by_formula(x, weights):
    """(norms, gradients of the weights), found by the chain rule without autograd."""
    states = [x]
    for w in weights:
        states.append(torch.tanh(w.detach() @ states[-1]))
    gradient, norms, grads = 2 * states[-1], [], []
    for at in reversed(range(len(weights))):
        norms.insert(0, gradient.norm())
        through = gradient * (1 - states[at + 1] ** 2)
        grads.insert(0, torch.outer(through, states[at]))
        gradient = weights[at].detach().T @ through
    return torch.stack(norms), grads


def two_things(answer, x, weights):
    got = answer.call("gradient_norms", x, *weights)
    assert len(got) == 2, f"{got.name} must be two things: the norms, and the list of gradients."
    return got[0], got[1]


@check(
    "one layer is right",
    hint="h.register_hook(function) has the function called with the gradient that arrives at h.",
)
def one_layer(answer, draw):
    for _ in range(3):
        x, weights = network(draw, 1)
        assert close(two_things(answer, x, weights)[0], by_formula(x, weights)[0], **TOLERANCE)


@check(
    "each layer has its own norm",
    points=3,
    hint="Store each norm by the number of its layer, and give each hook a number of its own.",
)
def each_layer(answer, draw):
    for layers in (2, 3):
        x, weights = network(draw, layers)
        right = by_formula(x, weights)[0]
        got = two_things(answer, x, weights)[0]
        assert close(got, right, **TOLERANCE), known_mistake(got, right)


def known_mistake(got, right):
    if close(got, right.flip(0), **TOLERANCE).holds:
        return "The norms stand in reverse: the hooks run on the way back, the last layer's first."
    if got.data.shape == tuple(right.shape) and (got.value[:-1] == 0).all() and got.value[-1] != 0:
        return (
            "Only the last place has a number in it: all hooks have written there, "
            "since a function looks its variables up when it is called."
        )
    return ""


@check(
    "the weights get their usual gradients",
    points=2,
    hint="A hook that returns a tensor replaces the gradient for the rest of the way back.",
)
def usual_gradients(answer, draw):
    for layers in (1, 2, 3):
        x, weights = network(draw, layers)
        got = two_things(answer, x, weights)[1]
        assert len(got) == layers
        for gradient, right in zip(got, by_formula(x, weights)[1], strict=True):
            assert gradient is not None
            assert close(gradient, right, **TOLERANCE)


@check("the norms have the dtype of x and no history", hint="x.new_zeros(…) has the dtype of x.")
def plain_numbers(answer, draw):
    x, weights = network(draw, 3, torch.float64)
    norms, gradients = two_things(answer, x, weights)
    assert norms.dtype == torch.float64
    assert not norms.requires_grad
    right = by_formula(x, weights)
    assert close(norms, right[0])
    for gradient, expected in zip(gradients, right[1], strict=True):
        assert close(gradient, expected)


@mistake()
def never_seen(source):
    if not source.uses("register_hook") and not source.uses("retain_grad"):
        return "h is no leaf, so its gradient passes and is not kept. register_hook sees it pass."
    return None
