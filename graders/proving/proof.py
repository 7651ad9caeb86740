"""One proof and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from graders.exercise import Exercise, Limits
from graders.verdict import RunReport, Verdict


class Grades(Protocol):
    """What proving needs of a grader."""

    def grade(
        self, exercise: Exercise, source: str, *, seed: str | None = None, untouched_counts: bool = False
    ) -> Verdict:
        """The verdict on `source`; with `untouched_counts` the unchanged starter is graded too."""
        ...

    def run(self, source: str, *, limits: Limits | None = None) -> RunReport:
        """What `source` did, ungraded."""
        ...


@dataclass(frozen=True)
class Proof:
    """What was to be shown of one item, and whether it holds.

    proof: what is claimed, in a few words. evidence: what was seen.
    remedy: what the author should do, a line for each thing; "" when it holds.
    log: the tracebacks of checks that broke, "" if none did.
    """

    item: str
    proof: str
    ok: bool
    evidence: str
    remedy: str
    milliseconds: float
    log: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return asdict(self)


@dataclass(frozen=True)
class Found:
    """What one attempt at a proof saw; it holds if there is no remedy."""

    evidence: str
    remedy: str = ""
    log: str = ""


def timed(item: str, proof: str, attempt: Callable[[], Found]) -> Proof:
    """The proof that `attempt` makes, with the time that it took."""
    started = time.perf_counter()
    found = attempt()
    milliseconds = (time.perf_counter() - started) * 1000
    return Proof(
        item, proof, not found.remedy, found.evidence, found.remedy, round(milliseconds, 1), found.log
    )


def one_line(text: str, longest: int = 160) -> str:
    """Text for a table's cell: without line breaks, cut with a mark."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
