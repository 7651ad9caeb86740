import torch

from graders.checks import check, close, mistake

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
COUNT = 4


def case(draw, reference, used, dtype=torch.float32, each=2):
    """A reference and rows, in drawn order, `each` for each of `used` of its experts; no
    choice is a close one."""
    right = reference.Router(3, COUNT).to(dtype)
    while True:
        with torch.no_grad():
            for parameter in right.parameters():
                parameter.copy_(draw.tensor(*parameter.shape, dtype=dtype, low=-1.5, high=1.5))
        many = draw.tensor(96, 3, dtype=dtype, low=-2.0, high=2.0)
        with torch.no_grad():
            first, second = torch.softmax(right.gate(many), dim=1).topk(2, dim=1)[0].unbind(dim=1)
            choice = right.gate(many).argmax(dim=1)
        groups = [many[(choice == number) & (first > second + 0.05)][:each] for number in range(COUNT)]
        full = draw.shuffled([group for group in groups if len(group) == each])[:used]
        if len(full) == used:
            rows = torch.cat(full)
            return right, rows[draw.shuffled(list(range(len(rows))))]


def load(answer, right, dtype=torch.float32):
    model = answer.make("Router", 3, COUNT)
    if dtype == torch.float64:
        model.call("double")
    model.call("load_state_dict", right.state_dict())
    return model


@check(
    "each row gets its own expert",
    points=2,
    hint="Pick the rows of one expert with a mask, and put its results back with the same mask.",
)
def values(answer, draw, reference):
    for dtype in (torch.float32, torch.float64):
        for used in (1, 2, 3):
            right, x = case(draw, reference, used, dtype)
            got = load(answer, right, dtype)(x)
            expected = right(x)
            weight = torch.softmax(right.gate(x), dim=1).max(dim=1)[0]
            bare = close(got, expected / weight[:, None], **TOLERANCE).holds
            assert close(got, expected, **TOLERANCE), (
                "Your rows are the experts' outputs alone: multiply each by its probability." if bare else ""
            )
            assert not got.changed


@check(
    "the gradients follow the choice",
    points=2,
    hint="Keep the graph whole, and do not call an expert without rows.",
)
def gradients(answer, draw, reference):
    for used in (1, 2, 3):
        right, x = case(draw, reference, used)
        right(x).sum().backward()
        got = load(answer, right).gradients(x)
        for name, parameter in right.named_parameters():
            if parameter.grad is None:
                assert got[name] is None, (
                    f"No row went to this expert, so the gradient of {name} should be None."
                )
            else:
                assert close(got[name], parameter.grad, rtol=1e-3, atol=1e-5)


@check("the output leads back to x", hint="Hand x to the gate and to the experts as it is.")
def reaches_x(answer, draw, reference):
    right, x = case(draw, reference, 2)
    leaf = x.clone().requires_grad_()
    graph = load(answer, right)(leaf).graph
    leaves = sum(node.leaf is not None for node in graph.listed)
    assert leaves == 7, (
        f"The output leads back to {leaves} leaves; expected 7: x, the gate's "
        f"two, and two of each expert in use."
    )


@mistake("each row gets its own expert")
def grouped_by_expert(answer, draw, reference):
    right, x = case(draw, reference, 3)
    grouped = right.gate(x).argmax(dim=1).argsort(stable=True)
    got = load(answer, right)(x)
    if close(got, right(x)[grouped], **TOLERANCE).holds and not close(got, right(x), **TOLERANCE).holds:
        return "Your rows are right, but grouped by expert: put each back where it came from."
    return None
