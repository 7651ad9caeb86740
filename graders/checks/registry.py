"""`@check`, and how the checks of one file are collected."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from graders.checks.faults import AuthorError

CheckFunction = Callable[..., object]  # anything but None returned is a mistake that is told

PARAMETERS = ("answer", "draw", "reference")
MAX_POINTS = 10_000


@dataclass(frozen=True)
class Check:
    """One check of an exercise. centipoints: hundredths of a point, more than 0."""

    name: str
    function: CheckFunction
    centipoints: int
    hint: str
    parameters: tuple[str, ...]


_collecting: list[Check] | None = None


def check(
    name: str, *, points: float | Fraction = 1, hint: str = ""
) -> Callable[[CheckFunction], CheckFunction]:
    """Make a function one check of the exercise. The learner sees `name`, and `hint` when it fails.

    points: more than 0, at most 10,000, in whole hundredths (0.25 is, 1/3 is not). The function asserts, and
    returns nothing. It takes what it needs by parameter name: `answer` (the learner's code), `draw` (random
    inputs), `reference` (the names of solution.py).
    """
    centipoints = _centipoints(points, name)

    def register(function: CheckFunction) -> CheckFunction:
        if not isinstance(function, types.FunctionType):
            raise AuthorError(
                f"check {name!r}: what is decorated must be a function, not a {type(function).__name__}"
            )
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        unknown = [parameter for parameter in parameters if parameter not in PARAMETERS]
        if "source" in unknown:
            raise AuthorError(
                f"check {name!r}: a right value is right however it was written, so a check cannot ask about "
                "the text; write a function under @mistake, which may, to say what went wrong"
            )
        if unknown:
            raise AuthorError(
                f"check {name!r}: there is no {unknown[0]!r} to pass; a check takes {', '.join(PARAMETERS)}"
            )
        if _collecting is None:
            return function
        if any(known.name == name for known in _collecting):
            raise AuthorError(f"check {name!r}: there are two checks of this name; give each its own")
        _collecting.append(Check(name, function, centipoints, hint, parameters))
        return function

    return register


@contextmanager
def collecting() -> Iterator[list[Check]]:
    """The list into which `@check` puts what it decorates, in the order of the file."""
    global _collecting  # noqa: PLW0603 -- a decorator has no other way to its file's loader
    found: list[Check] = []
    before, _collecting = _collecting, found
    try:
        yield found
    finally:
        _collecting = before


def _centipoints(points: Any, name: str) -> int:
    if not isinstance(name, str) or not name.strip():
        raise AuthorError('a check needs a name: @check("x.grad is 6.0")')
    if isinstance(points, bool) or not isinstance(points, int | float | Fraction):
        raise AuthorError(f"check {name!r}: points is {points!r}; it must be a number")
    try:
        exact = Fraction(points if isinstance(points, int) else str(points)) * 100  # 0.29 is 29 hundredths
    except ValueError:
        raise AuthorError(f"check {name!r}: points is {points!r}; it must be a finite number") from None
    if exact.denominator != 1 or not 0 < exact <= MAX_POINTS * 100:
        raise AuthorError(
            f"check {name!r}: points is {points}; "
            f"it must be more than 0, at most {MAX_POINTS:,}, in whole hundredths"
        )
    return int(exact)
