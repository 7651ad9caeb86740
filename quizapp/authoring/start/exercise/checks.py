from graders.checks import check, close, mistake


@check("the slope is that of x²", hint="Call backward() on x * x, then read x.grad.")
def slopes(answer, draw):
    for value in draw.floats(-3, -1, n=2) + draw.floats(1, 3, n=2):
        assert close(answer.call("slope", value), 2 * value)


@mistake("the slope is that of x²")
def value_for_slope(answer, draw):
    (value,) = draw.floats(2.5, 3, n=1)
    if close(answer.call("slope", value), value * value):
        return "That is the value of x², not its slope."
    return None
