"""Faults that other systems of this sort have had, and no test elsewhere names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.exercise import Exercise, Expect
from graders.grader import Grader
from graders.verdict import Status
from quizapp.learning.rules import points

pytestmark = pytest.mark.sandbox


def test_parts_of_points_add_up_to_the_whole(grader: Grader, branch_gradient: Exercise) -> None:
    """1.2 + 2 + 1.6 + 1.2 + 2 + 1.6 + 0.4 is 10, and not 9.999999999999998."""
    worth = (120, 200, 160, 120, 200, 160, 40)
    expects = tuple(Expect(f"x is not {n}", f"x != -{n + 1}", part, "") for n, part in enumerate(worth))
    exercise = replace(branch_gradient, expects=expects, replaces=(), checks="", starter="")
    verdict = grader.grade(exercise, "x = 1.0\n")
    assert verdict.status is Status.PASSED, verdict
    assert verdict.centipoints == verdict.max_centipoints == 1000
    assert points(verdict.centipoints) == "10"


@pytest.mark.parametrize("sign", ["\u200b", "\u202c", "\ufeff", "\u00a0"])
def test_an_invisible_sign_in_code_is_named_with_its_line_and_costs_nothing(
    sign: str, grader: Grader, branch_gradient: Exercise
) -> None:
    verdict = grader.grade(branch_gradient, f"import torch\nx = 1{sign} + 2\n")
    assert verdict.status is Status.NOT_GRADABLE, verdict
    assert not verdict.status.costs_attempt
    assert verdict.error is not None
    assert verdict.error.line == 2
    assert f"U+{ord(sign):04X}" in verdict.error.message + verdict.error.what


def test_what_is_cut_from_an_output_is_counted(grader: Grader) -> None:
    report = grader.run("for number in range(20_000): print(number)\n")
    assert report.status is Status.PASSED, report
    kept = report.output.stdout.splitlines()
    assert kept[:2] == ["0", "1"]
    whole = sum(len(f"{number}\n") for number in range(20_000))
    assert len(report.output.stdout) + report.output.stdout_cut == whole


SEEDED = """
import random
import numpy
import torch

drawn = [
    random.random(),
    float(numpy.random.rand()),
    torch.rand(1).item(),
    float(numpy.random.default_rng(3).random()),
    torch.rand(1, generator=torch.Generator().manual_seed(3)).item(),
    *[batch.item() for batch in torch.utils.data.DataLoader(torch.arange(4.0), shuffle=True)],
]
"""
REPORTS = """
from graders.checks import check

@check("what is drawn")
def drawn(answer):
    assert False, repr([answer["drawn"][place].data for place in range(9)])
"""


def test_the_same_code_draws_the_same_numbers_under_the_same_seed(
    grader: Grader, branch_gradient: Exercise
) -> None:
    exercise = replace(branch_gradient, expects=(), replaces=(), checks=REPORTS, starter="")
    seeds = ["0" * 31 + digit for digit in "111111111123"]
    told = [grader.grade(exercise, SEEDED, seed=seed).checks[0].message for seed in seeds]
    assert told[0].startswith("[0.")
    assert len(set(told[:10])) == 1
    assert len(set(told)) == 3
