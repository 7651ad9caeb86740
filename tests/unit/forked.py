"""Forked children for tests: a learner's process, a checker's, and as much of a supervisor as they need."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import torch

from graders.inside import checker, learner
from graders.wire import Channel, Closed

PATIENCE = 60.0  # seconds before a test gives up on a child

# A process that has run a parallel region must not fork: its children wait for threads that they do not have.
torch.set_num_threads(1)


@contextmanager
def child(serve: Callable[[Channel, dict[str, Any]], None], first: dict[str, Any]) -> Iterator[Channel]:
    """A forked process that serves, with its standard streams on /dev/null; killed at the end."""
    ours, theirs = socket.socketpair()
    ours.settimeout(PATIENCE)
    pid = os.fork()
    if pid == 0:
        code = 70
        with suppress(BaseException):
            ours.close()
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            serve(Channel(theirs), first)
            code = 0
        os._exit(code)
    theirs.close()
    try:
        yield Channel(ours)
    finally:
        ours.close()
        with suppress(ProcessLookupError):
            os.kill(pid, 9)
        os.waitpid(pid, 0)


@dataclass
class Grading:
    """What came of one grading: how loading ended, the checks by name, and whether the end was announced."""

    loaded: dict[str, Any]
    ready: dict[str, Any]
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    logs: dict[str, str] = field(default_factory=dict)
    done: bool = False

    @property
    def only(self) -> dict[str, Any]:
        """The one check of a grading that has one."""
        (found,) = self.checks.values()
        return found

    @property
    def passed(self) -> bool:
        return self.done and bool(self.checks) and all(c["status"] == "passed" for c in self.checks.values())


def asked_of_checker(
    checks: str,
    *,
    source: str = "",
    solution: str = "",
    expects: list[dict[str, Any]] | None = None,
    seed: int = 1,
) -> dict[str, Any]:
    """The first frame that a checker's process gets."""
    return {
        "checks": checks,
        "solution": solution,
        "expects": expects or [],
        "replaces": [],
        "source": source,
        "seed": seed,
        "backwards": False,
        "from": 0,
    }


def grade(
    source: str,
    checks: str = "",
    *,
    expects: list[str] | None = None,
    solution: str = "",
    seed: int = 1,
    learner_seed: int = 2,
) -> Grading:
    """Grade `source` in two forked processes, as the supervisor does."""
    one_liners = [{"name": e, "expression": e, "centipoints": 100, "hint": ""} for e in expects or []]
    first = asked_of_checker(checks, source=source, solution=solution, expects=one_liners, seed=seed)
    asked = {"role": "learner", "source": source, "seed": learner_seed, "then": "answer"}
    with child(learner.serve, asked) as theirs, child(checker.serve, first) as judge:
        ready = judge.receive()
        try:
            loaded = theirs.receive()
        except Closed:
            loaded = {"gone": "crashed"}
        grading = Grading(loaded, ready)
        if "ready" not in ready or loaded != {"loaded": True}:
            return grading
        judge.send({"go": True})
        for frame in _frames(judge, theirs):
            if "check" in frame:
                grading.checks[frame["check"]["name"]] = frame["check"]
                grading.logs[frame["check"]["name"]] = frame["author_log"]
        grading.done = True
        return grading


def _frames(judge: Channel, theirs: Channel) -> Iterator[dict[str, Any]]:
    while True:
        frame = judge.receive()
        if frame == {"done": True}:
            return
        if "ask" in frame:
            judge.send(_asked(theirs, frame))
        else:
            yield frame


def _asked(theirs: Channel, frame: dict[str, Any]) -> Any:
    try:
        theirs.send(frame)
        return theirs.receive()
    except Closed:
        return {"gone": "crashed"}
