"""`@mistake`: what an author knows to go wrong, and the words for it."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from graders.checks.faults import AuthorError

MistakeFunction = Callable[..., object]

PARAMETERS = ("answer", "source", "draw", "reference")


@dataclass(frozen=True)
class Mistake:
    """One known mistake. checks: the names of those that it explains; none means every check."""

    function: MistakeFunction
    checks: tuple[str, ...]
    parameters: tuple[str, ...]

    def explains(self, check: str) -> bool:
        """Whether it is tried when this check says no."""
        return not self.checks or check in self.checks


_collecting: list[Mistake] | None = None


def mistake(*checks: str) -> Callable[[MistakeFunction], MistakeFunction]:
    """Make a function one known mistake: tried when one of these checks (or, without names, any) says no.

    The function takes what it needs by parameter name: `answer`, `source` (the learner's text), `draw`,
    `reference`. It returns the sentence for the learner, or None if it was not this mistake. Mistakes are
    tried in the order of the file; the first sentence is shown after what the check itself says.
    """
    if not all(isinstance(check, str) and check for check in checks):
        raise AuthorError(
            'mistake: name the checks that it explains: @mistake("x.grad is 6.0"), or @mistake()'
        )

    def register(function: MistakeFunction) -> MistakeFunction:
        if not isinstance(function, types.FunctionType):
            raise AuthorError(
                f"mistake: what is decorated must be a function, not a {type(function).__name__}"
            )
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        unknown = [parameter for parameter in parameters if parameter not in PARAMETERS]
        if unknown:
            raise AuthorError(
                f"mistake {function.__name__}: there is no {unknown[0]!r} to pass; "
                f"a mistake takes {', '.join(PARAMETERS)}"
            )
        if _collecting is not None:
            _collecting.append(Mistake(function, checks, parameters))
        return function

    return register


@contextmanager
def collecting_mistakes() -> Iterator[list[Mistake]]:
    """The list into which `@mistake` puts what it decorates, in the order of the file."""
    global _collecting  # noqa: PLW0603 -- a decorator has no other way to its file's loader
    found: list[Mistake] = []
    before, _collecting = _collecting, found
    try:
        yield found
    finally:
        _collecting = before
