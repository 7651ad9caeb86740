"""Whether the checks of an exercise notice small mistakes: every mutant of the solution is graded.

A mutant that passes is a survivor, unless it is no other program at all: one that answers as the solution
does, under several seeds and with inputs that the checks never draw, in values, gradients and graph. Such a
mutant does not count.
"""

from __future__ import annotations

import ast
import math
import re
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final

from graders.exercise import Exercise
from graders.proving.exercises import Attempt, file_of, seed_for
from graders.proving.mutants import Mutant, mutants
from graders.proving.proof import Compares, Found
from graders.replay import FORMATS, Frame, Query
from graders.verdict import ErrorReport, Status, Verdict
from graders.wire import Tensor

LEAST_SCORE: Final = 0.85  # of one exercise
SEEDS_TO_COMPARE: Final = 3
_RELATIVE, _ABSOLUTE = 1e-5, 1e-7  # between two ways to compute one number in float32

# A change that fits no value of that kind is no mistake that anybody makes: it is not counted.
_FITS_NOT: Final = re.compile(
    r"has no attribute '(detach|item|data|add_|sub_|mul_|div_)'|cannot be converted to Scalar|"
    r"unsupported operand type|can't multiply sequence"
)


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EXCUSED = "excused"  # survived, and the author has written why that is right
    EQUIVALENT = "equivalent"
    UNFIT = "unfit"
    BROKEN = "broken"  # the checks themselves broke on it


@dataclass(frozen=True)
class Judged:
    """A mutant and its fate. told: of a killed one the summary, of a broken one the traceback."""

    mutant: Mutant
    fate: Fate
    told: str


def mutants_attempt(exercise: Exercise) -> Attempt:
    """To show that the checks notice mistakes in the solution: how many, and which they do not."""
    claim = "mutants of solution.py do not pass"
    return Attempt("mutants", "solution.py", claim, False, exercise, partial(_found, exercise))


def judged(exercise: Exercise, grader: Compares) -> tuple[Judged, ...]:
    """The fate of each mutant of the solution."""
    original = _Original(exercise, grader)
    return tuple(_judge(exercise, mutant, grader, original) for mutant in mutants(exercise.solution))


def score(counts: Mapping[str, int]) -> float | None:
    """Killed / (killed + survived), excused ones among the survived; None where there is neither."""
    killed = counts.get(Fate.KILLED, 0)
    counted = killed + counts.get(Fate.SURVIVED, 0) + counts.get(Fate.EXCUSED, 0)
    return killed / counted if counted else None


def _found(exercise: Exercise, grader: Compares) -> Found:
    whole = grader.grade(exercise, exercise.solution, seed=seed_for(exercise, 0), untouched_counts=True)
    if whole.status is not Status.PASSED:
        return Found("not tried, since solution.py itself does not pass")
    found = judged(exercise, grader)
    counts = Counter(each.fate.value for each in found)
    reached = score(counts)
    listed = ", ".join(f"{counts[fate]} {fate}" for fate in Fate if counts[fate]) or "no mutant"
    evidence = f"score {reached:.2f}: {listed}" if reached is not None else f"no score: {listed}"
    solution = file_of(exercise, "solution.py")
    remedies = [
        f"{solution}:{each.mutant.line}: {each.mutant.change}: passes; check that, "
        "or excuse it with a reason in an [[excuse]] of item.toml"
        for each in found
        if each.fate is Fate.SURVIVED
    ]
    remedies += [
        f"{solution}:{each.mutant.line}: {each.mutant.change}: checks.py breaks on it; mend the check"
        for each in found
        if each.fate is Fate.BROKEN
    ]
    used = {each.mutant.change for each in found if each.fate is Fate.EXCUSED}
    remedies += [
        f'{file_of(exercise, "item.toml")}: [[excuse]] "{excuse.mutant}": '
        "no mutant of that name passes; take the excuse out"
        for excuse in exercise.excuses
        if excuse.mutant not in used
    ]
    if reached is not None and reached < LEAST_SCORE and not remedies:
        remedies.append(
            f"{solution}:1: the score is {reached:.2f}, less than {LEAST_SCORE}; "
            "an excuse is no check: write some"
        )
    log = "\n".join(each.told for each in found if each.fate is Fate.BROKEN)
    return Found(evidence, "\n".join(remedies), log, is_placed=True, counts=dict(counts))


class _Original:
    """The solution's answers, asked for once and only if a mutant has passed."""

    def __init__(self, exercise: Exercise, grader: Compares) -> None:
        self._exercise = exercise
        self._source = ast.unparse(ast.parse(exercise.solution))  # laid out as the mutants are
        self._grader = grader
        self._known: list[tuple[str, tuple[Query, ...], list[Frame]]] = []

    def is_like(self, source: str) -> bool:
        """Whether a program answers everything alike."""
        if not self._known:
            for number in range(SEEDS_TO_COMPARE):
                seed = seed_for(self._exercise, number)
                queries = self._grader.questions(self._exercise, seed=seed)
                frames = self._grader.answers(self._exercise, self._source, queries, seed=seed)
                self._known.append((seed, queries, frames))
        return all(
            alike(frames, self._grader.answers(self._exercise, source, queries, seed=seed))
            for seed, queries, frames in self._known
        )


def _judge(exercise: Exercise, mutant: Mutant, grader: Compares, original: _Original) -> Judged:
    verdict = grader.grade(exercise, mutant.source, seed=seed_for(exercise, 0), untouched_counts=True)
    if verdict.status is Status.BROKEN:
        return Judged(mutant, Fate.BROKEN, verdict.author_log)
    if verdict.status is not Status.PASSED:
        fate = (
            Fate.UNFIT if any(_FITS_NOT.search(error.message) for error in _errors(verdict)) else Fate.KILLED
        )
        return Judged(mutant, fate, verdict.summary)
    if original.is_like(mutant.source):
        return Judged(mutant, Fate.EQUIVALENT, "")
    if any(excuse.mutant == mutant.change for excuse in exercise.excuses):
        return Judged(mutant, Fate.EXCUSED, "")
    return Judged(mutant, Fate.SURVIVED, "")


def _errors(verdict: Verdict) -> list[ErrorReport]:
    found = [verdict.error, *(check.error for check in verdict.checks)]
    return [error for error in found if error is not None]


def alike(one: Any, other: Any) -> bool:
    """Whether two answers say the same, up to the rounding of numbers."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and "raised" in one and "raised" in other:
        return bool(one["raised"]["type"] == other["raised"]["type"])  # the same error, at whatever line
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(part, other[key]) for key, part in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float):
        return _close(one, other)
    if isinstance(one, Tensor):
        flags = (one.dtype, one.shape, one.requires_grad) == (other.dtype, other.shape, other.requires_grad)
        return flags and (one.data == other.data or _close_data(one, other))
    return bool(one == other)


def _close(one: float, other: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _close_data(one: Tensor, other: Tensor) -> bool:
    if one.dtype not in FORMATS:
        return False
    form = f"<{FORMATS[one.dtype]}"
    pairs = zip(struct.iter_unpack(form, one.data), struct.iter_unpack(form, other.data), strict=True)
    return all(_close(first, second) for (first,), (second,) in pairs)
