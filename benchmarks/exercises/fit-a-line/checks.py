from graders.checks import check, close


@check("the line is the reference's", hint="Clear the gradients before each step, and take every step.")
def line(answer, draw, reference):
    for steps in (1, 5, 20):
        xs = draw.tensor(8, low=-2.0, high=2.0)
        ys = draw.floats(1, 3, n=1)[0] * xs + draw.floats(-1, 1, n=1)[0]
        w, b = answer.call("fit", xs, ys, steps)
        right_w, right_b = reference.fit(xs, ys, steps)
        assert close(w, right_w, rtol=1e-4, atol=1e-5)
        assert close(b, right_b, rtol=1e-4, atol=1e-5)
