"""What a jail does while nobody waits for it: one whole grading of a neutral program of ours.

The first use of anything costs: pages of memory that must be copied, caches that must fill, for a small
exercise more than all of its own work. So a jail that waits for its one submission goes through the motions
beforehand, with these texts and never with anything of an exercise. What it leaves behind is what any program
leaves that ran in the same process and did the same things; seeds, streams and modules are set anew for the
real one.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from graders import wire
from graders.inside import checker, learner
from graders.inside.answering import Answering
from graders.inside.output import Streams

_PROGRAM: Final = """\
import torch


def scaled(t: torch.Tensor) -> torch.Tensor:
    return t * 2 if t.item() < 0 else t + 1


w = torch.tensor(0.5, requires_grad=True)
v = scaled(w)
v.backward()


def slope(at: float) -> float:
    t = torch.tensor(at, requires_grad=True)
    scaled(t).backward()
    return t.grad.item()
"""

_CHECKS: Final = """\
from graders.checks import check, close


@check("a neutral name")
def name(answer):
    assert answer["v"].grad_fn is not None
    assert answer["w"].grad == 1.0


@check("a neutral function")
def function(answer, draw, reference):
    for at in draw.floats(-2, -1, n=2) + draw.floats(1, 2, n=2):
        assert close(answer.call("slope", at), reference["slope"](at))
"""

_ASKED: Final = (
    {"op": "get", "name": "v"},
    {"op": "get", "name": "w"},
    *({"op": "call", "name": "slope", "args": [at], "kwargs": {}} for at in (-0.5, 0.5)),
)


_FIRST: Final = {
    "solution": _PROGRAM,
    "source": _PROGRAM,
    "expects": [],
    "replaces": [],
    "seed": 0,
    "backwards": False,
    "from": 0,
}


def rehearse(role: str) -> list[Any]:
    """Go through a grading as that side ("learner" or "checker"). Returns the frames it would have sent."""
    if role == "learner":
        script = _Script()
        learner.serve(script, {"source": _PROGRAM, "seed": 0, "then": "answer"})
        return script.sent
    stage = _Stage()
    checker.serve(stage, {**_FIRST, "checks": _CHECKS})
    return stage.sent


class _Script(wire.Channel):
    """A supervisor with a fixed list of questions."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self._asks = deque(_ASKED)

    def send(self, value: Any) -> None:
        self.sent.append(wire.decode(wire.encode(value)))

    def receive(self) -> Any:
        if not self._asks:
            raise wire.Closed
        return wire.decode(wire.encode({"ask": self._asks.popleft()}))


class _Stage(wire.Channel):
    """A supervisor with a learner's process behind it, which is this one."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        loaded = learner.load({"source": _PROGRAM, "seed": 0})
        assert loaded.module is not None
        self._answering = Answering(loaded.module, loaded.lines, Streams())

    def send(self, value: Any) -> None:
        self.sent.append(wire.decode(wire.encode(value)))

    def receive(self) -> Any:
        last = self.sent[-1]
        if "ask" not in last:
            return {"go": True}
        return wire.decode(wire.encode(learner.answer(self._answering, last)))
