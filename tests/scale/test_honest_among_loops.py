"""Programs that loop and sleep hold up nobody."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from graders.exercise import Limits, load_exercise
from graders.grader import Grader
from graders.verdict import Status

pytestmark = pytest.mark.sandbox

EXERCISE = Path(__file__).resolve().parents[2] / "exercises" / "dynamic-graphs" / "branch-gradient"


def test_an_honest_answer_has_its_verdict_while_four_hostile_ones_are_still_under_way() -> None:
    exercise = load_exercise(EXERCISE)
    slow = replace(exercise, limits=Limits(cpu_seconds=30, wall_seconds=30))
    ended: list[Status] = []
    with Grader(slots=6) as grader:

        def send(source: str) -> None:
            ended.append(grader.grade(slow, source).status)

        hostile = ["while True: pass\n", "import time\ntime.sleep(60)\n"] * 2
        threads = [threading.Thread(target=send, args=(source,), daemon=True) for source in hostile]
        for thread in threads:
            thread.start()
        honest = [grader.grade(exercise, exercise.solution).status for _ in range(10)]
        assert honest == [Status.PASSED] * 10
        assert ended == []  # none of the four has met its limit of half a minute
