"""One grading, from two sealed jails to a verdict.

The learner's jail runs the submitted code and answers questions about it (learner_side.py). The checker's
jail holds the author's checks, the solution and the hidden inputs, and asks (checker_side.py). Both are
hostile to us and to each other as far as we are concerned: what passes between them is decoded and bounded,
whoever holds the word spends its own time, and the verdict is put together from what the checker said, field
by field.
"""

from __future__ import annotations

from typing import Any, Final

from graders import endings
from graders.checker_side import Checker, ChecksBrokenError
from graders.endings import Ending
from graders.exercise import Exercise
from graders.learner_side import Learner, LearnerGone, Program, ending_of_loading
from graders.sandbox.nursery import Nursery
from graders.sandbox.policy import Policy
from graders.verdict import CheckStatus, ErrorReport, Status, Verdict

__all__ = ["Learner", "LearnerGone", "ending_of_loading", "grade"]

_READY_SECONDS: Final = 1.0  # for the names of the checks, once the learner's code is known to have failed


def grade(
    nursery: Nursery,
    exercise: Exercise,
    source: str,
    *,
    seed: str,
    backwards: bool = False,
    asked: list[dict[str, Any]] | None = None,
) -> Verdict:
    """The verdict on one source, without its time. Raises: SandboxError when the fault is ours.

    backwards: run the checks last to first.
    asked: takes down what the checks ask of the program as it was submitted.
    """
    policy = Policy.of(exercise.limits)
    checker = Checker(nursery, policy, exercise, source, seed, backwards=backwards)
    try:
        program = Program(nursery, policy, source, seed, asked)
    except BaseException:
        checker.leave()
        raise
    try:
        return _converse(program, checker, seed, policy)
    finally:
        program.leave()
        checker.leave()


def _converse(program: Program, checker: Checker, seed: str, policy: Policy) -> Verdict:
    error: ErrorReport | None = None
    ending: Ending | None = None
    try:
        checker.start()
        try:
            program.start()
            ending, error = program.loaded()
        except LearnerGone as gone:
            ending = gone.ending
        if ending is None:
            checker.read_plan()
            checker.examine(program)
            ending = _ending_of_checks(checker, policy)
        else:
            checker.read_plan(_READY_SECONDS)
    except ChecksBrokenError as broken:
        checker.logs.append(str(broken))
        ending = ending or _broken()
    program.leave()
    results = checker.all_results()
    return Verdict(
        status=ending[0],
        summary=ending[1],
        centipoints=sum(result.centipoints for result in results),
        max_centipoints=sum(points for _name, points in checker.plan),
        checks=results,
        seed=seed,
        output=program.output,
        error=error,
        author_log="\n".join(filter(None, checker.logs)),
    )


def _ending_of_checks(checker: Checker, policy: Policy) -> Ending:
    """What all checks together say.

    A limit that ended one of them is the ending of all, the first of several; a broken check is the author's
    fault and comes before everything.
    """
    results = checker.results
    statuses = [result.status for result in results]
    if CheckStatus.BROKEN in statuses or len(results) < len(checker.plan):
        return _broken()
    total, passed = len(results), statuses.count(CheckStatus.PASSED)
    if passed == total:
        return Status.PASSED, "The check passes." if total == 1 else f"All {total} checks pass."
    first = next(result for result in results if result.status is not CheckStatus.PASSED)
    told = f"{passed} of {total} checks pass. {first.message}".strip()
    for place, result in enumerate(results):
        if place in checker.endings:
            status, why = checker.endings[place]
            return status, f"{passed} of {total} checks pass. {why}"
        if result.status is CheckStatus.ERROR and result.error is not None:
            status, why = endings.raised(result.error, policy)
            return status, told if status is Status.ERROR else why
    if CheckStatus.ERROR in statuses:
        return Status.ERROR, told
    return Status.FAILED, told


def _broken() -> Ending:
    return Status.BROKEN, (
        "This exercise could not be graded: its own checks failed. That is not your fault, and it costs you "
        "nothing. Its author has been told."
    )
