import torch

from graders.checks import check, close, mistake

# Products may be summed in another order than ours.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
SIZES = ((3, 2), (2, 4), (4, 1))  # size and depth


def plain(right, x):
    """What the blocks give without any checkpoint."""
    for block in right.blocks:
        x = torch.tanh(block.linear(x))
    return x


def cases(answer, draw, reference, mode):
    """Reference models with drawn weights, the learner's with the same, in this mode; an input for both."""
    for size, depth in SIZES:
        right = reference.Deep(size, depth)
        with torch.no_grad():
            for parameter in right.parameters():
                parameter.copy_(draw.tensor(*parameter.shape))
        model = answer.make("Deep", size, depth, state=right.state_dict())
        model.call(mode)
        yield right, model, draw.tensor(5, size)


@check("the values are those of the plain blocks", hint="The output of each block is the input of the next.")
def values(answer, draw, reference):
    for mode in ("train", "eval"):
        for right, model, x in cases(answer, draw, reference, mode):
            assert close(model(x), plain(right, x), **TOLERANCE)
    model = answer.make("Deep", 3, 2)
    model.call("double")
    assert model(draw.tensor(2, 3, dtype=torch.float64)).dtype == torch.float64


@check(
    "the gradients are those of the plain blocks",
    points=2,
    hint="Look for what cuts: detach(), no_grad(), or use_reentrant=True, which wants a tracked input.",
)
def gradients(answer, draw, reference):
    for mode in ("train", "eval"):
        for right, model, x in cases(answer, draw, reference, mode):
            right.zero_grad()
            plain(right, x).sum().backward()
            got = model.gradients(x)
            for name, parameter in right.named_parameters():
                assert got[name] is not None
                assert close(got[name], parameter.grad, **TOLERANCE)


def counts(model, x):
    """What runs() gives at the start, after a forward pass, and after one more with backward."""
    yield model.call("runs")
    model(x)
    yield model.call("runs")
    model.gradients(x)
    yield model.call("runs")


@check("training runs each block again", points=2, hint="checkpoint(block, x, use_reentrant=False)")
def training(answer, draw, reference):
    for right, model, x in cases(answer, draw, reference, "train"):
        depth = len(right.blocks)
        start, forward, both = counts(model, x)
        assert start == [0] * depth, f"runs() gives {start.short()} for {depth} blocks that have not run yet."
        assert forward == [1] * depth, (
            f"After one forward pass in training mode runs() gives {forward.short()}; expected 1 for each."
        )
        assert both == [3] * depth, (
            "One forward pass, and one with backward: each block should have run three times. "
            f"runs() gives {both.short()}."
        )


@check("eval mode runs each block once", hint="Ask self.training.")
def evaluation(answer, draw, reference):
    for right, model, x in cases(answer, draw, reference, "eval"):
        depth = len(right.blocks)
        _, forward, both = counts(model, x)
        assert forward == [1] * depth, (
            f"After one forward pass in eval mode runs() gives {forward.short()}; expected 1 for each."
        )
        assert both == [2] * depth, (
            "One forward pass, and one with backward: in eval mode each block should have run twice. "
            f"runs() gives {both.short()}."
        )


@mistake("training runs each block again")
def nothing_left_to_run(source):
    if not source.calls("checkpoint"):
        return "Your code imports checkpoint, perhaps, but never calls it."
    return None
