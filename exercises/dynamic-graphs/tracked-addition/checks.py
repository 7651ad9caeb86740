import torch

from graders.checks import check, close

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def leaves(graph):
    """How many leaves a gradient would reach through this graph, named or not."""
    return sum(node.leaf is not None for node in graph.listed)


@check(
    "a and b are floats that require gradients",
    hint="Write the numbers with a decimal point and pass requires_grad=True.",
)
def two_floats(answer):
    for name, value in (("a", 2.0), ("b", 3.0)):
        number = answer[name]
        assert number == value
        assert number.kind == "tensor", f"{name} is no tensor: only a tensor can require a gradient."
        dtype = number.data.dtype
        is_float = dtype in [str(known).removeprefix("torch.") for known in FLOATS]
        assert is_float, f"{name} holds {dtype} values; only floats, such as float32, can have a gradient."
        assert number.requires_grad


@check("c is 5.0 and has a grad_fn", hint="Add the two tensors themselves: c = a + b.")
def tracked_sum_of_the_snippet(answer):
    assert answer["c"] == 5.0
    assert answer["c"].grad_fn is not None


@check("both gradients are 1.0", hint="c.backward() sends the gradient back to a and b.")
def gradients(answer):
    for name, other in (("a", 3.0), ("b", 2.0)):
        grad = answer[name].grad
        product = f"{grad.name} is {other}, the value of the other number: that is the gradient of a product."
        assert grad == 1.0, product if (grad == other).holds else ""


@check(
    "any two numbers are added and tracked",
    points=2,
    hint="Make a tensor with requires_grad=True from each number, and return their sum as it is.",
)
def tracked_sum_of_drawn_numbers(answer, draw):
    pairs = list(zip(draw.floats(-4, 4, n=4), draw.floats(-4, 4, n=4), strict=True))
    for (first, second), total in zip(pairs, answer.call_many("tracked_sum", pairs), strict=True):
        assert close(total, first + second)
        assert total.grad_fn is not None
        found = leaves(total.graph)
        assert found == 2, f"{total.name} leads back to {found} of the two numbers."
