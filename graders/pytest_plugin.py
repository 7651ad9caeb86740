"""Exercises in pytest: each proof of a code exercise is a test, and a test of one's own can grade an answer.

Every pytest that runs where quizapp is installed loads this, under the name "quizapp". So it imports nothing
of ours, and starts no grader, before there is an exercise to test.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from graders.grader import Grader
    from graders.proving import Attempt, Proof
    from graders.verdict import Verdict

_ITEM = "item.toml"
_REST = ("prompt.md", "starter.py", "solution.py", "checks.py", "wrong")
_INDENT = "    "


class Grade(Protocol):
    """What the fixture `grade` gives to a test."""

    def __call__(self, exercise: str | Path, source: str, *, seed: str | None = None) -> Verdict:
        """The verdict on `source` as an answer to an exercise.

        exercise: its folder, as seen from pytest's root folder. seed: of an earlier verdict, to repeat it.
        The test fails if the exercise is faulty, or if the grader failed: that says nothing about the answer.
        """
        ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """How to leave exercises alone: an option for once, an ini value for always."""
    parser.getgroup("quizapp", "exercises of quizapp").addoption(
        "--no-exercises", action="store_true", help="Do not test exercise folders (quizapp)."
    )
    parser.addini(
        "quizapp_exercises",
        "Whether exercise folders under the tested paths are tests (quizapp).",
        type="bool",
        default=True,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Prepare for a grader; none is started yet."""
    config.stash[_GRADER] = _SharedGrader()


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the grader, if there was one."""
    if shared := config.stash.get(_GRADER, None):
        shared.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ExerciseFile | None:
    """An exercise folder is collected by its item.toml."""
    if file_path.name == _ITEM and _are_tested(parent.config) and _is_exercise(file_path.parent):
        return ExerciseFile.from_parent(parent, path=file_path)
    return None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Nothing else in an exercise folder is for pytest: a wrong/test_it.py would run outside of any jail."""
    folder = collection_path.parent
    if collection_path.name != _ITEM and _are_tested(config) and _is_exercise(folder):
        return True
    return None


@pytest.fixture
def grade(pytestconfig: pytest.Config) -> Grade:
    """Grades an answer as quizapp does: `assert grade("path/to/exercise", source).status == "failed"`."""
    grader = pytestconfig.stash[_GRADER].get()

    def graded(exercise: str | Path, source: str, *, seed: str | None = None) -> Verdict:
        __tracebackhide__ = True
        from graders.exercise import ExerciseError, load_exercise
        from graders.verdict import Status

        try:
            loaded = load_exercise(pytestconfig.rootpath / exercise)
        except ExerciseError as error:
            pytest.fail(str(error), pytrace=False)
        verdict = grader.grade(loaded, source, seed=seed)
        if verdict.status is Status.FAULT:
            pytest.fail(f"This answer was not graded: {verdict.summary}\n{verdict.author_log}", pytrace=False)
        return verdict

    return graded


class ExerciseFile(pytest.File):
    """One exercise folder. broken: a check broke on its solution in this process."""

    broken = False

    def collect(self) -> Iterable[pytest.Item]:
        """A test for each proof, or one that says what is wrong with the files."""
        from graders.exercise import ExerciseError, load_exercise
        from graders.proving import attempts, mutants_attempt

        try:
            exercise = load_exercise(self.path.parent)
        except ExerciseError as error:
            yield FaultyExercise.from_parent(self, name="files", fault=str(error))
            return
        for attempt in (*attempts(exercise), mutants_attempt(exercise)):
            yield ProofItem.from_parent(self, name=attempt.name, attempt=attempt)


class FaultyExercise(pytest.Item):
    """Stands for an exercise that cannot be read, and fails."""

    def __init__(self, *, fault: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._fault = fault

    def runtest(self) -> None:
        """Fail with the one line that names file, place, fault and remedy."""
        pytest.fail(self._fault, pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where, and what for."""
        return self.path, None, f"{self.path.parent.name}: the files"


class ProofItem(pytest.Item):
    """One proof of one exercise."""

    parent: ExerciseFile

    def __init__(self, *, attempt: Attempt, **rest: Any) -> None:
        super().__init__(**rest)
        self._attempt = attempt

    def setup(self) -> None:
        """Have a grader. Without one this test ends in an error, and not as failed."""
        self._grader = self.config.stash[_GRADER].get()

    def runtest(self) -> None:
        """Make the proof."""
        if self.parent.broken:
            pytest.skip(f"a check breaks on the solution of {self._attempt.exercise.id}; mend that first")
        proof = self._attempt.make(self._grader)
        if self._attempt.on_solution and proof.log:
            self.parent.broken = True
        if not proof.ok:
            verbose = self.config.get_verbosity() > 0
            told = _told(self.path.parent / self._attempt.file, proof, verbose)
            pytest.fail("\n".join(told), pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where, and what for."""
        return self.path.parent / self._attempt.file, None, f"{self._attempt.exercise.id}: {self.name}"


class _SharedGrader:
    """The grader of this process: started when first needed, tried once."""

    def __init__(self) -> None:
        self._grader: Grader | None = None
        self._problem = ""

    def get(self) -> Grader:
        """The grader. Where there can be none, whatever is being set up fails, and says what to do."""
        from graders.grader import Grader, SandboxError

        if not self._grader and not self._problem:
            try:
                self._grader = Grader(slots=1)
            except SandboxError as error:
                self._problem = str(error)
        if self._grader:
            return self._grader
        remedy = "Run `quizapp doctor`: it says what is missing."
        pytest.fail(f"Nothing can be graded on this machine: {self._problem}. {remedy}", pytrace=False)

    def close(self) -> None:
        """End it, if it was started."""
        if self._grader:
            self._grader.close()
        self._grader = None


_GRADER = pytest.StashKey[_SharedGrader]()


def _are_tested(config: pytest.Config) -> bool:
    return not config.getoption("--no-exercises") and bool(config.getini("quizapp_exercises"))


def _is_exercise(folder: Path) -> bool:
    """Whether this is an exercise, faulty or not: other programs have files named item.toml, too."""
    return (folder / _ITEM).is_file() and any((folder / name).exists() for name in _REST)


def _told(file: Path, proof: Proof, verbose: bool) -> Iterator[str]:
    """A proof that failed, line by line; signs that would steer a terminal are spelled."""
    from graders.authoring import shown, visible

    yield f"{shown(file)}: not so: {visible(proof.proof)}"
    yield f"  seen: {visible(proof.evidence)}"
    yield "  to do:"
    yield from (f"{_INDENT}{line}" for line in visible(proof.remedy).splitlines())
    if proof.log and verbose:
        yield "  the checks' traceback:"
        yield from (f"{_INDENT}{line}" for line in visible(proof.log.rstrip()).splitlines())
    elif proof.log:
        yield "  -v prints the tracebacks of the checks."
