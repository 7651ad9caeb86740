"""Both checks of branch-gradient, as a teacher would write them for each of these tools."""

from __future__ import annotations

import json
from typing import Any

SNIPPET_CHECK = """\
assert z.grad_fn is not None
assert x.grad == 6.0
"""

BRANCH_CHECK = """\
import random

for value in [random.uniform(-2, 0.7) for _ in range(4)] + [random.uniform(0.8, 2) for _ in range(4)]:
    assert abs(float(gradient_at(value)) - (6.0 if 2 * value > 1.5 else 8.0)) < 1e-5
"""

PYTEST_FILE = """\
import random

import answer


def test_snippet():
    assert answer.z.grad_fn is not None
    assert answer.x.grad == 6.0


def test_branch():
    for value in [random.uniform(-2, 0.7) for _ in range(4)] + [random.uniform(0.8, 2) for _ in range(4)]:
        assert abs(float(answer.gradient_at(value)) - (6.0 if 2 * value > 1.5 else 8.0)) < 1e-5
"""

OTTER_FILE = """\
import random

from otter.test_files import test_case

OK_FORMAT = False
name = "branch-gradient"
points = 3


@test_case(points=1)
def snippet(env):
    assert env["z"].grad_fn is not None
    assert env["x"].grad == 6.0


@test_case(points=2)
def branch(env):
    for value in [random.uniform(-2, 0.7) for _ in range(4)] + [random.uniform(0.8, 2) for _ in range(4)]:
        assert abs(float(env["gradient_at"](value)) - (6.0 if 2 * value > 1.5 else 8.0)) < 1e-5
"""


def program(answer: str) -> str:
    """One script: the answer, then both checks."""
    return f"{answer}\n\n{SNIPPET_CHECK}\n{BRANCH_CHECK}"


def notebook(answer: str, *, checks: bool) -> str:
    """A notebook with the answer in a cell; with both checks in cells that nbgrader grades, or without."""
    cells = [_cell("answer", answer, {"grade": False, "solution": True, "locked": False})]
    if checks:
        locked = {"grade": True, "solution": False, "locked": True}
        cells.append(_cell("snippet", SNIPPET_CHECK, {**locked, "points": 1}))
        cells.append(_cell("branch", BRANCH_CHECK, {**locked, "points": 2}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )


def _cell(name: str, source: str, nbgrader: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"nbgrader": {"grade_id": name, "schema_version": 3, "task": False, **nbgrader}},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
