import torch

from graders.checks import check, close, mistake

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
DEPTH = 4


def confidences(model, x):
    """The largest probability after each block."""
    found = []
    with torch.no_grad():
        for block in model.blocks:
            x = torch.tanh(block(x))
            found.append(torch.softmax(model.head(x), dim=0).max().item())
    return found


def case(draw, reference, stop, dtype=torch.float32):
    """A reference, an input and a threshold at which it stops after block `stop` (DEPTH:
    never before the end).

    The confidences are well apart, so that rounding cannot change where it stops.
    """
    right = reference.EarlyExit(3, 4, DEPTH).to(dtype)
    while True:
        with torch.no_grad():
            for parameter in right.parameters():
                parameter.copy_(draw.tensor(*parameter.shape, dtype=dtype, low=-1.5, high=1.5))
        x = draw.tensor(3, dtype=dtype)
        found = confidences(right, x)
        before = max(found[: stop - 1], default=0.0)
        if found[stop - 1] > before + 0.02:
            return right, x, (found[stop - 1] + before) / 2


def load(answer, right, dtype=torch.float32):
    model = answer.make("EarlyExit", 3, 4, DEPTH)
    if dtype == torch.float64:
        model.call("double")
    model.call("load_state_dict", right.state_dict())
    return model


@check(
    "the model stops at the right block",
    points=2,
    hint="Compare the largest probability after each block with the threshold.",
)
def values(answer, draw, reference):
    for dtype in (torch.float32, torch.float64):
        for stop in range(1, DEPTH + 1):
            right, x, threshold = case(draw, reference, stop, dtype)
            model = load(answer, right, dtype)
            for limit in (threshold, 2.0):  # 2.0 is never reached
                got = model(x, limit)
                assert close(got, right(x, limit), **TOLERANCE)
                assert not got.changed


@check("the threshold itself is enough", hint="At least means >=.")
def edge(answer, draw, reference):
    right = case(draw, reference, 1)[0]
    with torch.no_grad():
        right.head.weight.zero_()
        right.head.bias.zero_()  # every class then has the probability 1/4, exactly
    model = load(answer, right)
    got = model.gradients(draw.tensor(3), 0.25)
    assert got["blocks.0.weight"] is not None
    assert got["blocks.1.weight"] is None, (
        "The confidence was 0.25 after the first block, and so was the threshold, but a second block was run."
    )


@check(
    "only blocks that ran have gradients",
    points=2,
    hint="Leave the loop as soon as the model is sure, and keep the graph whole.",
)
def gradients(answer, draw, reference):
    for stop, never in [*((stop, False) for stop in range(1, DEPTH + 1)), (DEPTH, True)]:
        right, x, threshold = case(draw, reference, stop)
        threshold = 2.0 if never else threshold  # 2.0 is never reached, so all blocks run
        model = load(answer, right)
        right(x, threshold).sum().backward()
        got = model.gradients(x, threshold)
        for name, parameter in right.named_parameters():
            if parameter.grad is None:
                assert got[name] is None, (
                    f"The model should have stopped after {stop} of {DEPTH} blocks, but "
                    f"{name} was used: its gradient is not None."
                )
            else:
                assert close(got[name], parameter.grad, rtol=1e-3, atol=1e-5)
        leaf = x.clone().requires_grad_()
        leaves = sum(node.leaf is not None for node in model(leaf, threshold).graph.listed)
        assert leaves == 3 + 2 * stop, (
            f"The logits lead back to {leaves} leaves; expected {3 + 2 * stop}: x, "
            f"the head's two, and two of each block that ran."
        )


@mistake("the model stops at the right block")
def never_stops(answer, draw, reference):
    right, x, threshold = case(draw, reference, 2)
    if close(load(answer, right)(x, threshold), right(x, 2.0), **TOLERANCE).holds:
        return (
            f"The model should stop after 2 of {DEPTH} blocks here, and yours gives "
            f"the logits of the last block."
        )
    return None
