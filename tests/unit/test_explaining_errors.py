"""From an exception to a report: the place in the learner's code, the unchanged text, and our explanation."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from graders import wire
from graders.inside import explain
from graders.inside.source import Source, read
from graders.verdict import ErrorReport

HEADER = "import torch\n"


def report_of(text: str) -> ErrorReport:
    """Run a trusted text as the learner's and report what it raises."""
    found = read(text)
    lines = text.split("\n")
    if not isinstance(found, Source):
        assert found.error is not None
        return ErrorReport.from_json(explain.report(found.error, lines))
    try:
        exec(found.code, {"__name__": "__main__"})
    except BaseException as error:
        report = explain.report(error, lines)
        wire.encode({"raised": report})
        return ErrorReport.from_json(report)
    raise AssertionError("nothing was raised")


def marked(text: str, report: ErrorReport) -> str:
    """The part of the line that the report points at."""
    assert report.line is not None
    return text.split("\n")[report.line - 1][report.column : report.end_column]


CLASSIC = {
    "number from item": (
        "x = torch.tensor(1.0, requires_grad=True)\ny = x.item() * 2\ny.backward()",
        "y.backward",
        "A plain number or NumPy array (float)",
        "Compute with the tensor itself",
    ),
    "array from numpy": (
        "x = torch.ones(2, requires_grad=True)\ny = x.detach().numpy() * 2\ny.backward()",
        "y.backward",
        "NumPy array (numpy.ndarray)",
        "Compute with the tensor itself",
    ),
    "cut by data": (
        "x = torch.tensor(1.0, requires_grad=True)\ny = x.data * 2\ny.backward()",
        "y.backward()",
        "without a graph behind it",
        "compute the result from that very tensor",
    ),
    "gradient that is None in a step": (
        "w = torch.tensor(1.0, requires_grad=True)\nw = w - 0.1 * w.grad",
        "0.1 * w.grad",
        ".grad was used although it is None",
        "call backward() on the result",
    ),
    "no graphics card": (
        "x = torch.ones(2, device='cuda')",
        "torch.ones(2, device='cuda')",
        "graphics card",
        "torch.cuda.is_available()",
    ),
    "two devices": (
        "x = torch.ones(2, device='meta') + torch.ones(2)",
        "torch.ones(2, device='meta') + torch.ones(2)",
        "different devices",
        "one device",
    ),
    "sub-expression of several lines": (
        "y = (torch.ones(2).sum()\n     + torch.relu(torch.ones(2, 3) @ torch.ones(2, 3)))",
        "torch.ones(2, 3) @ torch.ones(2, 3)",
        "2x3 cannot be multiplied",
        ".shape",
    ),
    "integers require grad": (
        "x = torch.tensor(2, requires_grad=True)",
        "torch.tensor(2, requires_grad=True)",
        "whole numbers",
        "decimal point",
    ),
    "integers require grad later": (
        "x = torch.tensor(2)\nx.requires_grad_()",
        "x.requires_grad_()",
        "whole numbers",
        "decimal point",
    ),
    "second backward": (
        "x = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\ny.backward()",
        "y.backward()",
        "walked backward twice",
        "retain_graph=True",
    ),
    "leaf in place": (
        "w = torch.tensor(2.0, requires_grad=True)\nw -= 0.1",
        "w -= 0.1",
        "changed in place",
        "no_grad",
    ),
    "part of a leaf in place": (
        "w = torch.ones(3, requires_grad=True)\nw[0] = 2",
        "w[0]",
        "changed in place",
        "no_grad",
    ),
    "saved result in place": (
        "x = torch.tensor(2.0, requires_grad=True)\ny = x.exp()\ny += 1\ny.backward()",
        "y.backward()",
        "overwritten in place (it came from Exp",
        "y = y + 1",
    ),
    "no graph": (
        "x = torch.tensor(2.0)\n(x * 3).backward()",
        "(x * 3).backward()",
        "without a graph",
        "requires_grad=True",
    ),
    "not a scalar": (
        "x = torch.ones(3, requires_grad=True)\n(x * 3).backward()",
        "(x * 3).backward()",
        "more than one element",
        "sum()",
    ),
    "dtypes of a product": (
        "a = torch.ones(2, 3)\nb = torch.ones(3, 2, dtype=torch.float64)\nc = a @ b",
        "a @ b",
        "different dtypes",
        "x.to(w.dtype)",
    ),
    "dtypes of a layer": (
        "torch.nn.Linear(3, 2)(torch.ones(2, 3, dtype=torch.float64))",
        "torch.nn.Linear(3, 2)(torch.ones(2, 3, dtype=torch.float64))",
        "Double and Float",
        "x.to(w.dtype)",
    ),
    "shapes of a product": (
        "a = torch.ones(2, 3)\nc = a @ torch.ones(2, 3)",
        "a @ torch.ones(2, 3)",
        "2x3 cannot be multiplied by one of 2x3",
        "transpose",
    ),
    "shapes of a sum": (
        "c = torch.ones(2, 3) + torch.ones(4)",
        "torch.ones(2, 3) + torch.ones(4)",
        "one has 3 where the other has 4",
        ".shape",
    ),
    "numpy": (
        "x = torch.ones(2, requires_grad=True)\nx.numpy()",
        "x.numpy()",
        "NumPy array",
        "detach().numpy()",
    ),
    "grad that is None": (
        "x = torch.tensor(2.0, requires_grad=True)\nx.grad.item()",
        "x.grad.item",
        "it is None",
        "backward()",
    ),
    "unused in the graph": (
        "a, b = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)\n"
        "torch.autograd.grad(a, b)",
        "torch.autograd.grad(a, b)",
        "does not depend on",
        "copy",
    ),
    "item of many": ("torch.ones(2).item()", "torch.ones(2).item()", "2 elements", "mean().item()"),
    "truth of many": ("if torch.ones(2) > 0: pass", "torch.ones(2) > 0", "several values", "torch.where"),
    "input size": (
        "torch.nn.RNNCell(3, 5)(torch.ones(2, 4))",
        "torch.nn.RNNCell(3, 5)(torch.ones(2, 4))",
        "inputs of size 3 and got 4",
        ".shape",
    ),
    "stack": (
        "torch.stack([torch.ones(2), torch.ones(3)])",
        "torch.stack([torch.ones(2), torch.ones(3)])",
        "different sizes",
        "padded",
    ),
    "empty stack": ("torch.stack([])", "torch.stack([])", "empty list", "length"),
    "view": ("torch.ones(3).view(2, 2)", "torch.ones(3).view(2, 2)", "[2, 2]", "-1"),
    "mean of whole numbers": (
        "torch.tensor([1, 2]).mean()",
        "torch.tensor([1, 2]).mean()",
        "needs decimal numbers",
        ".float()",
    ),
    "packing order": (
        "pack = torch.nn.utils.rnn.pack_padded_sequence\n"
        "pack(torch.ones(2, 3, 1), torch.tensor([1, 3]), True)",
        "pack(torch.ones(2, 3, 1), torch.tensor([1, 3]), True)",
        "longest to shortest",
        "enforce_sorted=False",
    ),
    "no memory": ("torch.empty(10**14)", "torch.empty(10**14)", "not enough memory", ".shape"),
    "made-up keyword": (
        "x = torch.tensor(2.0, graph_static=True)",
        "torch.tensor(2.0, graph_static=True)",
        "no argument called graph_static",
        "requires_grad=True",
    ),
    "module without super": (
        "class M(torch.nn.Module):\n    def __init__(self):\n        self.fc = torch.nn.Linear(1, 1)\nM()",
        "self.fc",
        "before the module was set up",
        "super().__init__()",
    ),
    "module without forward": (
        "torch.nn.Module()(1)",
        "torch.nn.Module()(1)",
        "no forward",
        "def forward",
    ),
    "misspelt name": ("total = 1\nprint(totl)", "totl", "name totl", "Did you mean total?"),
    "missing argument": ("def f(a, b): pass\nf(1)", "f(1)", "'b'", "`def` line"),
    "too many arguments": ("def f(a): pass\nf(1, 2)", "f(1, 2)", "more arguments", "`def` line"),
    "local before its value": ("n = 1\ndef f():\n    n += 1\nf()", "n", "n is read", "argument"),
    "missing module": ("import tensorflow_of_old", None, "no module tensorflow_of_old", "spelling"),
    "index": ("[1, 2][2]", "[1, 2][2]", "does not exist", "length"),
    "endless recursion": ("def f(): f()\nf()", "f()", "too many times", "does not call itself"),
    "sys.exit": ("import sys; sys.exit()", "sys.exit()", "ended itself", "Take that call out"),
    "interrupt": ("raise KeyboardInterrupt", "raise KeyboardInterrupt", "interrupted itself", "Take out"),
    "generator exit": ("raise GeneratorExit", "raise GeneratorExit", "outside of a generator", "Take out"),
    "open bracket": ("x = (1,\ny = 2", "(", "bracket ( was opened", "marked line"),
    "missing colon": ("if True\n    pass", "", "colon", "Put :"),
    "indentation": ("x = 1\n  y = 2", None, "blanks", "four spaces"),
}


@pytest.mark.parametrize("case", CLASSIC)
def test_a_classic_error_is_explained_at_its_place(case: str) -> None:
    text, place, what, hint = CLASSIC[case]
    report = report_of(HEADER + text)
    assert what in report.what, report
    assert report.why
    assert hint in report.hint, report
    if place:
        assert marked(HEADER + text, report) == place


AUTOGRAD = list(CLASSIC)[: list(CLASSIC).index("item of many")]


@pytest.mark.parametrize("case", AUTOGRAD)
def test_beside_the_explanation_stands_the_text_as_it_was_raised(case: str) -> None:
    text = HEADER + CLASSIC[case][0]
    with pytest.raises(Exception) as raised:  # noqa: PT011 -- each case raises its own
        exec(text, {"__name__": "__main__"})
    report = report_of(text)
    assert (report.type, report.message) == (type(raised.value).__name__, str(raised.value))


def test_a_call_within_a_call_is_marked_and_not_the_whole_line() -> None:
    text = HEADER + "y = torch.relu(torch.ones(2).sum() + (torch.ones(2, 3) @ torch.ones(4)).sum()) * 2"
    assert marked(text, report_of(text)) == "torch.ones(2, 3) @ torch.ones(4)"


def test_the_original_text_stays_beside_the_explanation() -> None:
    report = report_of(HEADER + "x = torch.tensor(2, requires_grad=True)")
    assert report.message == "Only Tensors of floating point and complex dtype can require gradients"
    assert report.type == "RuntimeError"


def test_an_error_that_nobody_knows_has_no_explanation_and_keeps_its_place() -> None:
    report = report_of("x = {}\nx['key']")
    assert (report.what, report.why, report.hint) == ("", "", "")
    assert (report.type, report.message, report.line) == ("KeyError", "'key'", 2)


def test_frames_of_libraries_are_folded_and_counted() -> None:
    report = report_of(HEADER + "def step(y):\n    y.backward()\nstep(torch.ones(1))")
    assert [(frame.line, frame.function, frame.text) for frame in report.frames] == [
        (4, "<module>", "step(torch.ones(1))"),
        (3, "step", "y.backward()"),
    ]
    assert report.folded_frames >= 1
    assert report.line == 3


def test_a_deep_recursion_is_told_in_few_frames() -> None:
    report = report_of("def a(n): return b(n)\ndef b(n): return a(n)\na(1)")
    assert len(report.frames) == explain.MAX_FRAMES
    assert report.folded_frames > 900


def test_columns_count_characters_and_not_bytes() -> None:
    text = "é = 'ü'; é.höhe"
    assert marked(text, report_of(text)) == "é.höhe"


def test_an_expression_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    text = "x = int(\n    'no number'\n)"
    report = report_of(text)
    assert (report.line, marked(text, report)) == (1, "int(")


EVIL = """
class Evil(Exception):
    def __str__(self): {body}
    __repr__ = __str__
raise Evil()
"""


@pytest.mark.parametrize("body", ["raise SystemExit", "return 5", "raise self", "return None"])
def test_an_exception_whose_text_cannot_be_made_is_still_reported(body: str) -> None:
    report = report_of(EVIL.format(body=body))
    assert report.type == "Evil"
    assert "its text could not be made" in report.message


def test_a_text_of_a_subclass_of_str_is_taken_without_its_methods() -> None:
    text = """
class Text(str):
    def __len__(self): raise SystemExit
    __getitem__ = encode = __format__ = __len__
class Evil(Exception):
    def __str__(self): return Text("plain")
raise Evil()
"""
    assert report_of(text).message == "plain"


def test_a_class_that_lies_about_what_it_is_is_reported_under_its_own_name() -> None:
    text = """
class Evil(Exception):
    @property
    def __class__(self): raise SystemExit
    @property
    def __traceback__(self): raise SystemExit
    def __getattribute__(self, name): raise SystemExit
raise Evil("text")
"""
    report = report_of(text)
    assert (report.type, report.line) == ("Evil", 8)


def test_a_message_of_4_000_characters_is_whole_and_a_longer_one_says_where_it_was_cut() -> None:
    assert report_of("raise ValueError('x' * 4000)").message == "x" * 4000
    assert report_of("raise ValueError('x' * 4001)").message.endswith("(cut after 4,000 of 4,001 characters)")


def test_a_lone_surrogate_in_a_message_is_written_out() -> None:
    assert report_of("raise ValueError('\\ud800')").message == "\\ud800"


@pytest.mark.parametrize(
    "text",
    [
        "e = ValueError(0)\nfor i in range(5000): e, e.__context__ = ValueError(i), e\nraise e",
        "e = ValueError(1)\nfor _ in range(2000): e = ExceptionGroup('g', [e])\nraise e",
        "raise ExceptionGroup('wide', [ValueError(i) for i in range(20_000)])",
    ],
    ids=["chain", "nested group", "wide group"],
)
def test_a_bomb_of_exceptions_gives_a_small_report(text: str) -> None:
    assert len(wire.encode({"raised": vars_of(report_of(text))})) < 20_000


def vars_of(report: ErrorReport) -> dict[str, Any]:
    return {**vars(report), "frames": [vars(frame) for frame in report.frames]}


def test_explaining_works_near_the_end_of_the_stack() -> None:
    limit = sys.getrecursionlimit()
    text = "def f(): f()\nf()"
    try:
        sys.setrecursionlimit(300)
        assert report_of(text).type == "RecursionError"
    finally:
        sys.setrecursionlimit(limit)
