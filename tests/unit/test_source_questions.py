"""Questions about a text, and numbers that are found and replaced in one."""

from __future__ import annotations

import pytest

from graders.checks import Source
from graders.inside import literals

TEXT = """
import torch

w = torch.tensor(2.0, requires_grad=True)
for step in range(3):
    loss = (w * w).sum()
    loss.backward()
total = w.detach() if step else [v for v in (1, 2)]

class Net(torch.nn.Module):
    def forward(self, x):
        return x
"""


def test_a_text_is_asked() -> None:
    source = Source(TEXT)
    assert (source.calls("backward"), source.calls("tensor"), source.calls("zero_grad")) == (1, 1, 0)
    assert source.uses("detach")
    assert source.uses("requires_grad")
    assert not source.uses("item")
    assert source.line_of("backward") == 7
    assert source.line_of("item") is None
    assert (source.line_of("Net"), source.line_of("forward")) == (10, 11)
    assert (source.assigns("loss"), source.assigns("w"), source.assigns("nothing")) == (1, 1, 0)
    assert (source.loops, source.branches) == (2, 1)
    assert source.assigns("fc") == 0
    assert source.defines("Net")
    assert source.defines("forward")
    assert not source.defines("backward")


def test_a_name_after_a_dot_can_be_assigned_to() -> None:
    source = Source("x.grad = None\nx.grad += 1\nfor grad in (1, 2): pass\nprint(x.grad)\nf(grad=1)")
    assert source.assigns("grad") == 3


def test_a_literal_is_what_a_name_is_given_as_it_stands_the_last_time() -> None:
    source = Source(
        "y = 5\nif y:\n    y = -6.0\nz = torch.tensor(6.0)\na = b = 'text'\nx.grad = 1\nx.grad = f(1)"
    )
    assert (source.literal("y"), source.literal("a"), source.literal("b")) == (-6.0, "text", "text")
    assert source.literal("z") is None
    assert source.literal("grad") is None
    assert source.literal("nothing") is None


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert Source("\ufeffx = f(1)").calls("f") == 1


def test_words_in_comments_and_strings_are_no_uses() -> None:
    source = Source('x = 1  # call backward()\ny = "detach"\n')
    assert not source.uses("backward")
    assert not source.uses("detach")


@pytest.mark.parametrize("text", ["x = (", "\0", "(" * 5000])
def test_what_is_no_python_answers_as_an_empty_text(text: str) -> None:
    source = Source(text)
    assert (source.calls("x"), source.loops, source.line_of("x")) == (0, 0, None)
    assert literals.find(text, "x", 1.0) is None


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("x = torch.tensor(1.0)", "x = torch.tensor(7.5)"),
        ("x = 1", "x = 7.5"),
        ("y = 1.0\nx: float = 1.0", "y = 1.0\nx: float = 7.5"),
        ("def f():\n    x = g(1.0, 1.0)", "def f():\n    x = g(7.5, 1.0)"),
        ("é = 'é'; x = 'é' + str(1.0)", "é = 'é'; x = 'é' + str(7.5)"),
        ("x, y = 1.0, 2.0", "x, y = 7.5, 2.0"),
        ("x = (\n    1.0\n)", "x = (\n    7.5\n)"),
        ("a = 2\r\nx = 1.0\r\n", "a = 2\nx = 7.5\n"),
        ("x = 10 ** 0 * 1e0", "x = 10 ** 0 * 7.5"),
    ],
)
def test_a_number_is_replaced_where_it_stands(text: str, changed: str) -> None:
    literal = literals.find(text, "x", 1.0)
    assert literal is not None
    assert literals.replace(text, literal, 7.5) == changed


def test_a_sign_belongs_to_the_number() -> None:
    literal = literals.find("x = -1.0 - 2", "x", -1.0)
    assert literal is not None
    assert literals.replace("x = -1.0 - 2", literal, 3.0) == "x = 3.0 - 2"
    assert literals.replace("x = -1.0 - 2", literal, -3.0) == "x = (-3.0) - 2"


@pytest.mark.parametrize(
    "text", ["y = 1.0", "x = 2.0", "x = True", "x == 1.0", "f(x=1.0)", "x = '1.0'", "x[0].y"]
)
def test_what_is_not_there_is_not_found(text: str) -> None:
    assert literals.find(text, "x", 1.0) is None
