"""The author's side of a grading, as the supervisor sees it: a plan, questions, one result for each check.

The process is not trusted either. A check that ends it or hangs is broken, and a new process goes on with the
check that follows.
"""

from __future__ import annotations

import time
from typing import Any, Final

from graders import wire
from graders.endings import Ending, met_cpu_limit
from graders.exercise import Exercise
from graders.learner_side import MAX_RESTARTS, MAX_TEXT, Clock, Program, derived_seed, text
from graders.sandbox.jail import Ended, Exceeded, Flooded, Jail
from graders.sandbox.nursery import Nursery
from graders.sandbox.policy import Policy
from graders.verdict import CheckResult, CheckStatus, ErrorReport

_MAX_CHECKS: Final = 200
_MAX_CENTIPOINTS: Final = 1_000_000
_BROKEN: Final = "This check itself could not be run. That is not your mistake, and the author is told."


class ChecksBrokenError(Exception):
    """The author's side failed: the checks raised, hung, or are no checks. The text is for the author."""


class Checker:
    """The author's checks on one program.

    plan: name and centipoints of each check. endings: by the check's place, how it lost the program.
    logs: what only the author may read.
    """

    def __init__(
        self,
        nursery: Nursery,
        policy: Policy,
        exercise: Exercise,
        source: str,
        seed: str,
        *,
        backwards: bool = False,
    ) -> None:
        self.plan: list[tuple[str, int]] = []
        self.results: list[CheckResult] = []
        self.endings: dict[int, Ending] = {}
        self.logs: list[str] = []
        self._nursery = nursery
        self._policy = policy
        self._first = {
            "checks": exercise.checks,
            "solution": exercise.solution,
            "expects": [expect.to_plain() for expect in exercise.expects],
            "replaces": [replace.to_plain() for replace in exercise.replaces],
            "source": source,
            "seed": derived_seed(seed, "checker"),
            "backwards": backwards,
        }
        self._clock = Clock(policy.wall_seconds)
        self._restarts = 0
        self._alive = True
        self._jail: Jail = nursery.take("checker", policy)

    def start(self) -> None:
        """Send the checks. They load while we look after the other side. Raises: ChecksBrokenError."""
        self._send(self._first | {"from": len(self.results)})

    def read_plan(self, seconds: float | None = None) -> None:
        """The names and points of the checks, sent once checks.py has loaded. Raises: ChecksBrokenError."""
        frame = self._receive(seconds)
        sent = frame.get("ready")
        if "broken" in frame or not isinstance(sent, list):
            raise ChecksBrokenError(text(frame.get("broken", "checks.py did not load")))
        if not 1 <= len(sent) <= _MAX_CHECKS:
            raise ChecksBrokenError(f"the exercise has {len(sent)} checks; it needs 1 to {_MAX_CHECKS}")
        plan = []
        for entry in sent:
            points = entry.get("max_centipoints") if isinstance(entry, dict) else None
            if type(points) is not int or not 0 <= points <= _MAX_CENTIPOINTS:
                raise ChecksBrokenError(f"a check announces {entry!r:.200}; its points must be a number")
            plan.append((text(entry.get("name")), points))
        if (total := sum(points for _name, points in plan)) > _MAX_CENTIPOINTS:
            raise ChecksBrokenError(
                f"the checks are worth {total // 100} points together, more than any exercise"
            )
        if self.results and plan != self.plan:
            raise ChecksBrokenError("checks.py does not make the same checks each time that it is loaded")
        self.plan = plan

    def examine(self, program: Program) -> None:
        """Let the checks run, each for itself; relay their questions. What is not reached gets no result.

        Raises: ChecksBrokenError if checks.py does not load a second time.
        """
        while True:
            try:
                self._run_on(program)
                return
            except ChecksBrokenError as broken:
                self._break(str(broken))
            program.end_check()
            if len(self.results) == len(self.plan) or not self._begin_again():
                return

    def _run_on(self, program: Program) -> None:
        """Run the checks that have no result yet. Raises: ChecksBrokenError, if one of them breaks it all."""
        self._send({"go": True})
        while True:
            frame = self._receive()
            if "ask" in frame:
                self._send(program.ask(frame["ask"], aside=frame.get("aside") is True))
            elif "check" in frame:
                self._add(frame, program)
                program.end_check()
            elif "again" in frame:
                changed = frame["again"]
                if type(changed) is not str or len(changed) > wire.MAX_SOURCE:
                    raise ChecksBrokenError("the checks want a text run that is none")
                self._send(program.run_again(changed))
            elif "done" in frame and len(self.results) == len(self.plan):
                return
            else:
                raise ChecksBrokenError(
                    text(frame.get("broken", "the checks sent something that is no result"))
                )

    def _add(self, frame: dict[str, Any], program: Program) -> None:
        """Keep one result, built anew from its parts; the points follow from the status."""
        place, data = len(self.results), frame["check"]
        if place >= len(self.plan) or not isinstance(data, dict):
            raise ChecksBrokenError("the checks sent more results than they announced")
        name, points = self.plan[place]
        try:
            status = CheckStatus(data["status"])
        except (ValueError, TypeError, KeyError) as problem:
            raise ChecksBrokenError(f"the result cannot be read: {problem}") from None
        if status is CheckStatus.NOT_RUN:
            raise ChecksBrokenError("it sent no result of its own")
        message = _BROKEN if status is CheckStatus.BROKEN else text(data.get("message"))
        if program.lost is not None and status is not CheckStatus.BROKEN:
            status, self.endings[place] = program.lost  # whatever the check itself makes of it
            message = self.endings[place][1]
        self.results.append(
            CheckResult(
                name=name,
                status=status,
                centipoints=points if status is CheckStatus.PASSED else 0,
                max_centipoints=points,
                message=message,
                got=text(data.get("got")),
                expected=text(data.get("expected")),
                hint=text(data.get("hint")),
                error=ErrorReport.read(data.get("error")),
            )
        )
        self.logs.append(text(frame.get("author_log")))

    def _break(self, why: str) -> None:
        """The check that now runs has ended its process, hung, or said what is no result."""
        if len(self.results) < len(self.plan):
            name, points = self.plan[len(self.results)]
            self.results.append(CheckResult(name, CheckStatus.BROKEN, 0, points, _BROKEN))
            why = f'checks.py: check "{name}": {why}'
        self.logs.append(why)

    def _begin_again(self) -> bool:
        """Load the checks in a new jail, to go on with the next. Returns: False if nothing is left for that.

        Raises: ChecksBrokenError.
        """
        self.leave()
        if self._restarts >= MAX_RESTARTS or self._clock.left <= 0:
            return False
        self._restarts += 1
        self._jail = self._nursery.take("checker", self._policy)
        self._alive = True
        self.start()
        self.read_plan()
        return True

    def _send(self, message: dict[str, Any]) -> None:
        with self._clock as deadline:
            try:
                self._jail.send(message, deadline)
                return
            except TimeoutError:
                why = self._too_slow()
            except Ended:
                raise ChecksBrokenError(self._how_it_ended()) from None
        self._clock.ran_out()
        raise ChecksBrokenError(why)

    def _receive(self, seconds: float | None = None) -> dict[str, Any]:
        with self._clock as clock_end:
            deadline = clock_end if seconds is None else min(clock_end, time.monotonic() + seconds)
            try:
                frame = self._jail.receive(deadline)
            except TimeoutError:
                frame = None
            except Flooded:
                raise ChecksBrokenError("the checks print without end") from None
            except Exceeded as limit:
                raise ChecksBrokenError(f"the checks need too much: {limit}") from None
            except Ended:
                raise ChecksBrokenError(self._how_it_ended()) from None
            except wire.WireError as error:
                raise ChecksBrokenError(f"the checks sent bytes that are no message: {error}") from None
        if frame is None:
            self._clock.ran_out()
            raise ChecksBrokenError(self._too_slow())
        if not isinstance(frame, dict):
            raise ChecksBrokenError("the checks sent something that is no result")
        return frame

    def _too_slow(self) -> str:
        return f"the checks themselves took longer than {self._policy.wall_seconds:g} seconds"

    def _how_it_ended(self) -> str:
        """Its last words. Raises: SandboxError if the template has died, and this jail with it."""
        said = self._jail.output().stderr.strip()[-MAX_TEXT:] or "it said nothing"
        self._alive = False
        end = self._nursery.end_of(self._jail)
        if met_cpu_limit(end, self._policy):
            return (
                f"it used {self._policy.cpu_seconds} seconds of processor time, the limit; look for a loop "
                "that never ends, or ask for more cpu_seconds under [limits]"
            )
        return f"the process of the checks has ended (exit code {end.exit_code}): {said}"

    def leave(self) -> None:
        """End the jail."""
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
