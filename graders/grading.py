"""One grading, from two sealed jails to a verdict.

The learner's jail runs the submitted code and answers questions about it. The checker's jail holds the
author's checks, the solution and the hidden inputs, and asks. Both are hostile to us and to each other as far
as we are concerned: what passes between them is decoded and bounded here, whoever holds the word spends its
own time, and the verdict is put together from what the checker said, field by field.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict
from typing import Any, Final

from graders import endings, wire
from graders.endings import Ending
from graders.exercise import Exercise
from graders.sandbox.jail import Ended, Exceeded, Flooded, Jail
from graders.sandbox.nursery import Nursery
from graders.sandbox.policy import Policy
from graders.verdict import CheckResult, CheckStatus, ErrorReport, Status, Verdict

_MAX_TEXT: Final = 4000  # characters of any one message in a verdict
_MAX_CHECKS: Final = 200
_MAX_CENTIPOINTS: Final = 1_000_000
_READY_SECONDS: Final = 1.0  # for the names of the checks, once the learner's code is known to have failed


class ChecksBrokenError(Exception):
    """The author's side failed: the checks raised, hung, or are no checks. The text is for the author."""


class LearnerGone(Exception):  # noqa: N818 -- an outcome of the learner's program
    """The learner's program is over, one way or another, and cannot be asked any more."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending[1])
        self.ending = ending


class _Clock:
    """Seconds that one side may hold the word, spent only while it does."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self._since = 0.0

    def __enter__(self) -> float:
        self._since = time.monotonic()
        return self._since + self.left

    def __exit__(self, *_: object) -> None:
        self.left -= time.monotonic() - self._since


def derived_seed(seed: str, label: str) -> int:
    """A seed of 63 bits for one side, from which neither the other's nor the submission's can be found."""
    digest = hashlib.sha256(f"{label}:{seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


class Learner:
    """The learner's side of a conversation."""

    def __init__(self, nursery: Nursery, jail: Jail, policy: Policy) -> None:
        self.jail = jail
        self._nursery = nursery
        self._policy = policy
        self._clock = _Clock(policy.wall_seconds)
        self._alive = True

    def start(self, source: str, *, seed: str, then: str) -> None:
        """Send the code. It runs while we look after the other side."""
        self._send({"source": source, "seed": derived_seed(seed, "learner"), "then": then})

    def loaded(self) -> dict[str, Any]:
        """What became of running the code: {"loaded"}, {"raised"} or {"unreadable"}. Raises: LearnerGone."""
        return self._receive()

    def ask(self, query: Any) -> dict[str, Any]:
        """Put one question. Returns: {"reply"}, {"raised", "bases"} or {"refused"}. Raises: LearnerGone."""
        self._send({"ask": query})
        frame = self._receive()
        if "reply" in frame:
            return {"reply": frame["reply"]}
        if "refused" in frame:
            return {"refused": _text(frame["refused"])}
        report = ErrorReport.read(frame.get("raised"))
        if report is None:
            raise LearnerGone(endings.broken_connection())
        return {"raised": _plain(report), "bases": frame.get("bases")}

    def _send(self, message: dict[str, Any]) -> None:
        with self._clock as deadline:
            try:
                self.jail.send(message, deadline)
            except TimeoutError:
                raise LearnerGone(endings.wall_time(self._policy)) from None
            except Ended:
                raise LearnerGone(self._how_it_ended()) from None

    def _receive(self) -> dict[str, Any]:
        with self._clock as deadline:
            try:
                frame = self.jail.receive(deadline)
            except TimeoutError:
                raise LearnerGone(endings.wall_time(self._policy)) from None
            except Flooded:
                raise LearnerGone(endings.too_much_output(self._policy)) from None
            except Exceeded as limit:
                raise LearnerGone(endings.exceeded(limit.excess, self._policy)) from None
            except wire.WireError:
                raise LearnerGone(endings.broken_connection()) from None
            except Ended:
                raise LearnerGone(self._how_it_ended()) from None
        if not isinstance(frame, dict):
            raise LearnerGone(endings.broken_connection())
        return frame

    def _how_it_ended(self) -> Ending:
        # A process that was killed for its CPU time closes its channel a moment before it is gone.
        if not self.jail.wait(0.2):
            return endings.broken_connection()
        self.output = self.jail.output()
        self._alive = False
        return endings.process_ended(self._nursery.end_of(self.jail), self._policy)

    def leave(self) -> None:
        """Keep what was printed and end the jail."""
        if self._alive:
            self.output = self.jail.output()
            self._alive = False
            self._nursery.retire(self.jail)


class _Checker:
    """The author's side: its plan, its questions, its results."""

    def __init__(self, nursery: Nursery, jail: Jail, policy: Policy) -> None:
        self._jail = jail
        self._nursery = nursery
        self._policy = policy
        self._clock = _Clock(policy.wall_seconds)
        self._alive = True
        self.plan: list[tuple[str, int]] = []
        self.results: list[CheckResult] = []
        self.logs: list[str] = []  # what only the author may read: tracebacks of broken checks

    def start(self, exercise: Exercise, *, seed: str) -> None:
        expects = [
            {
                "name": expect.name,
                "expression": expect.expression,
                "centipoints": expect.centipoints,
                "hint": expect.hint,
            }
            for expect in exercise.expects
        ]
        self._send(
            {
                "checks": exercise.checks,
                "solution": exercise.solution,
                "expects": expects,
                "seed": derived_seed(seed, "checker"),
            }
        )

    def read_plan(self, seconds: float | None = None) -> None:
        """The names and points of the checks, sent once checks.py has loaded. Raises: ChecksBrokenError."""
        frame = self._receive(seconds)
        plan = frame.get("ready")
        if "broken" in frame or not isinstance(plan, list):
            raise ChecksBrokenError(_text(frame.get("broken", "checks.py did not load")))
        if not 1 <= len(plan) <= _MAX_CHECKS:
            raise ChecksBrokenError(f"the exercise has {len(plan)} checks; it needs 1 to {_MAX_CHECKS}")
        for entry in plan:
            points = entry.get("max_centipoints") if isinstance(entry, dict) else None
            if type(points) is not int or not 0 <= points <= _MAX_CENTIPOINTS:
                raise ChecksBrokenError(f"a check announces {entry!r:.200}; its points must be a number")
            self.plan.append((_text(entry.get("name")), points))
        if (total := sum(points for _name, points in self.plan)) > _MAX_CENTIPOINTS:
            raise ChecksBrokenError(
                f"the checks are worth {total // 100} points together, more than any exercise"
            )

    def examine(self, learner: Learner) -> Ending | None:
        """Let the checks run; relay their questions. Returns how the learner's program ended, if it did.

        Raises: ChecksBrokenError.
        """
        ending: Ending | None = None
        self._send({"go": True})
        while True:
            frame = self._receive()
            if "ask" in frame:
                try:
                    answer = {"gone": ending[0].value} if ending else learner.ask(frame["ask"])
                except LearnerGone as gone:
                    ending = gone.ending
                    answer = {"gone": ending[0].value}
                self._send(answer)
            elif "check" in frame:
                self.results.append(self._result(frame["check"]))
                self.logs.append(_text(frame.get("author_log")))
            elif "done" in frame:
                return ending
            else:
                raise ChecksBrokenError(
                    _text(frame.get("broken", "the checks sent something that is no result"))
                )

    def _result(self, data: Any) -> CheckResult:
        """One result, built anew from its parts; the points follow from the status."""
        place = len(self.results)
        if place >= len(self.plan) or not isinstance(data, dict):
            raise ChecksBrokenError("the checks sent more results than they announced")
        name, points = self.plan[place]
        try:
            status = CheckStatus(data["status"])
        except (ValueError, TypeError, KeyError) as problem:
            raise ChecksBrokenError(f"the result of {name!r} cannot be read: {problem}") from None
        return CheckResult(
            name=name,
            status=status,
            centipoints=points if status is CheckStatus.PASSED else 0,
            max_centipoints=points,
            message=_text(data.get("message")),
            got=_text(data.get("got")),
            expected=_text(data.get("expected")),
            hint=_text(data.get("hint")),
            error=ErrorReport.read(data.get("error")),
        )

    def _send(self, message: dict[str, Any]) -> None:
        with self._clock as deadline:
            try:
                self._jail.send(message, deadline)
            except TimeoutError:
                raise ChecksBrokenError(self._too_slow()) from None
            except Ended:
                raise ChecksBrokenError(self._how_it_ended()) from None

    def _receive(self, seconds: float | None = None) -> dict[str, Any]:
        with self._clock as clock_end:
            deadline = clock_end if seconds is None else min(clock_end, time.monotonic() + seconds)
            try:
                frame = self._jail.receive(deadline)
            except TimeoutError:
                raise ChecksBrokenError(self._too_slow()) from None
            except Flooded:
                raise ChecksBrokenError("the checks print without end") from None
            except Exceeded as limit:
                raise ChecksBrokenError(f"the checks need too much: {limit}") from None
            except Ended:
                raise ChecksBrokenError(self._how_it_ended()) from None
            except wire.WireError as error:
                raise ChecksBrokenError(f"the checks sent bytes that are no message: {error}") from None
        if not isinstance(frame, dict):
            raise ChecksBrokenError("the checks sent something that is no result")
        return frame

    def _too_slow(self) -> str:
        return f"the checks themselves took longer than {self._policy.wall_seconds:g} seconds"

    def _how_it_ended(self) -> str:
        """Its last words. Raises: SandboxError if the template has died, and this jail with it."""
        said = self._jail.output().stderr.strip()[-_MAX_TEXT:] or "it said nothing"
        self._alive = False
        end = self._nursery.end_of(self._jail)
        return f"the process of the checks has ended (exit code {end.exit_code}): {said}"

    def leave(self) -> None:
        if self._alive:
            self._alive = False
            self._nursery.retire(self._jail)

    def all_results(self) -> tuple[CheckResult, ...]:
        """The results in the plan's order; what was not reached is not-run."""
        missing = (
            CheckResult(name, CheckStatus.NOT_RUN, 0, points)
            for name, points in self.plan[len(self.results) :]
        )
        return (*self.results, *missing)


def grade(nursery: Nursery, exercise: Exercise, source: str, *, seed: str) -> Verdict:
    """The verdict on one source, without its time. Raises: SandboxError when the fault is ours."""
    policy = Policy.of(exercise.limits)
    checker = _Checker(nursery, nursery.take("checker", policy), policy)
    try:
        learner = Learner(nursery, nursery.take("learner", policy), policy)
    except BaseException:
        checker.leave()
        raise
    try:
        return _converse(learner, checker, exercise, source, seed, policy)
    finally:
        learner.leave()
        checker.leave()


def _converse(
    learner: Learner, checker: _Checker, exercise: Exercise, source: str, seed: str, policy: Policy
) -> Verdict:
    error: ErrorReport | None = None
    ending: Ending | None = None
    log = ""
    try:
        checker.start(exercise, seed=seed)
        try:
            learner.start(source, seed=seed, then="answer")
            answer = learner.loaded()
            ending, error = ending_of_loading(answer, policy)
        except LearnerGone as gone:
            ending = gone.ending
        if ending is None:
            checker.read_plan()
            ending = checker.examine(learner)
            if ending is None:
                ending = _ending_of_checks(checker, policy)
        else:
            checker.read_plan(_READY_SECONDS)
    except ChecksBrokenError as broken:
        log = str(broken)
        ending = ending or _broken()
    learner.leave()
    results = checker.all_results()
    log = "\n".join(filter(None, [*checker.logs, log]))
    return Verdict(
        status=ending[0],
        summary=ending[1],
        centipoints=sum(result.centipoints for result in results),
        max_centipoints=sum(points for _name, points in checker.plan),
        checks=results,
        seed=seed,
        output=learner.output,
        error=error,
        author_log=log,
    )


def ending_of_loading(answer: dict[str, Any], policy: Policy) -> tuple[Ending | None, ErrorReport | None]:
    """What the learner's side said about running the code; (None, None) when it ran to its end."""
    if answer.get("loaded") is True:
        return None, None
    report = ErrorReport.read(answer.get("raised") or answer.get("error"))
    if "unreadable" in answer:
        return (Status.NOT_GRADABLE, _text(answer["unreadable"])), report
    if report is None:
        return endings.broken_connection(), None
    return endings.raised(report, policy), report


def _ending_of_checks(checker: _Checker, policy: Policy) -> Ending:
    results = checker.results
    if len(results) < len(checker.plan):
        raise ChecksBrokenError("the checks ended before all of them had a result")
    statuses = [result.status for result in results]
    if CheckStatus.BROKEN in statuses or CheckStatus.NOT_RUN in statuses:
        return _broken()
    total, passed = len(results), statuses.count(CheckStatus.PASSED)
    if passed == total:
        return Status.PASSED, "The check passes." if total == 1 else f"All {total} checks pass."
    first = next(result for result in results if result.status is not CheckStatus.PASSED)
    told = f"{passed} of {total} checks pass. {first.message}".strip()
    for result in results:
        if result.status is CheckStatus.ERROR and result.error is not None:
            status, why = endings.raised(result.error, policy)
            return status, told if status is Status.ERROR else why
    if CheckStatus.ERROR in statuses:
        return Status.ERROR, told
    return Status.FAILED, told


def _broken() -> Ending:
    return Status.BROKEN, (
        "This exercise could not be graded: its own checks failed. That is not your fault, and it costs you "
        "nothing. Its author has been told."
    )


def _plain(report: ErrorReport) -> dict[str, Any]:
    """A report as it travels."""
    return {**asdict(report), "frames": [asdict(frame) for frame in report.frames]}


def _text(value: Any) -> str:
    """A message as text of bounded length, whatever it was, without lone surrogates."""
    text = value if type(value) is str else "" if value is None else repr(value)
    text = text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + " …"
    return text.encode("utf-8", "replace").decode()
