import torch

from graders.checks import check, close, mistake

# Products may be summed in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def case(answer, draw, reference, size=2):
    """A reference model with drawn weights, the learner's with the same, and an input for both."""
    right = reference.Sandwich(size)
    with torch.no_grad():
        for parameter in right.parameters():
            parameter.copy_(draw.tensor(*parameter.shape))
    return right, answer.make("Sandwich", size, state=right.state_dict()), draw.tensor(4, size)


def same_gradients(model, right, x, frozen=()):
    """Assert that the model learns as the reference does, the frozen parameters apart."""
    right.zero_grad()
    right(x).sum().backward()
    got = model.gradients(x)
    for name, parameter in right.named_parameters():
        if name in frozen:
            assert got[name] is None, f"{name} is frozen, and still a gradient arrives at it."
        else:
            assert got[name] is not None
            assert close(got[name], parameter.grad, **TOLERANCE)


MIDDLE = ("middle.weight", "middle.bias")
ALL = ["bottom.weight", "bottom.bias", *MIDDLE, "top.weight", "top.bias"]


@check(
    "frozen, the others learn as before",
    points=2,
    hint="Freeze the middle's parameters, not its computation: the bottom's gradient passes through it.",
)
def frozen(answer, draw, reference):
    for size in (2, 4):
        right, model, x = case(answer, draw, reference, size)
        model.call("freeze_middle")
        assert close(model(x), right(x), **TOLERANCE)
        same_gradients(model, right, x, MIDDLE)
    for name, tensor in right.state_dict().items():
        assert close(model.state()[name], tensor), (
            f"{name} was changed: freezing leaves the weights as they are."
        )


@check("after unfreezing all of it learns", hint="Set the same flags again, to True.")
def unfrozen(answer, draw, reference):
    right, model, x = case(answer, draw, reference)
    same_gradients(model, right, x)
    for _ in range(2):
        model.call("freeze_middle")
        model.call("unfreeze_middle")
    same_gradients(model, right, x)


@check("the names are those that learn", hint="Ask each parameter of named_parameters() for requires_grad.")
def names(answer):
    model = answer.make("Sandwich", 3)
    rest = [name for name in ALL if name not in MIDDLE]
    for method, wanted in (
        (None, ALL),
        ("freeze_middle", rest),
        ("freeze_middle", rest),
        ("unfreeze_middle", ALL),
    ):
        if method is not None:
            model.call(method)
        assert model.call("trainable_names") == wanted


@mistake()
def an_attribute_of_the_module(source, answer):
    if (
        source.assigns("requires_grad")
        and not source.calls("requires_grad_")
        and not source.uses("parameters")
    ):
        return (
            f"Line {source.line_of('requires_grad')} gives the module an attribute that nobody reads: "
            "the flag that counts is on its parameters."
        )
    return None


@mistake("frozen, the others learn as before")
def computed_without_recording(source):
    if source.uses("no_grad") or source.uses("detach"):
        line = source.line_of("no_grad") or source.line_of("detach")
        return f"Line {line} ends the way back at the middle, so what lies before it cannot learn."
    return None
