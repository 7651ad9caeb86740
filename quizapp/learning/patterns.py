"""Every component in every state, for the page that shows them side by side (debug and tests only)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from graders.verdict import CheckResult, CheckStatus, ErrorReport, Frame, Output, RunReport, Status, Verdict
from quizapp.catalogue import Catalogue, Item, Kind
from quizapp.learning.pages import Door
from quizapp.submissions.models import Run, Submission
from quizapp.submissions.rules import Refusal
from quizapp.submissions.showing import answer_tokens

_SOURCE = "import torch\n\nx = torch.tensor(2.0)\nz = (x * 3) ** 2\nz.backward()\nprint(x.grad)\n"
_ERROR = ErrorReport(
    type="RuntimeError",
    message="element 0 of tensors does not require grad and does not have a grad_fn",
    line=5,
    column=0,
    end_column=12,
    frames=(Frame(5, "<module>", "z.backward()"),),
    what="backward() was called on a tensor without a graph behind it.",
    why="No tensor in its computation had requires_grad=True.",
    hint="Make the input with requires_grad=True and compute the result from that very tensor.",
)
_CHECKS = (
    CheckResult("x.grad is 36.0", CheckStatus.PASSED, 100, 100),
    CheckResult(
        "the gradient follows x",
        CheckStatus.FAILED,
        0,
        200,
        message="gradient_at(-1.5) is 36.0; expected -27.0.",
        got="36.0",
        expected="-27.0",
        hint="Compute z from the value that is given, and let backward() find the gradient.",
    ),
    CheckResult("another value", CheckStatus.ERROR, 0, 100, message="It raised KeyError.", error=_ERROR),
    CheckResult("not reached", CheckStatus.NOT_RUN, 0, 100),
)
_SUMMARIES = {
    Status.PASSED: "All 3 checks pass.",
    Status.FAILED: "1 of 4 checks passes. The gradient at -1.5 is 36.0 where -27.0 is expected.",
    Status.ERROR: "Your code stopped at line 5.",
    Status.TIMEOUT: "Your code was stopped after 5 seconds, the limit. Look for a loop that never ends.",
    Status.MEMORY: "Your code was stopped at 512 MiB, the limit.",
    Status.OUTPUT_LIMIT: "Your code printed more than 64 KiB, the limit.",
    Status.TOO_MANY_PROCESSES: "Your code started more than 32 processes, the limit.",
    Status.CRASHED: "Your program ended itself before it could be checked.",
    Status.FORBIDDEN: "Your code tried to open a network connection, which is not possible here.",
    Status.NOT_GRADABLE: "This is still the code that you were given. Change it, then submit.",
    Status.STOPPED: "You stopped it.",
    Status.BROKEN: "The exercise's own checks failed. Its author has been told.",
    Status.FAULT: "We could not grade it. It will be graded again.",
}


def samples(catalogue: Catalogue) -> dict[str, Any]:
    """The context of learning/patterns.html, made from the first item of each kind that there is."""
    items = {item.kind: item for topic in reversed(catalogue.topics()) for item in reversed(topic.items)}
    return {
        "items": {kind.value: item for kind, item in items.items()},
        "verdicts": [_verdict(items[Kind.EXERCISE], status) for status in Status]
        if Kind.EXERCISE in items
        else [],
        "waiting": [_waiting(items[Kind.EXERCISE], state) for state in ("waiting", "delayed")]
        if Kind.EXERCISE in items
        else [],
        "runs": [
            _run(items[Kind.EXERCISE], status) for status in (Status.PASSED, Status.ERROR, Status.TIMEOUT)
        ]
        if Kind.EXERCISE in items
        else [],
        "reviews": [_review(items[kind], answer, state) for kind, answer, state in _REVIEWS if kind in items],
        "refusals": list(Refusal),
        "doors": [
            Door("A gradient through a branch", "Exercise · medium", "#", "Open the exercise", "open"),
            Door("Quick check", "5 questions · 2 done", "#", "Go on", "tried"),
            Door("Recall cards", "5 cards · 5 done", "#", "Look again", "done"),
        ],
        "output": Output(stdout="6.0\n" * 3, stderr="a warning\n", stdout_cut=12_345),
    }


_REVIEWS: tuple[tuple[Kind, dict[str, Any], str], ...] = (
    (Kind.CHOICE, {"option": "A"}, "passed"),
    (Kind.CHOICE, {"option": "C"}, "failed"),
    (Kind.MULTIPLE, {"options": ["A", "B"]}, "failed"),
    (Kind.NUMERIC, {"typed": "45"}, "failed"),
    (Kind.TEXT, {"typed": "grad_fn"}, "passed"),
    (Kind.OUTPUT, {"typed": "4.0\n3.0"}, "failed"),
    (Kind.CARD, {"knew": True}, "passed"),
    (Kind.CARD, {"knew": False}, "failed"),
    (Kind.PROMPT, {"text": "It is built while the code runs."}, "ticks"),
    (Kind.PROMPT, {"text": "It is built while the code runs.", "ticked": [0]}, "failed"),
)


def _submission(item: Item, answer: dict[str, Any]) -> Submission:
    return Submission(
        public_id=UUID(int=0),
        item_id=item.id,
        attempt_no=2,
        answer=answer,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def _context(item: Item, answer: dict[str, Any], state: str) -> dict[str, Any]:
    return {
        "item": item,
        "submission": _submission(item, answer),
        "state": state,
        "verdict": None,
        "attempt": 2,
        "reveal": True,
        "poll_url": None,
        "changed_since": False,
        "tokens": answer_tokens(item),
    }


def _review(item: Item, answer: dict[str, Any], state: str) -> dict[str, Any]:
    return _context(item, answer, state)


def _verdict(item: Item, status: Status) -> dict[str, Any]:
    with_checks = status in {Status.FAILED, Status.PASSED}
    checks = _CHECKS if status is Status.FAILED else _CHECKS[:1] if with_checks else ()
    verdict = Verdict(
        status=status,
        summary=_SUMMARIES[status],
        centipoints=sum(check.centipoints for check in checks),
        max_centipoints=sum(check.max_centipoints for check in checks),
        checks=checks,
        milliseconds=42.0,
        output=Output(stdout="36.0\n") if with_checks else Output(),
        error=_ERROR if status is Status.ERROR else None,
    )
    return _context(item, {"source": _SOURCE}, status.value) | {
        "verdict": verdict,
        "attempt": 2 if status.costs_attempt else None,
    }


def _waiting(item: Item, state: str) -> dict[str, Any]:
    return _context(item, {"source": _SOURCE}, state) | {"poll_url": "#", "reveal": False}


def _run(item: Item, status: Status) -> dict[str, Any]:
    report = RunReport(
        status=status,
        summary="" if status is Status.PASSED else _SUMMARIES[status],
        output=Output(stdout="tensor(36.)\n"),
        error=_ERROR if status is Status.ERROR else None,
        milliseconds=12.0,
    )
    run = Run(public_id=UUID(int=0), item_id=item.id, source=_SOURCE)
    return {"item": item, "run": run, "state": status.value, "report": report, "poll_url": None}
