"""Checks that let a mistake through are found out, by grading the mistake."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graders.exercise import Excuse, Exercise
from graders.grader import Grader
from graders.proving.killing import Fate, alike, judged, mutants_attempt, score
from graders.wire import Tensor

pytestmark = pytest.mark.sandbox

SOLUTION = """\
import torch


def halved(x):
    y = x * 0.5
    return y.sum(dim=0)
"""
HEAD = 'from graders.checks import check, close\n\n@check("it halves")\ndef halves(answer, draw):\n'
THOROUGH = HEAD + (
    "    x = draw.tensor(3, 2, low=1, high=2)\n"
    '    got = answer.call("halved", x)\n'
    "    assert close(got, x.sum(0) / 2)\n"
    "    assert not got.changed\n"
    '    assert close(answer.gradient("halved", x), x * 0 + 0.5)\n'
)
WEAK = HEAD + '    assert close(answer.call("halved", draw.tensor(2, 2)).shape[0], 2)\n'
VALUES_ONLY = HEAD + '    x = draw.tensor(3, 2)\n    assert close(answer.call("halved", x), x.sum(0) / 2)\n'


@pytest.fixture
def exercise(branch_gradient: Exercise) -> Exercise:
    return replace(
        branch_gradient,
        expects=(),
        replaces=(),
        excuses=(),
        starter="",
        solution=SOLUTION,
        checks=THOROUGH,
        wrong=(),
    )


def survivors(exercise: Exercise, grader: Grader) -> list[str]:
    return [each.mutant.change for each in judged(exercise, grader) if each.fate is Fate.SURVIVED]


def test_thorough_checks_let_nothing_through(exercise: Exercise, grader: Grader) -> None:
    proof = mutants_attempt(exercise).make(grader)
    assert (proof.ok, proof.remedy) == (True, ""), proof
    assert proof.evidence.startswith("score 1.00: ")


def test_checks_of_the_shape_alone_let_almost_everything_through(exercise: Exercise, grader: Grader) -> None:
    proof = mutants_attempt(replace(exercise, checks=WEAK)).make(grader)
    assert not proof.ok
    assert "solution.py:5: y = x * 0.5 → y = x * 1.5: passes; check that, or excuse it" in proof.remedy
    assert "return y.sum(dim=0) → return y.sum(dim=1): passes" in proof.remedy


def test_checks_of_values_alone_let_a_cut_graph_through(exercise: Exercise, grader: Grader) -> None:
    assert survivors(replace(exercise, checks=VALUES_ONLY), grader) == [
        "def halved → its body under torch.no_grad()",
        "y = x * 0.5 → y = (x * 0.5).detach()",
        "y = x * 0.5 → y = x.mul_(0.5)",
        "return y.sum(dim=0) → return y.sum(dim=0).detach()",
        "return y.sum(dim=0) → return y.sum(dim=0).data",
    ]


def test_a_mutant_that_is_no_other_program_does_not_count(exercise: Exercise, grader: Grader) -> None:
    """The second factor is always 1: twice or once makes no difference that anybody could see."""
    same = SOLUTION.replace("y = x * 0.5", "one = len(x) // len(x)\n    y = x * 0.5 * one")
    found = judged(replace(exercise, solution=same), grader)
    fates = {each.mutant.change: each.fate for each in found}
    assert fates["one = len(x) // len(x) → one = len(x) * len(x)"] is Fate.KILLED
    assert fates["y = x * 0.5 * one → y = x * 0.5 + one"] is Fate.KILLED
    lowered = SOLUTION.replace("sum(dim=0)", "sum(dim=min(0, 3))")
    fates = {each.mutant.change: each.fate for each in judged(replace(exercise, solution=lowered), grader)}
    assert fates["return y.sum(dim=min(0, 3)) → return y.sum(dim=min(0, 4))"] is Fate.EQUIVALENT


def test_a_survivor_can_be_excused_and_an_excuse_is_no_kill(exercise: Exercise, grader: Grader) -> None:
    passing = survivors(replace(exercise, checks=VALUES_ONLY), grader)
    excused = tuple(Excuse(change, "Only values are asked for.") for change in passing)
    proof = mutants_attempt(replace(exercise, checks=VALUES_ONLY, excuses=excused)).make(grader)
    assert not proof.ok  # too many excuses
    assert "less than 0.85; an excuse is no check" in proof.remedy

    square = THOROUGH.replace("x = draw.tensor(3, 2, low=1, high=2)", "x = draw.tensor(2, 2); x = x + x.T")
    left = survivors(replace(exercise, checks=square), grader)
    assert left == ["return y.sum(dim=0) → return y.sum(dim=1)"]  # though it answers these checks alike
    excuse = Excuse(left[0], "The matrix is symmetric.")
    proof = mutants_attempt(replace(exercise, checks=square, excuses=(excuse,))).make(grader)
    assert proof.ok, proof
    assert "1 excused" in proof.evidence
    assert "score 1.00" not in proof.evidence


def test_an_excuse_for_nothing_is_told(exercise: Exercise, grader: Grader) -> None:
    proof = mutants_attempt(replace(exercise, excuses=(Excuse("a → b", "Once there was one."),))).make(grader)
    assert proof.remedy.endswith(
        'item.toml: [[excuse]] "a → b": no mutant of that name passes; take the excuse out'
    )


def test_checks_that_break_on_a_mutant_are_to_be_mended(exercise: Exercise, grader: Grader) -> None:
    breaks = HEAD + '    assert answer.call("halved", draw.tensor(3, 2)).data.dtype == "float32"\n'
    proof = mutants_attempt(
        replace(exercise, checks=breaks, solution="def halved(x):\n    return x.sum() / 2\n")
    ).make(grader)
    assert "return x.sum() / 2 → return (x.sum() / 2).item(): checks.py breaks on it" in proof.remedy
    assert "AttributeError" in proof.log


def test_the_score_counts_kills_among_kills_and_survivors() -> None:
    assert score({Fate.KILLED: 3, Fate.SURVIVED: 1, Fate.EQUIVALENT: 5, Fate.UNFIT: 2}) == 0.75
    assert score({Fate.KILLED: 1, Fate.EXCUSED: 1}) == 0.5
    assert score({Fate.EQUIVALENT: 1}) is None


ONE = Tensor("float32", (1,), False, b"\x00\x00\x80?")  # 1.0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1.0, 1.0 + 1e-7, True),
        (1.0, 1.001, False),
        (float("nan"), float("nan"), True),
        (1, 1.0, False),
        ({"a": [1, "x"]}, {"a": [1, "x"]}, True),
        ({"a": 1}, {"b": 1}, False),
        ([1, 2], [1], False),
        (ONE, Tensor("float32", (1,), False, b"\x01\x00\x80?"), True),
        (ONE, Tensor("float32", (1,), True, ONE.data), False),
        (ONE, Tensor("float32", (1,), False, b"\x00\x00\x90?"), False),
    ],
)
def test_answers_are_alike_up_to_rounding(one: Any, other: Any, same: bool) -> None:
    assert alike(one, other) is same
