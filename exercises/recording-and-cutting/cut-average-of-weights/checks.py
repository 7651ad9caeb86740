import torch
from torch.nn.functional import linear

from graders.checks import check, close, mistake

# One formula, written in several ways.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
PARTS = ("weight", "bias")


def drawn_state(draw, inputs, outputs):
    """Weights for both layers, all different."""
    shapes = {"weight": (outputs, inputs), "bias": (outputs,)}
    return {f"{layer}.{part}": draw.tensor(*shapes[part]) for layer in ("live", "average") for part in PARTS}


@check(
    "the average starts as a copy of its own",
    hint="copy.deepcopy(self.live) has its own memory; requires_grad_(False) makes it untracked.",
)
def start(answer, draw):
    model = answer.make("Averaged", 3, 2)
    state = model.state()
    for part in PARTS:
        assert close(state[f"average.{part}"], state[f"live.{part}"].value), (
            f"average.{part} and live.{part} differ before the first update."
        )
    assert not model.call("smooth", draw.tensor(4, 3)).requires_grad, (
        "smooth(x) is tracked before the first update: the averaged parameters require gradients."
    )


@check(
    "update follows the formula",
    points=2,
    hint="Change the averaged parameters in place; the live ones are only read.",
)
def formula(answer, draw):
    for inputs, outputs in ((3, 2), (2, 4)):
        state = drawn_state(draw, inputs, outputs)
        model = answer.make("Averaged", inputs, outputs, state=state)
        for decay in draw.floats(0.1, 0.9, n=3, clear_of=[0.5]):
            model.call("update", decay)
            found = model.state()
            for part in PARTS:
                old, live = state[f"average.{part}"], state[f"live.{part}"]
                assert close(found[f"live.{part}"], live), f"update has changed live.{part}."
                right = decay * old + (1 - decay) * live
                got = found[f"average.{part}"]
                assert close(got, right, **TOLERANCE), known_mistake(got, old, live, decay)
                state[f"average.{part}"] = right


def known_mistake(got, old, live, decay):
    """What to say of an average that is wrong in a way we know; "" leaves it to the comparison."""
    if close(got, old, **TOLERANCE).holds:
        return f"{got.name} is what it was before update: nothing was changed in place."
    if close(got, (1 - decay) * old + decay * live, **TOLERANCE).holds:
        return f"{got.name} moved too far: decay is the part that stays, 1 - decay the part that is new."
    return ""


@check("nothing of it is recorded", points=2, hint="Run the whole update under torch.no_grad().")
def not_recorded(answer, draw):
    state = drawn_state(draw, 3, 2)
    model = answer.make("Averaged", 3, 2, state=state)
    x = draw.tensor(5, 3)
    nodes = []
    for decay in draw.floats(0.2, 0.8, n=3):
        model.call("update", decay)
        smooth = model.call("smooth", x)
        nodes.append(smooth.graph.nodes)
        found = {part: model.state()[f"average.{part}"].value for part in PARTS}
        assert close(smooth, linear(x, found["weight"], found["bias"]), **TOLERANCE)
    assert not smooth.requires_grad, tracked(nodes)

    right = linear(x, state["live.weight"], state["live.bias"])
    assert close(model(x), right, **TOLERANCE), "forward(x) is not what the live layer gives."
    got = model.gradients(x)
    assert close(got["live.weight"], x.sum(dim=0).expand(2, 3), **TOLERANCE)
    assert close(got["live.bias"], torch.full((2,), 5.0), **TOLERANCE)


def tracked(nodes):
    """What to say where smooth(x) has a graph. nodes: their number after each of three updates."""
    told = (
        f"After one, two and three updates {nodes[0]}, {nodes[1]} and {nodes[2]} nodes stand behind smooth(x)"
    )
    if nodes[0] < nodes[1] < nodes[2]:
        return f"{told}: each update adds to a record that nobody reads."
    return f"{told}: something that it is computed from is tracked."


@mistake("the average starts as a copy of its own", "update follows the formula")
def the_same_layer(answer):
    names = answer.make("Averaged", 2, 1).shapes
    state = {
        name: torch.full(shape, 1.0 if name.startswith("live") else 2.0) for name, shape in names.items()
    }
    found = answer.make("Averaged", 2, 1, state=state).state()
    if (found["live.weight"] == found["average.weight"].value).holds:
        return "Whatever is written into average stands in live as well: they are one layer under two names."
    return None
