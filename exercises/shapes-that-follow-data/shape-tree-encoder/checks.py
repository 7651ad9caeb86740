from graders.checks import check, close, mistake

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}
WORDS = 6


def trees(draw):
    """A word, a pair, and larger trees that lean to the left, to the right, and to both sides."""
    a, b, c, d, e, f = draw.shuffled(list(range(WORDS)))
    return [a, (a, b), ((a, b), c), (a, (b, c)), ((a, b), (c, d)), (((f, a), b), (c, (d, (e, a))))]


@check(
    "the values are those of the reference",
    points=2,
    hint="Call the model itself on left and on right, and keep their order.",
)
def values(answer, draw, reference):
    for dtype in ("float", "double"):
        right = getattr(reference.TreeEncoder(WORDS, 3), dtype)()
        model = answer.make("TreeEncoder", WORDS, 3)
        model.call(dtype)
        model.call("load_state_dict", right.state_dict())
        for tree in trees(draw):
            assert close(model(tree), right(tree), **TOLERANCE)


@check(
    "the gradients follow the tree",
    points=2,
    hint="Something on the way back may be cut, or merge is used where it should not be.",
)
def gradients(answer, draw, reference):
    for tree in trees(draw):
        right = reference.TreeEncoder(WORDS, 3)
        model = answer.make("TreeEncoder", WORDS, 3, state=right.state_dict())
        right(tree).sum().backward()
        got = model.gradients(tree)
        for name, parameter in right.named_parameters():
            if parameter.grad is None:
                assert got[name] is None, (
                    f"The tree is one word, so {name} was not used: its gradient should be None."
                )
            else:
                assert close(got[name], parameter.grad, rtol=1e-3, atol=1e-5)


@check("the graph grows with the tree", hint="Each pair goes through merge once, in a call of its own.")
def growth(answer, draw):
    model = answer.make("TreeEncoder", WORDS, 3)
    _, pair, three, _, _, seven = trees(draw)
    small, middle, large = (model(tree).graph.nodes for tree in (pair, three, seven))
    assert small < middle < large, (
        f"For 1, 2 and 6 pairs the graph has {small}, {middle} and {large} nodes: it does not grow."
    )


@mistake("the values are those of the reference")
def right_before_left(answer, draw, reference):
    right = reference.TreeEncoder(WORDS, 3)
    model = answer.make("TreeEncoder", WORDS, 3, state=right.state_dict())
    one, other = draw.shuffled(list(range(WORDS)))[:2]
    if close(model((one, other)), right((other, one)), **TOLERANCE).holds:
        return (
            f"For {(one, other)} your model gives what {(other, one)} should give: "
            f"left and right have changed places."
        )
    return None
