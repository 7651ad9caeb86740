"""One proof and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from graders.exercise import Exercise, Limits
from graders.replay import Frame, Query
from graders.verdict import RunReport, Verdict


class Grades(Protocol):
    """What proving needs of a grader."""

    def grade(
        self,
        exercise: Exercise,
        source: str,
        *,
        seed: str | None = None,
        untouched_counts: bool = False,
        backwards: bool = False,
    ) -> Verdict:
        """The verdict on `source`; with `untouched_counts` the unchanged starter is graded too.

        backwards: run the checks last to first.
        """
        ...

    def run(self, source: str, *, limits: Limits | None = None) -> RunReport:
        """What `source` did, ungraded."""
        ...


class Compares(Grades, Protocol):
    """What comparing two programs needs of a grader."""

    def questions(self, exercise: Exercise, *, seed: str) -> tuple[Query, ...]:
        """What the checks ask of the solution."""
        ...

    def answers(
        self, exercise: Exercise, source: str, queries: tuple[Query, ...], *, seed: str
    ) -> list[Frame]:
        """What a program answers."""
        ...


@dataclass(frozen=True)
class Proof:
    """What was to be shown of one item, and whether it holds.

    proof: what is claimed, in a few words. evidence: what was seen.
    remedy: what the author should do, a line for each thing; "" when it holds.
    log: the tracebacks of checks that broke, "" if none did. where: file and line that the remedy is about;
    "" if they are unknown, or if the remedy names them itself. counts: of what was tried, by how it ended.
    """

    item: str
    proof: str
    ok: bool
    evidence: str
    remedy: str
    milliseconds: float
    log: str = ""
    where: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return asdict(self)


@dataclass(frozen=True)
class Found:
    """What one attempt at a proof saw; it holds if there is no remedy.

    is_placed: whether each line of the remedy says its file and line itself. failed: the names of the checks
    that said no. counts: see Proof.
    """

    evidence: str
    remedy: str = ""
    log: str = ""
    is_placed: bool = False
    failed: frozenset[str] = frozenset()
    counts: dict[str, int] = field(default_factory=dict)


def timed(item: str, proof: str, attempt: Callable[[], Found], where: str = "") -> Proof:
    """The proof that `attempt` makes, with the time that it took."""
    started = time.perf_counter()
    found = attempt()
    milliseconds = (time.perf_counter() - started) * 1000
    return proof_of(item, proof, found, milliseconds, where)


def proof_of(item: str, proof: str, found: Found, milliseconds: float, where: str) -> Proof:
    """What was found, as a proof."""
    where = "" if found.is_placed else where
    return Proof(
        item,
        proof,
        not found.remedy,
        found.evidence,
        found.remedy,
        round(milliseconds, 1),
        found.log,
        where,
        found.counts,
    )


def one_line(text: str, longest: int = 160) -> str:
    """Text for a table's cell: without line breaks, cut with a mark."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
