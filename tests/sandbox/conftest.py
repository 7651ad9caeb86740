"""A real grader, shared by all the tests of one process: starting it is what costs.

`--level` chooses how well its jails are walled in; the default is the best that this machine lets us have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.exercise import Exercise, load_exercise
from graders.grader import Grader, Level

COURSE = Path(__file__).resolve().parents[2] / "exercises" / "dynamic-graphs"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--level", choices=[level.value for level in Level], help="level of the sandbox")
    parser.addoption("--corpus-record", help="file to which the corpus adds a line for each of its programs")


@pytest.fixture(scope="session")
def level(pytestconfig: pytest.Config) -> Level | None:
    """The level that was asked for; None is the best."""
    name = pytestconfig.getoption("level", None)
    return Level(name) if name else None


@pytest.fixture(scope="session")
def grader(level: Level | None) -> Iterator[Grader]:
    """A started grader."""
    with Grader(slots=2, level=level) as started:
        yield started


@pytest.fixture(scope="session")
def branch_gradient() -> Exercise:
    """The course's first code exercise: x.grad == 6.0, and gradient_at(x) on both branches."""
    return load_exercise(COURSE / "branch-gradient")
