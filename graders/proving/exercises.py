"""An exercise proves itself: its solution passes, its starter does not, its wrong answers end as they say."""

from __future__ import annotations

import ast
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from graders.authoring import shown
from graders.exercise import Exercise, WrongAnswer
from graders.proving.proof import Compares, Found, Grades, Proof, one_line, proof_of, timed
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
    find: Callable[[Compares], Found]

    @property
    def where(self) -> str:
        """File and line that a complaint is about."""
        return f"{file_of(self.exercise, self.file)}:1"

    def make(self, grader: Compares) -> Proof:
        """The proof, with the time that it took."""
        return timed(self.exercise.id, self.claim, partial(self.find, grader), self.where)


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
    solution += [
        Attempt(
            "solution[backwards]",
            "solution.py",
            "solution.py passes, checks last to first",
            True,
            exercise,
            partial(_solution, exercise, 0, backwards=True),
        ),
        Attempt(
            "solution[2 threads]",
            "solution.py",
            "solution.py passes, 2 threads",
            True,
            exercise,
            partial(_solution, exercise, 0, source=with_threads(exercise.solution, 2)),
        ),
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


def prove_exercise(exercise: Exercise, grader: Compares) -> tuple[Proof, ...]:
    """Make all proofs of one exercise.

    Where a check breaks on the solution itself, the rest would only say so again and is left out.
    """
    made = attempts(exercise)
    proofs = []
    failed: set[str] = set()
    for attempt in made:
        started = time.perf_counter()
        found = attempt.find(grader)
        milliseconds = (time.perf_counter() - started) * 1000
        proofs.append(proof_of(exercise.id, attempt.claim, found, milliseconds, attempt.where))
        if attempt.on_solution and found.log:
            return tuple(proofs)
        failed |= found.failed
    if any(attempt.on_solution and not proof.ok for attempt, proof in zip(made, proofs, strict=True)):
        return tuple(proofs)
    return (*proofs, _every_check_can_fail(exercise, failed))


def _every_check_can_fail(exercise: Exercise, failed: set[str]) -> Proof:
    """That each check says no to the starter or to a known wrong answer, and so is worth its points."""
    idle = [name for name in exercise.check_names if name not in failed]
    remedy = "\n".join(
        f'"{name}" says no to nothing; write a wrong/*.py that it is there for, or take it out'
        for name in idle
    )
    found = Found(f"{len(exercise.check_names) - len(idle)} of {len(exercise.check_names)}", remedy)
    return proof_of(
        exercise.id, "each check says no to something", found, 0.0, f"{file_of(exercise, 'checks.py')}:1"
    )


def file_of(exercise: Exercise, name: str) -> str:
    """The path of one of its files, for messages."""
    return shown(Path(exercise.folder, name)) if exercise.folder else name


def seed_for(exercise: Exercise, number: int) -> str:
    """The seed, 32 hexadecimal digits, of the exercise's proof with this number."""
    return hashlib.sha256(f"{exercise.id} {number}".encode()).hexdigest()[:32]


def with_threads(source: str, threads: int) -> str:
    """The same program with so many threads for each operation of torch."""
    lines = source.split("\n")
    for node in ast.parse(source).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_docstring and not is_future:
            above = node.lineno - 1
            setting = f"import torch; torch.set_num_threads({threads})"
            return "\n".join([*lines[:above], setting, *lines[above:]])
    return source


def _solution(
    exercise: Exercise, number: int, grader: Grades, *, source: str = "", backwards: bool = False
) -> Found:
    verdict = grader.grade(
        exercise,
        source or exercise.solution,
        seed=seed_for(exercise, number),
        untouched_counts=True,
        backwards=backwards,
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
    return Found(evidence, failed=_failed(verdict))


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
    again = grader.grade(exercise, wrong.source, seed=seed_for(exercise, 1), backwards=True)
    passed = {check.name for check in again.checks if check.status is CheckStatus.PASSED}
    if again.status is not verdict.status or wrong.check in passed:
        return Found(
            _points(again),
            f"it ended as {verdict.status}, and as {again.status} with another seed and the checks last to "
            "first; let no check depend on luck or on another one",
        )
    return Found(one_line(told), failed=_failed(verdict))


def _failed(verdict: Verdict) -> frozenset[str]:
    decided = {CheckStatus.FAILED, CheckStatus.ERROR}
    return frozenset(check.name for check in verdict.checks if check.status in decided)


def _broken(exercise: Exercise, verdict: Verdict) -> Found:
    """What the author has to mend, without what a learner is told: that it is not their fault."""
    remedy = "\n".join(file_of(exercise, line) for line in verdict.author_lines)
    return Found(_points(verdict), remedy or "mend the checks", verdict.author_log, is_placed=bool(remedy))


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
