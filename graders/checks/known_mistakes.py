"""`@mistake`: what an author knows to go wrong, and the words for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from graders.checks.collecting import Collector, parameters_of
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


mistakes_of_file: Final = Collector[Mistake]()


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
        parameters = parameters_of(function, "mistake")
        unknown = [parameter for parameter in parameters if parameter not in PARAMETERS]
        if unknown:
            raise AuthorError(
                f"mistake {function.__name__}: there is no {unknown[0]!r} to pass; "
                f"a mistake takes {', '.join(PARAMETERS)}"
            )
        if mistakes_of_file.items is not None:
            mistakes_of_file.items.append(Mistake(function, checks, parameters))
        return function

    return register
