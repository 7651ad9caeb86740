"""A gradient that is missing or too large without any error: what is told, for each way to get there."""

from __future__ import annotations

import pytest
from forked import grade

CHECK = (
    "from graders.checks import check\n\n@check('it')\ndef it(answer):\n    assert answer['x'].grad == 6.0\n"
)
X = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n"


def told(source: str, check: str = CHECK) -> str:
    only = grade(source, check).only
    assert only["status"] == "failed"
    message: str = only["message"]
    return message


MISSING = {
    "no requires_grad": (
        "import torch\nx = torch.tensor(2.0)",
        "x.grad is None: x was made without requires_grad=True.",
    ),
    "no leaf": (
        X + "x = x * 2\n(x * 3).backward()",
        "x.grad is None: x is no leaf but the result of an operation (MulBackward0), "
        "and those keep no gradient without retain_grad().",
    ),
    "backward not called": (
        X + "y = x * 3\nprint(y.item())",
        "x.grad is None: backward() was not called on anything that was computed from x.",
    ),
    "item": (
        X + "y = x.item() * 3\nz = torch.tensor(y, requires_grad=True)\nz.backward()",
        "Line 3 takes a value out of the graph with .item(): no gradient finds back through it.",
    ),
    "data": (
        X + "y = (x * 3).data.requires_grad_()\ny.backward()",
        "Line 3 takes a value out of the graph with .data:",
    ),
    "numpy": (
        X + "w = torch.ones(1, requires_grad=True)\ny = x * 3\n"
        "z = w * torch.from_numpy(y.detach().numpy())\nz.sum().backward()",
        "Line 5 takes a value out of the graph with .numpy():",
    ),
    "detach": (
        X + "w = torch.ones((), requires_grad=True)\ny = x * 3\nz = w * y.detach()\nz.backward()",
        "Line 5 takes a value out of the graph with .detach():",
    ),
    "a new tensor": (
        X + "y = torch.tensor(x * 3, requires_grad=True)\ny.backward()",
        "Line 3 takes a value out of the graph with tensor(...):",
    ),
    "within a function": (
        X + "def f(v):\n    return v.detach().requires_grad_() * 3\n\nf(x).backward()",
        "Line 4 takes a value out of the graph with .detach():",
    ),
    "collected in a list": (
        X + "terms = []\nterms.append(x.detach() * 3)\nsum(terms).requires_grad_().backward()",
        "Line 4 takes a value out of the graph with .detach():",
    ),
    "no_grad": (
        X + "with torch.no_grad():\n    y = x * 3\ny.requires_grad_().backward()",
        "Nothing is recorded in the lines under torch.no_grad() in line 3.",
    ),
    "cleared": (
        X + "(x * 3).backward()\noptimizer = torch.optim.SGD([x])\noptimizer.zero_grad()",
        "Line 5 clears the gradients after the backward() in line 3.",
    ),
}

ADDED_UP = {
    "in a loop": (
        X + "for step in range(3):\n    y = x * 6\n    y.backward()",
        "x.grad is 18.0; expected 6.0. 18.0 is three times the expected 6.0: "
        "was backward called three times? Gradients add up until they are cleared (zero_grad, or "
        ".grad = None). backward() in line 5 is in the loop of line 3, and nothing in your code clears the "
        "gradients between two rounds.",
    ),
    "of steps that differ": (
        X + "for factor in (5, 6):\n    (x * factor).backward()",
        "x.grad is 11.0; expected 6.0. backward() in line 4 is in the loop of line 3, "
        "and nothing in your code clears the gradients between two rounds.",
    ),
    "line by line": (
        X + "(x * 1).backward()\n(x * 6).backward()",
        "x.grad is 7.0; expected 6.0. backward() stands in lines 3 and 4, "
        "and nothing in your code clears the gradients between.",
    ),
}


@pytest.mark.parametrize("way", MISSING)
def test_a_gradient_that_is_none_says_which_way_it_went_missing(way: str) -> None:
    source, says = MISSING[way]
    message = told(source)
    assert message.startswith("x.grad is None: ")
    assert says in message


@pytest.mark.parametrize("way", ADDED_UP)
def test_gradients_that_nobody_cleared_are_told_with_their_lines(way: str) -> None:
    source, says = ADDED_UP[way]
    assert told(source) == says


@pytest.mark.parametrize(
    "harmless",
    [
        "y = x * 3\nprint(y.item())",
        "y = x * 3 if x.item() > 1 else x * 4",
        "y = x * 3\nif y.item() > 1:\n    y = y + 1",
        "def g(v):\n    leaf = torch.tensor(v, requires_grad=True)\n    return leaf",
        "def g(v):\n    return v.grad.item()",
        "with torch.no_grad():\n    s = 0.1",
    ],
)
def test_numbers_taken_out_to_look_at_them_are_not_blamed(harmless: str) -> None:
    other = "\nw = torch.tensor(1.0, requires_grad=True)\n(w * 2).backward()\n"
    message = told(X + harmless + other)
    assert message == "x.grad is None: backward() was not called on anything that was computed from x."


def test_a_loop_that_clears_its_gradients_is_not_blamed_for_a_wrong_one() -> None:
    for clear in ("x.grad = None", "x.grad.zero_()"):
        message = told(X + f"for step in range(3):\n    (x * 5).backward()\n    {clear}\n(x * 5).backward()")
        assert message == "x.grad is 5.0; expected 6.0."


def test_a_function_is_blamed_only_if_it_works_on_that_tensor() -> None:
    loop = "    for step in range(2):\n        (x * 5).backward()\n"
    assert "in line 5 is in the loop of line 4" in told(X + "def train():\n" + loop + "train()")
    other = (
        "def gradient(value):\n    x = torch.tensor(value, requires_grad=True)\n"
        + loop
        + "    return x.grad\n"
    )
    assert told(X + other + "(x * 5).backward()") == "x.grad is 5.0; expected 6.0."


def test_gradients_that_add_up_from_call_to_call_are_recognised() -> None:
    check = (
        "from graders.checks import check, close\n\n@check('it')\ndef it(answer):\n"
        "    for x, got in zip((1, 2, 3), answer.call_many('slope', [1.0, 2.0, 3.0])):\n"
        "        assert close(got, 8.0 * x - 2)\n"
    )
    source = (
        X
        + "def slope(v):\n    x.data.fill_(v)\n    (4 * x * x - 2 * x).backward()\n    return x.grad.item()\n"
    )
    assert told(source, check) == (
        "slope(2.0) is 20.0; expected 14.0. 20.0 is the expected 14.0 and the 6.0 before it together: "
        "does something add up from call to call, as gradients do until they are cleared?"
    )
    other = "import torch\ndef slope(v):\n    return 6.0 if v == 1 else 21.0\n"
    assert told(other, check) == "slope(2.0) is 21.0; expected 14.0."


def test_what_the_text_shows_of_a_gradient_is_not_said_of_another_value() -> None:
    check = (
        "from graders.checks import check\n\n@check('it')\ndef it(answer):\n"
        "    assert answer['x'].grad is None\n    assert answer['y'] == 7\n"
    )
    assert told(X + "y = x.item() * 3\n(x.detach().requires_grad_() * 2).backward()", check) == (
        "y is 6.0; expected 7."
    )


def test_the_gradients_that_a_check_takes_itself_name_the_cut_in_the_function() -> None:
    check = (
        "from graders.checks import check, close\n\n@check('it')\ndef it(answer):\n"
        "    model = answer.make('Net')\n    got = model.gradients(1.0)\n"
        "    assert close(got['w'], 3.0)\n"
    )
    source = (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.ones(()))\n"
        "        self.b = torch.nn.Parameter(torch.ones(()))\n"
        "    def forward(self, x):\n        scaled = self.w.detach() * x\n        return scaled + self.b\n"
    )
    message = told(source, check)
    assert "no path in the graph leads from the result back to it" in message
    assert message.endswith(
        "Line 8 takes a value out of the graph with .detach(): no gradient finds back through it."
    )


@pytest.mark.parametrize(
    "text",
    ["y = x" + ".grad" * 900 + ".item()" * 10, "y = " + "x + " * 900 + "x", "y = 1\n" * 8000],
    ids=["chain", "sum", "long"],
)
def test_a_strange_text_leaves_the_check_its_own_message(text: str) -> None:
    source = X + f"(torch.ones(1, requires_grad=True) * 2).backward()\nif False:\n    {text}\n"
    assert told(source).startswith("x.grad is None: backward() was not called")
