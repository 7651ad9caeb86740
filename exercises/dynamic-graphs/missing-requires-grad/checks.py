from graders.checks import check, close


@check(
    "the gradient is 18 times x",
    points=2,
    hint="z is (3x) squared. Make x with requires_grad=True inside the function too, and return its grad.",
)
def gradient_of_the_function(answer, draw):
    # Clear of 0 and 2, where the value 9x² of z equals the gradient 18x.
    for x in draw.floats(-3, -0.5, n=3) + draw.floats(0.5, 1.8, n=2) + draw.floats(2.2, 4, n=3):
        assert close(answer.call("gradient_at", x), 18 * x)
