"""How far somebody is, as functions of plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeVar

Mark = Literal["open", "tried", "done"]


class State(Protocol):
    """What a mark is made from."""

    @property
    def passed(self) -> bool:
        """Whether some answer passed."""

    @property
    def tried(self) -> bool:
        """Whether something was sent."""


class HasId(Protocol):
    """Something with an id."""

    @property
    def id(self) -> str:
        """Unique over all topics."""


T = TypeVar("T", bound=HasId)


def mark(state: State | None) -> Mark:
    """done once an answer passed, whatever came after it; tried once something was sent; else open."""
    if state is None or not state.tried:
        return "open"
    return "done" if state.passed else "tried"


def mark_of_many(marks: Sequence[Mark]) -> Mark:
    """done when all are (and there are any), open when all are, else tried."""
    if marks and all(one == "done" for one in marks):
        return "done"
    return "open" if all(one == "open" for one in marks) else "tried"


def share(marks: Sequence[Mark]) -> float:
    """The part that is done, 0 to 1; 0 of nothing."""
    return sum(one == "done" for one in marks) / len(marks) if marks else 0.0


def first_open(items: Sequence[T], mark_of: Callable[[str], Mark]) -> T | None:
    """What to do next: the first item, in order, that is not done. None when all are."""
    return next((item for item in items if mark_of(item.id) != "done"), None)


def points(centipoints: int) -> str:
    """Hundredths of a point as a learner reads them: 250 is "2.5", 100 is "1"."""
    whole, rest = divmod(centipoints, 100)
    return f"{whole}.{rest:02d}".rstrip("0") if rest else str(whole)


def starting_place(asked: int | None, marks: Sequence[Mark]) -> int:
    """Which item of a set to show, from 1: the one asked for if it exists, else the first not done."""
    if asked is not None and 1 <= asked <= len(marks):
        return asked
    return next((number for number, one in enumerate(marks, 1) if one != "done"), 1)
