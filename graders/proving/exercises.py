"""An exercise proves itself: its solution passes, its starter does not, its wrong answers end as they say."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from graders.authoring import shown
from graders.exercise import Exercise, WrongAnswer
from graders.proving.proof import Found, Grades, Proof, one_line, timed
from graders.verdict import CheckResult, CheckStatus, Status, Verdict

SOLUTION_SEEDS = 3
_OURS = {Status.FAULT, Status.STOPPED}


@dataclass(frozen=True)
class Attempt:
    """One proof of an exercise that is yet to be made.

    name: a short one, such as "wrong/adds.py". file: of the exercise, what has to be mended if it fails.
    claim: what is to be shown. on_solution: whether it grades the solution.
    """

    name: str
    file: str
    claim: str
    on_solution: bool
    exercise: Exercise
    find: Callable[[Grades], Found]

    def make(self, grader: Grades) -> Proof:
        """The proof, with the time that it took."""
        return timed(self.exercise.id, self.claim, partial(self.find, grader))


def attempts(exercise: Exercise) -> tuple[Attempt, ...]:
    """All proofs of one exercise, in order. Their seeds follow from its id, so a second run repeats them."""
    solution = [
        Attempt(
            f"solution[{number + 1}]",
            "solution.py",
            f"solution.py passes, seed {number + 1}",
            True,
            exercise,
            partial(_solution, exercise, number),
        )
        for number in range(SOLUTION_SEEDS)
    ]
    starter = Attempt(
        "starter", "starter.py", "starter.py does not pass", False, exercise, partial(_starter, exercise)
    )
    wrong = [
        Attempt(
            f"wrong/{each.filename}",
            f"wrong/{each.filename}",
            f"wrong/{each.filename}: {each.status}",
            False,
            exercise,
            partial(_wrong, exercise, each),
        )
        for each in exercise.wrong
    ]
    return (*solution, starter, *wrong)


def prove_exercise(exercise: Exercise, grader: Grades) -> tuple[Proof, ...]:
    """Make all proofs of one exercise.

    Where a check breaks on the solution itself, the rest would only say so again and is left out.
    """
    proofs = []
    for attempt in attempts(exercise):
        proofs.append(attempt.make(grader))
        if attempt.on_solution and proofs[-1].log:
            break
    return tuple(proofs)


def seed_for(exercise: Exercise, number: int) -> str:
    """The seed, 32 hexadecimal digits, of the exercise's proof with this number."""
    return hashlib.sha256(f"{exercise.id} {number}".encode()).hexdigest()[:32]


def _solution(exercise: Exercise, number: int, grader: Grades) -> Found:
    verdict = grader.grade(
        exercise, exercise.solution, seed=seed_for(exercise, number), untouched_counts=True
    )
    evidence = _points(verdict)
    if verdict.status is Status.BROKEN:
        return _broken(exercise, verdict)
    if verdict.status is not Status.PASSED:
        return Found(evidence, "mend solution.py or the checks: " + _told(verdict))
    if not verdict.centipoints == verdict.max_centipoints == exercise.max_centipoints:
        expected = exercise.max_centipoints / 100
        return Found(evidence, f"the checks are worth {expected:g} by their heads; let each give its points")
    return Found(evidence)


def _starter(exercise: Exercise, grader: Grades) -> Found:
    verdict = grader.grade(exercise, exercise.starter, seed=seed_for(exercise, 0), untouched_counts=True)
    evidence = _points(verdict)
    if verdict.status is Status.PASSED:
        return Found(evidence, "take the answer out of starter.py, or check more")
    if verdict.status is Status.BROKEN:
        return _broken(exercise, verdict)
    if verdict.status in _OURS:
        return Found(evidence, "mend the checks: " + _told(verdict))
    return Found(evidence)


def _wrong(exercise: Exercise, wrong: WrongAnswer, grader: Grades) -> Found:
    verdict = grader.grade(exercise, wrong.source, seed=seed_for(exercise, 0))
    if verdict.status is Status.BROKEN:
        return _broken(exercise, verdict)
    if verdict.author_log:  # a known mistake that breaks changes no verdict, and its author must see it
        return _broken(exercise, verdict)
    if verdict.status != wrong.status:
        return Found(_points(verdict), f"it ended as {verdict.status}, not {wrong.status}: {_told(verdict)}")
    if wrong.check is None:
        texts = _texts(verdict)
    else:
        check = next((check for check in verdict.checks if check.name == wrong.check), None)
        if check is None:
            return Found(_points(verdict), f'the verdict has no check "{wrong.check}"')
        if check.status is CheckStatus.PASSED:
            return Found(_points(verdict), f'"{wrong.check}" passed; name the check that fails, or mend it')
        # A limit ends the checks before they could say anything: then the summary is what the learner reads.
        texts = _check_texts(check) if check.status is not CheckStatus.NOT_RUN else _texts(verdict)
    told = next((text for text in texts if wrong.says in text), None)
    if told is None:
        heard = one_line(" | ".join(text for text in texts if text))
        return Found(_points(verdict), f'nobody says "{wrong.says}"; what is said: {heard}')
    return Found(one_line(told))


def _broken(exercise: Exercise, verdict: Verdict) -> Found:
    """What the author has to mend, without what a learner is told: that it is not their fault."""
    where = f"{shown(Path(exercise.folder))}/" if exercise.folder else ""
    remedy = "\n".join(f"{where}{line}" for line in verdict.author_lines)
    return Found(_points(verdict), remedy or "mend the checks", verdict.author_log)


def _points(verdict: Verdict) -> str:
    return f"{verdict.status}, {verdict.centipoints / 100:g} of {verdict.max_centipoints / 100:g}"


def _told(verdict: Verdict) -> str:
    return one_line(" | ".join(text for text in (*_texts(verdict), verdict.author_log[-400:]) if text), 600)


def _texts(verdict: Verdict) -> list[str]:
    """Everything that the verdict tells the learner."""
    texts = [verdict.summary, *_error_texts(verdict)]
    for check in verdict.checks:
        if check.status is not CheckStatus.PASSED:
            texts += _check_texts(check)
    return texts


def _check_texts(check: CheckResult) -> list[str]:
    return [check.message, check.got, check.expected, check.hint, *_error_texts(check)]


def _error_texts(part: Verdict | CheckResult) -> list[str]:
    error = part.error
    return [f"{error.type}: {error.message}", error.what, error.why, error.hint] if error else []
