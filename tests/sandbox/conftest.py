"""A real grader, shared by all the tests of one process: starting it is what costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.exercise import Exercise, load_exercise
from graders.grader import Grader

COURSE = Path(__file__).resolve().parents[2] / "exercises" / "dynamic-graphs"


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """A started grader."""
    with Grader(slots=2) as started:
        yield started


@pytest.fixture(scope="session")
def branch_gradient() -> Exercise:
    """The course's first code exercise: x.grad == 6.0, and gradient_at(x) on both branches."""
    return load_exercise(COURSE / "branch-gradient")
