"""Gradings without a pause, two at a time."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from benchmarks.faults import NotMeasured
from graders.exercise import Exercise
from graders.grader import Grader
from graders.verdict import Status, Verdict

AT_ONCE = 2
_RUN_UP_SECONDS = 0.3  # what was made ready before it began is used up by then


@dataclass
class Sustained:
    """What one stretch came to. milliseconds: of each grading that ended within the counted time."""

    seconds: float
    milliseconds: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Gradings that ended per second of the counted time."""
        return len(self.milliseconds) / self.seconds


def graded(grader: Grader, exercise: Exercise) -> float:
    """Milliseconds from the solution's source to its verdict. Raises: NotMeasured unless it passes."""
    start = time.perf_counter()
    verdict = grader.grade(exercise, exercise.solution)
    milliseconds = (time.perf_counter() - start) * 1000
    _expect_pass(exercise, verdict)
    return milliseconds


def _expect_pass(exercise: Exercise, verdict: Verdict) -> None:
    if verdict.status is not Status.PASSED:
        log = verdict.author_log
        raise NotMeasured(f"the solution of {exercise.id} got {verdict.status}: {verdict.summary} {log}")


def gradings(grader: Grader, exercise: Exercise, *, seconds: float) -> Sustained:
    """Grade the solution again and again from two threads. The first moments are not counted.

    Raises: NotMeasured if one of them does not pass.
    """
    found = Sustained(seconds)
    problems: list[Exception] = []
    begin = time.perf_counter() + _RUN_UP_SECONDS

    def work() -> None:
        try:
            while time.perf_counter() < begin + seconds:
                took = graded(grader, exercise)
                if begin <= time.perf_counter() < begin + seconds:
                    found.milliseconds.append(took)
        except Exception as problem:  # told by the thread that waits for us
            problems.append(problem)

    threads = [threading.Thread(target=work, name=f"sustained-{number}") for number in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    if not found.milliseconds:
        raise NotMeasured(f"no grading of {exercise.id} ended within {seconds} s")
    return found
