from graders.checks import check, close, mistake


@check("x.grad is 6.0", hint="Send the gradient back with z.backward(), through the branch that y chooses.")
def gradient_of_the_snippet(answer):
    assert answer["z"].grad_fn is not None  # a gradient that was only written into x has no graph behind it
    assert answer["x"].grad == 6.0


@check(
    "the gradient follows the branch",
    points=2,
    hint="Compute z from the value that is given, through the branch, and let backward() find the gradient.",
)
def both_branches(answer, draw):
    # 0.75 is the edge, where 2x is 1.5: four inputs on each side, clear of it under every seed.
    inputs = draw.floats(-2, 0.7, n=4) + draw.floats(0.8, 2, n=4)
    for x, got in zip(inputs, answer.call_many("gradient_at", inputs), strict=True):
        right, other = (6.0, 8.0) if 2 * x > 1.5 else (8.0, 6.0)
        assert close(got, right), known_mistake(got, x, right, other)


def known_mistake(got, x, right, other):
    """What to say of a value that is wrong in a way we know; "" leaves it to the comparison."""
    if close(got, other).holds:
        return (
            f"{got.name} is {other}, the gradient of the other branch: 2x is {2 * x} there. Expected {right}."
        )
    if close(got, right * x).holds:
        return f"{got.name} is {got.short()}, the value of z. Its gradient is asked for; expected {right}."
    return ""


@mistake("the gradient follows the branch")
def one_leaf_for_all_calls(answer):
    first, second = answer.call_many("gradient_at", [1.0, 1.0])
    if close(second, first.item() + 6.0).holds:
        return (
            f"Called twice with 1.0, gradient_at gives {first.short()} and then {second.short()}: "
            "each gradient is added to those of the calls before. Make a new leaf in each call."
        )
    return None


@mistake("the gradient follows the branch")
def written_by_hand(source):
    if source.assigns("grad") and not source.calls("backward"):
        return (
            "Your code stores a number in .grad itself and never calls backward(), "
            "which finds it for every input."
        )
    return None
