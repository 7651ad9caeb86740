"""What the benchmark measures with is right: an exercise of its own, bare forks, and other graders' files."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import EXERCISE, OTHERS
from benchmarks.bare import SNIPPET, BareForks
from benchmarks.faults import NotMeasured
from benchmarks.peers import tools
from graders.exercise import load_exercise
from graders.grader import Grader
from graders.proving import prove_exercise

pytestmark = pytest.mark.sandbox


def test_the_exercise_with_an_optimizer_proves_itself() -> None:
    with Grader(slots=1) as grader:
        proofs = prove_exercise(load_exercise(OTHERS[-1]), grader)
    assert [str(proof) for proof in proofs if not proof.ok] == []


def test_a_bare_fork_whose_source_raises_is_not_measured() -> None:
    with BareForks() as bare:
        assert bare.milliseconds(SNIPPET) > 0
        assert bare.per_second(SNIPPET, seconds=0.1, at_once=2) > 0
        with pytest.raises(NotMeasured, match="bare forks ended"):
            bare.milliseconds("raise ValueError")


@pytest.mark.parametrize("kind", tools.TOOLS, ids=lambda kind: kind.name)
def test_another_grader_passes_the_solution_and_no_answer_that_ignores_the_branch(
    kind: type[tools.Tool], tmp_path: Path
) -> None:
    exercise = load_exercise(EXERCISE)
    try:
        tool = kind(tmp_path)
    except tools.Skipped as why:
        pytest.skip(f"{kind.name}: {why}")
    assert tool.grade(exercise.solution)[0]
    ignores_the_branch = exercise.solution.replace("y * 4", "y * 3")
    assert not tool.grade(ignores_the_branch)[0]
