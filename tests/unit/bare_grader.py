"""A grader without a jail, for programs that a test wrote itself: one-line checks, all in-process."""

from __future__ import annotations

import contextlib
import io
import threading
import traceback
from types import TracebackType
from typing import Any, Self

from graders.exercise import Exercise, Limits
from graders.verdict import CheckResult, CheckStatus, ErrorReport, Output, RunReport, Status, Verdict


class BareGrader:
    """Behaves as `graders.grader.Grader` does, as far as proving needs it. `seeds` are those it was given."""

    def __init__(self) -> None:
        self.seeds: list[str | None] = []
        self.started = 0
        self._one_at_a_time = threading.Lock()  # programs share this process and its output

    def __enter__(self) -> Self:
        self.started += 1
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        pass

    def questions(self, exercise: Exercise, *, seed: str) -> tuple[dict[str, Any], ...]:
        return tuple({"name": name} for name in sorted(self._names(exercise.solution)))

    def answers(
        self, exercise: Exercise, source: str, queries: tuple[dict[str, Any], ...], *, seed: str
    ) -> list[dict[str, Any]]:
        return [self._names(source)]

    def _names(self, source: str) -> dict[str, Any]:
        with self._one_at_a_time:
            names, _, _ = _execute(source)
        return {name: repr(value) for name, value in names.items() if not name.startswith("__")}

    def run(self, source: str, *, limits: Limits | None = None) -> RunReport:
        with self._one_at_a_time:
            _, output, error = _execute(source)
        if error is not None:
            return RunReport(Status.ERROR, f"{error.type}: {error.message}", Output(output), error)
        if "OVER THE LIMIT" in source:
            return RunReport(Status.TIMEOUT, "It used 2 s, the limit.", Output(output))
        return RunReport(Status.PASSED, "Your code ran to its end.", Output(output))

    def grade(
        self,
        exercise: Exercise,
        source: str,
        *,
        seed: str | None = None,
        untouched_counts: bool = False,
        backwards: bool = False,
    ) -> Verdict:
        self.seeds.append(seed)
        if source == exercise.starter and not untouched_counts:
            return Verdict(Status.NOT_GRADABLE, "unchanged")
        with self._one_at_a_time:
            names, _, error = _execute(source)
        if error is not None:
            return Verdict(Status.ERROR, "Your code stopped.", max_centipoints=200, error=error)
        checks = []
        for expect in exercise.expects:
            right = bool(eval(expect.expression, names))
            message = "" if right else f"x is {names.get('x')}"
            status = CheckStatus.PASSED if right else CheckStatus.FAILED
            points = expect.centipoints if right else 0
            checks.append(
                CheckResult(expect.name, status, points, expect.centipoints, message, hint=expect.hint)
            )
        points, most = (
            sum(check.centipoints for check in checks),
            sum(e.centipoints for e in exercise.expects),
        )
        status = Status.PASSED if points == most else Status.FAILED
        return Verdict(status, "graded", points, most, tuple(checks))


def _execute(source: str) -> tuple[dict[str, Any], str, ErrorReport | None]:
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, "answer.py", "exec"), names)
        except Exception as error:
            lines = [
                frame.lineno
                for frame in traceback.extract_tb(error.__traceback__)
                if frame.filename == "answer.py"
            ]
            return (
                names,
                printed.getvalue(),
                ErrorReport(type(error).__name__, str(error), lines[-1] if lines else None),
            )
    return names, printed.getvalue(), None
