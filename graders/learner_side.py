"""The learner's side of a grading, as the supervisor sees it: a program that answers, until it is gone.

What comes from it is hostile: it is decoded and bounded here. The program spends its own time. When it is
gone in one check, a new jail runs the same code with the same seed for the checks that follow.
"""

from __future__ import annotations

import hashlib
import time
from typing import Any, Final

from graders import endings, wire
from graders.endings import Ending
from graders.sandbox.jail import Ended, Exceeded, Flooded, Jail
from graders.sandbox.nursery import Nursery
from graders.sandbox.policy import Policy
from graders.verdict import CheckStatus, ErrorReport, Output, Status

AFTER_A_TIMEOUT_SECONDS: Final = 1.0  # for all later checks together: a hang may not hold a slot much longer
MAX_RESTARTS: Final = 4  # of either side in one grading, each after a check has ended it
MAX_RUNS_AGAIN: Final = 16  # with other literals, over all checks of a grading
MAX_TEXT: Final = 4000  # characters of any one message in a verdict


class LearnerGone(Exception):  # noqa: N818 -- an outcome of the learner's program
    """The learner's program is over, one way or another, and cannot be asked any more."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending[1])
        self.ending = ending


class NotReached(LearnerGone):
    """It cannot be asked because nothing is left to start it with; no fault of the check that wanted it."""


class Clock:
    """Seconds that one side may hold the word, spent only while it does."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds
        self._since = 0.0
        self._ran_out = False

    def __enter__(self) -> float:
        self._since = time.monotonic()
        return self._since + self.left

    def __exit__(self, *_: object) -> None:
        self.left -= time.monotonic() - self._since

    def ran_out(self) -> bool:
        """Take note of a timeout: the first leaves a little for what follows, the second nothing.

        Returns: whether it was the first.
        """
        first = not self._ran_out
        self.left = AFTER_A_TIMEOUT_SECONDS if first else 0.0
        self._ran_out = True
        return first


class Learner:
    """The learner's program in one jail. clock: shared with the jails that ran it before."""

    def __init__(self, nursery: Nursery, jail: Jail, policy: Policy, clock: Clock | None = None) -> None:
        self.jail = jail
        self.output = Output()  # what was printed; known when it has ended or been left
        self._nursery = nursery
        self._policy = policy
        self._clock = clock or Clock(policy.wall_seconds)
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
            return {"refused": text(frame["refused"])}
        report = ErrorReport.read(frame.get("raised"))
        if report is None:
            raise LearnerGone(endings.broken_connection())
        return {"raised": report.to_plain(), "bases": frame.get("bases")}

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


class Program:
    """The submitted code as the checks meet it: always there, though a check may end the process it runs in.

    lost: how the check that now runs lost it; None while it answers. asked: takes down each question to the
    code as it was submitted, but for those that look for words only.
    """

    def __init__(
        self,
        nursery: Nursery,
        policy: Policy,
        source: str,
        seed: str,
        asked: list[dict[str, Any]] | None = None,
    ) -> None:
        self.lost: tuple[CheckStatus, Ending] | None = None
        self._nursery = nursery
        self._policy = policy
        self._source = source
        self._seed = seed
        self._clock = Clock(policy.wall_seconds)
        self._first = Learner(nursery, nursery.take("learner", policy), policy, self._clock)
        self._usual: Learner | None = self._first
        self._changed: Learner | None = None  # runs another text, for the check that now runs
        self._silent = False  # whether it is gone for the rest of this check
        self._restarts = 0
        self._runs_again = 0
        self._asked = asked

    @property
    def output(self) -> Output:
        """What the code printed in the process that ran it first; complete once that has been left."""
        return self._first.output

    def start(self) -> None:
        """Send the code to its first jail. Raises: LearnerGone."""
        self._first.start(self._source, seed=self._seed, then="answer")

    def loaded(self) -> tuple[Ending | None, ErrorReport | None]:
        """How running it ended, and its error; (None, None) if it can be asked. Raises: LearnerGone."""
        return ending_of_loading(self._first.loaded(), self._policy)

    def ask(self, query: Any, *, aside: bool = False) -> dict[str, Any]:
        """Put one question to it; see Learner.ask. {"gone": status} once this check has lost it.

        aside: asked only to find words for a check that has failed already; then a loss changes no result.
        """
        if self._asked is not None and self._changed is None and not aside:
            self._asked.append(query)
        if not self._silent:
            try:
                return (self._changed or self._running()).ask(query)
            except LearnerGone as gone:
                self._lose(gone, aside=aside)
        return {"gone": True}

    def run_again(self, source: str) -> dict[str, Any]:
        """Run another text with the same seed, and let it answer until the check that asked for it has ended.

        Returns: {"loaded": True}, {"raised", "bases"}, {"refused"}, or {"gone"} where nothing can be asked.
        """
        if self._silent:
            return {"gone": True}
        self._leave_changed()
        try:
            if self._runs_again >= MAX_RUNS_AGAIN:
                raise NotReached(endings.run_too_often(MAX_RUNS_AGAIN))
            self._runs_again += 1
            self._changed = self._taken()
            self._changed.start(source, seed=self._seed, then="answer")
            frame = self._changed.loaded()
        except LearnerGone as gone:
            self._lose(gone)
            return {"gone": True}
        if frame.get("loaded") is True:
            return {"loaded": True}
        if "unreadable" in frame:
            return {"refused": text(frame["unreadable"])}
        report = ErrorReport.read(frame.get("raised"))
        return {"raised": report.to_plain(), "bases": []} if report else {"refused": "It did not run."}

    def end_check(self) -> None:
        """A check has ended; the next one meets the code as it was submitted."""
        self._leave_changed()
        self._silent = False
        self.lost = None

    def leave(self) -> None:
        """End every jail that is left."""
        self._leave_changed()
        for learner in (self._first, self._usual):
            if learner is not None:
                learner.leave()

    def _running(self) -> Learner:
        """The jail that runs the submitted code, a new one if the last check has ended it."""
        if self._usual is None:
            if self._restarts >= MAX_RESTARTS:
                raise NotReached(endings.started_too_often(MAX_RESTARTS))
            self._restarts += 1
            self._usual = self._taken()
            self._usual.start(self._source, seed=self._seed, then="answer")
            ending, _ = ending_of_loading(self._usual.loaded(), self._policy)
            if ending is not None:
                raise LearnerGone(ending)
        return self._usual

    def _taken(self) -> Learner:
        if self._clock.left <= 0:
            raise NotReached(endings.no_time_left(AFTER_A_TIMEOUT_SECONDS))
        return Learner(self._nursery, self._nursery.take("learner", self._policy), self._policy, self._clock)

    def _lose(self, gone: LearnerGone, *, aside: bool = False) -> None:
        """The program that answers is gone, or there is nothing left to start it with."""
        if self._changed is not None:
            self._leave_changed()
        elif self._usual is not None:
            self._usual.leave()
            self._usual = None
        self._silent = True
        if (
            gone.ending[0] is Status.TIMEOUT
            and not isinstance(gone, NotReached)
            and not self._clock.ran_out()
        ):
            gone = NotReached(endings.no_time_left(AFTER_A_TIMEOUT_SECONDS))
        if not aside:
            status = CheckStatus.NOT_RUN if isinstance(gone, NotReached) else CheckStatus.ERROR
            self.lost = status, gone.ending

    def _leave_changed(self) -> None:
        if self._changed is not None:
            self._changed.leave()
            self._changed = None


def derived_seed(seed: str, label: str) -> int:
    """A seed of 63 bits for one side, from which neither the other's nor the submission's can be found."""
    digest = hashlib.sha256(f"{label}:{seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def ending_of_loading(answer: dict[str, Any], policy: Policy) -> tuple[Ending | None, ErrorReport | None]:
    """What the learner's side said about running the code; (None, None) when it ran to its end."""
    if answer.get("loaded") is True:
        return None, None
    report = ErrorReport.read(answer.get("raised") or answer.get("error"))
    if "unreadable" in answer:
        return (Status.NOT_GRADABLE, text(answer["unreadable"])), report
    if report is None:
        return endings.broken_connection(), None
    return endings.raised(report, policy), report


def text(value: Any) -> str:
    """A message as text of bounded length, whatever it was, without lone surrogates."""
    written = value if type(value) is str else "" if value is None else repr(value)
    written = written if len(written) <= MAX_TEXT else written[:MAX_TEXT] + " …"
    return written.encode("utf-8", "replace").decode()
