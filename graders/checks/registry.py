"""`@check`: what makes a function one check of an exercise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from graders.checks.collecting import Collector, parameters_of
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


checks_of_file: Final = Collector[Check]()


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
        parameters = parameters_of(function, f"check {name!r}")
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
        if checks_of_file.items is None:
            return function
        if any(known.name == name for known in checks_of_file.items):
            raise AuthorError(f"check {name!r}: there are two checks of this name; give each its own")
        checks_of_file.items.append(Check(name, function, centipoints, hint, parameters))
        return function

    return register


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
