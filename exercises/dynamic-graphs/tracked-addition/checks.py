from graders.checks import check, close


@check(
    "a and b are floats that require gradients",
    hint="Write the numbers with a decimal point and pass requires_grad=True.",
)
def leaves(answer):
    for name, value in (("a", 2.0), ("b", 3.0)):
        number = answer[name]
        assert number.dtype in ("float16", "bfloat16", "float32", "float64")
        assert number == value
        assert number.requires_grad


@check("c is 5.0 and has a grad_fn", hint="Add the two tensors themselves: c = a + b.")
def tracked_sum_of_the_snippet(answer):
    assert answer["c"] == 5.0
    assert answer["c"].grad_fn is not None


@check("both gradients are 1.0", hint="c.backward() sends the gradient back to a and b.")
def gradients(answer):
    assert answer["a"].grad == 1.0
    assert answer["b"].grad == 1.0


@check(
    "any two numbers are added and tracked",
    points=2,
    hint="Make a tensor with requires_grad=True from each number, and return their sum as it is.",
)
def tracked_sum_of_drawn_numbers(answer, draw):
    for first, second in zip(draw.floats(-4, 4, n=4), draw.floats(-4, 4, n=4), strict=True):
        total = answer.call("tracked_sum", first, second)
        assert close(total, first + second)
        assert total.grad_fn is not None
        assert len(total.graph.leaves) == 2
