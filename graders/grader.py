"""The door of the grading engine."""

from __future__ import annotations

import re
import secrets
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from graders import grading, replay, wire
from graders.exercise import Exercise, Limits
from graders.grading import Learner, LearnerGone, ending_of_loading
from graders.sandbox.level import Level, choose
from graders.sandbox.nursery import Nursery
from graders.sandbox.policy import MIB, MOST, Policy, within
from graders.sandbox.syscalls import SandboxError
from graders.sandbox.warm import Capacity
from graders.verdict import RunReport, Status, Verdict

__all__ = ["Grader", "Level", "SandboxError"]

_MOST_READY: Final = 4  # jails for each side that wait ready; as many more gradings make their own
_SEED: Final = re.compile(r"[0-9a-f]{32}")
_Report = TypeVar("_Report", RunReport, Verdict)


class Grader:
    """Grades and runs submissions in jails. Starting one takes seconds, using it milliseconds.

    slots: how many gradings may be under way at once; further callers wait. Safe for use by threads.
    level: how well jails are walled in; None is the best that this machine lets us have.
    most: what is granted to any exercise, however much it asks for.
    Raises: SandboxError when this machine cannot make a jail; its text says which step was refused.
    """

    def __init__(self, slots: int = 2, *, level: Level | None = None, most: Limits = MOST) -> None:
        self.level = choose(level)
        self._most = most
        self._slots = threading.BoundedSemaphore(slots)
        self._renewing = threading.Lock()
        self._generation = 0
        self._nursery = Nursery(min(slots, _MOST_READY), self.level, _capacity(slots, most))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the template and every jail."""
        self._nursery.close()

    def grade(
        self,
        exercise: Exercise,
        source: str,
        *,
        seed: str | None = None,
        untouched_counts: bool = False,
        backwards: bool = False,
    ) -> Verdict:
        """Grade one source. Never raises for what it says or does; a failure of ours is Status.FAULT.

        seed: 32 hexadecimal digits of an earlier verdict, to repeat it; None draws a new one.
        untouched_counts: grade the unchanged starter too, instead of saying that nothing was changed.
        backwards: run the checks last to first, to see whether one depends on another.
        Raises: ValueError for a seed of another form.
        """
        if seed is None:
            seed = secrets.token_hex(16)
        elif not _SEED.fullmatch(seed):
            raise ValueError(f"the seed is {seed!r}; it must be 32 hexadecimal digits")
        if not source.strip():
            return Verdict(Status.NOT_GRADABLE, "There is no code yet. Write some, then submit.", seed=seed)
        if not untouched_counts and _same_code(source, exercise.starter):
            return Verdict(
                Status.NOT_GRADABLE,
                "This is still the code that you were given. Change it, then submit: this costs you nothing.",
                seed=seed,
            )
        if refusal := _too_long(source):
            return Verdict(Status.NOT_GRADABLE, refusal, seed=seed)
        drawn, granted = seed, replace(exercise, limits=within(exercise.limits, self._most))
        return self._timed(
            lambda: grading.grade(self._nursery, granted, source, seed=drawn, backwards=backwards),
            lambda fault: Verdict(Status.FAULT, _OUR_FAULT, seed=drawn, author_log=fault),
        )

    def questions(self, exercise: Exercise, *, seed: str) -> tuple[replay.Query, ...]:
        """What the checks ask of the solution under this seed, for `answers`."""
        with self._slots:
            return replay.questions(self._nursery, exercise, seed)

    def answers(
        self, exercise: Exercise, source: str, queries: tuple[replay.Query, ...], *, seed: str
    ) -> list[replay.Frame]:
        """What a program answers to these questions, and to more; see graders/replay.py."""
        with self._slots:
            return replay.answers(self._nursery, exercise, source, queries, seed)

    def run(self, source: str, *, limits: Limits | None = None) -> RunReport:
        """Run one source without checks: what it printed, and the error at its line if there was one."""
        if refusal := _too_long(source):
            return RunReport(Status.NOT_GRADABLE, refusal)
        policy = Policy.of(within(limits or Limits(), self._most))
        return self._timed(lambda: self._run(source, policy), lambda _: RunReport(Status.FAULT, _OUR_FAULT))

    def _run(self, source: str, policy: Policy) -> RunReport:
        learner = Learner(self._nursery, self._nursery.take("learner", policy), policy)
        error = None
        try:
            learner.start(source, seed=secrets.token_hex(16), then="stop")
            ending, error = ending_of_loading(learner.loaded(), policy)
        except LearnerGone as gone:
            ending = gone.ending
        finally:
            learner.leave()
        status, summary = ending or (Status.PASSED, "Your code ran to its end.")
        return RunReport(status, summary, learner.output, error)

    def attempt(
        self, name: str, needs: dict[str, Any], *, limits: Policy, without: frozenset[str] = frozenset()
    ) -> tuple[bool, str]:
        """See Nursery.attempt: for the doctor, which shows what each layer is good for."""
        return self._nursery.attempt(name, needs, limits, without)

    def floor_sample(self, count: int) -> list[float]:
        """For benchmarks: milliseconds of `count` bare forks of the warm template, without any isolation."""
        return self._nursery.floor(count)

    def _timed(self, work: Callable[[], _Report], fault: Callable[[str], _Report]) -> _Report:
        start = time.perf_counter()
        with self._slots:
            report = self._repaired(work, fault)
        return replace(report, milliseconds=round((time.perf_counter() - start) * 1000, 3))

    def _repaired(self, work: Callable[[], _Report], fault: Callable[[str], _Report]) -> _Report:
        """Do the work; if the sandbox fails, start a new template and try once more."""
        generation = self._generation
        try:
            try:
                return work()
            except SandboxError:
                with self._renewing:
                    if generation == self._generation:
                        self._nursery.renew()
                        self._generation += 1
                return work()
        except SandboxError as error:
            return fault(str(error))
        except Exception as error:  # a mistake in our own code is our fault too, and never a learner's
            return fault("".join(traceback.format_exception(error)))


def _capacity(slots: int, most: Limits) -> Capacity:
    """What two jails for each slot may have together."""
    return Capacity(2 * slots * most.memory_mib * MIB, 2 * slots * most.processes)


_OUR_FAULT: Final = (
    "Your code could not be run: the grader itself failed. That is our fault, not yours. "
    "Nothing is lost, and it costs you nothing."
)


def _too_long(source: str) -> str:
    """Why this source is too long to be sent to a jail, or nothing."""
    size = len(source.encode(errors="replace"))
    if size <= wire.MAX_SOURCE:
        return ""
    return f"Your code has {size:,} bytes; at most {wire.MAX_SOURCE:,} are read."


def _same_code(one: str, other: str) -> bool:
    """Whether two sources differ in nothing but line ends and white space around lines' ends."""

    def lines(text: str) -> list[str]:
        return [line.rstrip() for line in text.strip().splitlines()]

    return lines(one) == lines(other)
