import torch

from graders.checks import check, close

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def alone(model, x, lengths):
    """What each sequence gets by itself, (batch, hidden_size)."""
    return torch.cat([model.gru(row[None, :n])[1][0] for row, n in zip(x, lengths, strict=True)])


def pair(answer, reference, dtype=torch.float32):
    right = reference.LastState(2, 3).to(dtype)
    model = answer.make("LastState", 2, 3)
    if dtype == torch.float64:
        model.call("double")
    model.call("load_state_dict", right.state_dict())
    return right, model


@check(
    "each sequence ends at its own last step",
    points=2,
    hint="Pack with enforce_sorted=False, and take the state that the GRU returns beside its outputs.",
)
def values(answer, draw, reference):
    for dtype in (torch.float32, torch.float64):
        right, model = pair(answer, reference, dtype)
        for lengths, width in (([1, 3, 4], 4), (draw.shuffled([1, 2, 4, 5]), 5), ([2], 2), ([2, 3, 1], 5)):
            x = draw.tensor(len(lengths), width, 2, dtype=dtype)
            got = model(x, torch.tensor(lengths))
            column = close(got, right.gru(x)[0][:, -1], **TOLERANCE).holds
            assert close(got, alone(right, x, lengths), **TOLERANCE), (
                "Your states are those of the last column, padding or not." if column else ""
            )
            assert not got.changed


@check("padding has no say", hint="Go by the lengths, not by what the padding looks like.")
def padding(answer, draw, reference):
    lengths = draw.shuffled([1, 2, 4])
    x = draw.tensor(3, 6, 2)
    for fill in (0.0, 50.0):
        right, model = pair(answer, reference)
        for row, n in enumerate(lengths):
            x[row, n:] = fill
            x[row, n - 1] = 0.0  # a real step may be all zeros
        expected = alone(right, x, lengths)
        assert close(model(x, torch.tensor(lengths)), expected, **TOLERANCE)


@check(
    "the gradients are those of the sequences alone",
    points=2,
    hint="Something on the way back may be cut: look for detach(), data or no_grad().",
)
def gradients(answer, draw, reference):
    for lengths in ([1, 3, 2], draw.shuffled([2, 3, 5])):
        right, model = pair(answer, reference)
        x = draw.tensor(3, 5, 2)
        alone(right, x, lengths).sum().backward()
        got = model.gradients(x, torch.tensor(lengths))
        for name, parameter in right.named_parameters():
            assert close(got[name], parameter.grad, rtol=1e-3, atol=1e-5)
        leaf = x.clone().requires_grad_()
        leaves = sum(node.leaf is not None for node in model(leaf, torch.tensor(lengths)).graph.listed)
        assert leaves == 5, f"The states lead back to {leaves} leaves; expected 5: x and four of the GRU."
