import torch

from graders.checks import check, close, mistake

# A mean may be taken in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def cases(answer, draw, reference):
    """Reference models of drawn strengths, the learner's with the same weights, and an input for both."""
    strengths = draw.floats(0.2, 0.8, n=2) + draw.floats(1.5, 3.0, n=1)
    for strength, size, batch in zip(strengths, (2, 3, 5), (4, 1, 6), strict=True):
        right = reference.TwoBranches(size, strength)
        with torch.no_grad():
            for parameter in right.parameters():
                parameter.copy_(draw.tensor(*parameter.shape))
        model = answer.make("TwoBranches", size, strength, state=right.state_dict())
        yield right, model, draw.tensor(batch, size, low=-2.0, high=2.0)


@check("the loss has its value", hint="Both terms are means over all elements; commitment multiplies one.")
def value(answer, draw, reference):
    for right, model, x in cases(answer, draw, reference):
        got = model(x)
        assert got.shape == ()
        assert close(got, right(x), **TOLERANCE)
        assert got.requires_grad, "The loss is tracked by nobody: backward() would find no graph behind it."


@check(
    "each branch gets its own gradient",
    points=3,
    hint="In each term, detach() the side that stands still.",
)
def gradients(answer, draw, reference):
    for right, model, x in cases(answer, draw, reference):
        right.zero_grad()
        right(x).backward()
        got = model.gradients(x)
        for name, parameter in right.named_parameters():
            assert got[name] is not None
            same = close(got[name], parameter.grad, **TOLERANCE)
            assert same, known_mistake(got[name], name, parameter.grad, right.commitment)


def known_mistake(got, name, own, strength):
    """What to say of a gradient that is wrong in a way we know; "" leaves it to the comparison."""
    branch = name.partition(".")[0]
    full = own if branch == "teacher" else own / strength
    if close(got, full * (1 + strength), **TOLERANCE).holds:
        return f"{got.name} is the sum from both terms: the {branch} is not held still in the other's term."
    if close(got, full * strength if branch == "teacher" else full, **TOLERANCE).holds:
        return f"{got.name} has the strength of the other branch: in each term the wrong side is held still."
    return ""


@check("float64 stays float64", hint="Something in forward makes a tensor of another dtype.")
def double_precision(answer, draw):
    model = answer.make("TwoBranches", 3, 0.5)
    model.call("double")
    assert model(draw.tensor(2, 3, dtype=torch.float64)).dtype == torch.float64


@mistake("each branch gets its own gradient")
def recorded_by_nobody(source):
    if source.uses("no_grad") or source.uses("inference_mode"):
        line = source.line_of("no_grad") or source.line_of("inference_mode")
        return (
            f"Line {line} stops the recording for all that stands in it. "
            "Each branch is needed with its history and without: compute it as usual, detach() later."
        )
    return None
