import torch

from graders.checks import check, close, mistake

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


@check(
    "the values are those of the reference",
    points=2,
    hint="Start each round from what the round before has left.",
)
def values(answer, draw, reference):
    for dtype in (torch.float32, torch.float64):
        right = reference.Repeated(3).to(dtype)
        model = answer.make("Repeated", 3)
        if dtype == torch.float64:
            model.call("double")
        model.call("load_state_dict", right.state_dict())
        for times in [0, 1, *draw.shuffled([2, 3, 5])]:
            x = draw.tensor(4, 3, dtype=dtype)
            got = model(x, times)
            assert close(got, right(x, times), **TOLERANCE)
            assert not got.changed


@check(
    "every round sends a gradient back",
    points=2,
    hint="Something on the way back may be cut, or the rounds have weights of their own.",
)
def gradients(answer, draw, reference):
    for times in (1, 2, 4):
        right = reference.Repeated(3)
        model = answer.make("Repeated", 3, state=right.state_dict())
        x = draw.tensor(4, 3)
        right(x, times).sum().backward()
        got = model.gradients(x, times)
        for name, parameter in right.named_parameters():
            assert close(got[name], parameter.grad, rtol=1e-3, atol=1e-5)
        graph = model(x.clone().requires_grad_(), times).graph
        leaves = sum(node.leaf is not None for node in graph.listed)
        assert leaves == 3, (
            f"The output leads back to {leaves} leaves; expected 3: x, step.weight and step.bias."
        )


@check("the graph grows with the rounds", hint="Let the loop run as often as asked.")
def growth(answer, draw):
    model = answer.make("Repeated", 3)
    x = draw.tensor(2, 3, requires_grad=True)
    sizes = [model(x, times).graph.nodes for times in (1, 2, 3, 7)]
    step = sizes[1] - sizes[0]
    even = step > 0 and sizes[2] - sizes[1] == step and sizes[3] - sizes[2] == 4 * step
    assert even, (
        f"For 1, 2, 3 and 7 rounds the graph has {', '.join(map(str, sizes))} "
        f"nodes: not the same number more for each."
    )


@mistake("the values are those of the reference")
def one_round_whatever_is_asked(answer, draw, reference):
    right = reference.Repeated(3)
    model = answer.make("Repeated", 3, state=right.state_dict())
    x = draw.tensor(2, 3)
    if close(model(x, 3), right(x, 1), **TOLERANCE).holds:
        return "For 3 rounds your model gives what 1 round gives."
    return None
