from graders.checks import check, close, mistake


@check(
    "the gradient is 18 times x",
    points=2,
    hint="z is (3x) squared. Make x with requires_grad=True inside the function too, and return its grad.",
)
def gradient_of_the_function(answer, draw):
    # Clear of 0 and 2, where the value of z, 9x², equals the gradient, 18x.
    inputs = draw.floats(-3, -0.5, n=3) + draw.floats(0.5, 1.8, n=2) + draw.floats(2.2, 4, n=3)
    for x, got in zip(inputs, answer.call_many("gradient_at", inputs), strict=True):
        assert close(got, 18 * x), known_mistake(got, x)


def known_mistake(got, x):
    """What to say of a value that is wrong in a way we know; "" leaves it to the comparison."""
    if close(got, 9 * x * x).holds:
        return f"{got.name} is {got.short()}, the value of z. Its gradient is asked for; expected {18 * x}."
    if close(got, 6 * x).holds:
        return f"{got.name} is {got.short()}, the gradient for y = 3x and not yet for x; expected {18 * x}."
    return ""


@mistake("the gradient is 18 times x")
def written_by_hand(source):
    if source.assigns("grad") and not source.calls("backward"):
        return (
            "Your code stores a number in .grad itself and never calls backward(), "
            "which finds it for every input."
        )
    return None
