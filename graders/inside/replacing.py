"""Checks that run the learner's code again with another number in it, and compare with solution.py.

Whoever has written down the answer to the numbers of the task has nothing to say about others.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from graders.checks import Answer, Draw, close
from graders.checks.faults import AuthorError, Disagreement, Gone, LearnerRaised
from graders.checks.journal import journal
from graders.checks.registry import Check
from graders.checks.reports import base_names, error_report
from graders.inside import literals

_TRIES = 100  # a range in which so many draws meet the number of the task holds no other

RunAgain = Callable[[str], Any]  # sends {"again": text}, returns the supervisor's frame
Names = Callable[[str], tuple[str, ...]]  # the learner's names in an expression


def replace_check(replace: dict[str, Any], source: str, solution: str, names: Names) -> Check:
    """The check that one [[replace]] stands for. source: the learner's text.

    Raises: AuthorError if solution.py has no such literal.
    """
    name, variable, literal = replace["name"], replace["variable"], replace["literal"]
    in_solution = literals.find(solution, variable, literal)
    if in_solution is None:
        raise AuthorError(
            f"check {name!r}: no line of solution.py that makes {variable} has a {literal}; name one"
        )

    def holds(answer: Answer, draw: Draw, again: RunAgain) -> None:
        in_source = literals.find(source, variable, literal)
        if in_source is None:
            raise Disagreement(
                f"Your code was to be run again with another number in place of {literal}, and no line that "
                f"makes {variable} holds it. Write {variable} with the {literal} of the task.",
                f"no {literal} in a line that makes {variable}",
                f"{variable} made from {literal}",
            )
        for number in _drawn(replace, draw):
            expected = _run(literals.replace(solution, in_solution, number))
            _learner_runs(again, literals.replace(source, in_source, number), f"{number}")
            for expression in replace["compare"]:
                right = _of_solution(expression, expected, names(expression), name)
                if not close(_of_learner(expression, answer, names(expression)), right):
                    found = journal.last
                    assert found is not None
                    raise Disagreement(
                        f"Your code was run again with {number} in place of {literal} in the line that makes "
                        f"{variable}. {found.message}",
                        found.got,
                        found.expected,
                    )

    return Check(name, holds, replace["centipoints"], replace["hint"], ("answer", "draw", "again"))


def _drawn(replace: dict[str, Any], draw: Draw) -> Sequence[float]:
    """One number for each piece that the edges leave, whole if the task's is, and never the task's.

    Raises: AuthorError if the range holds none.
    """
    literal, low, high, edges = replace["literal"], replace["low"], replace["high"], replace["clear_of"]
    if isinstance(literal, int):
        return [_whole(*piece, literal, draw) for piece in literals.whole_pieces(low, high, edges)]
    for _ in range(_TRIES):
        numbers = draw.floats(low, high, n=len(edges) + 1, clear_of=edges)
        if literal not in numbers:
            return numbers
    raise AuthorError(f"check {replace['name']!r}: {low:g} to {high:g} holds no number other than {literal}")


def _whole(first: int, last: int, literal: int, draw: Draw) -> int:
    """A whole number from first to last, but not the literal."""
    if not first <= literal <= last:
        return draw.integers(first, last, n=1)[0]
    (number,) = draw.integers(first, last - 1, n=1)
    return number + (number >= literal)


def _run(solution: str) -> dict[str, Any]:
    module = types.ModuleType("__main__")
    exec(compile(solution, "solution.py", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def _learner_runs(again: RunAgain, changed: str, number: str) -> None:
    """Have the changed code run in a jail of its own; the answers are that one's from now on."""
    frame = again(changed)
    if not isinstance(frame, dict) or "gone" in frame:
        raise Gone
    if "raised" in frame:
        raise LearnerRaised(
            error_report(frame["raised"]),
            base_names(frame.get("bases")),
            f"Your code, run again with {number},",
        )
    if "refused" in frame:
        raise Disagreement(f"Your code could not be run again with {number}: {frame['refused']}")


def _of_learner(expression: str, answer: Answer, names: tuple[str, ...]) -> Any:
    return eval(expression, {"torch": torch, **{name: answer[name] for name in names}})


def _of_solution(expression: str, made: dict[str, Any], names: tuple[str, ...], check: str) -> Any:
    missing = [name for name in names if name not in made]
    if missing:
        raise AuthorError(f"check {check!r}: solution.py makes no {missing[0]}")
    right = eval(expression, {"torch": torch, **{name: made[name] for name in names}})
    if isinstance(right, torch.Tensor):
        return right.detach()
    return right
