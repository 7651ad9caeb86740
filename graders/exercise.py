"""A code exercise: a folder in, plain frozen values out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from graders import exercise_files
from graders.authoring import ContentError, Document, did_you_mean, one_file, read_text

ExerciseError = ContentError
"""A folder that is no exercise, or a faulty one; as text one line: file, place, problem, remedy."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    cpu_seconds: rounded up to whole seconds. wall_seconds: ends code that sleeps, too.
    output_kib: what is kept of stdout, and as much of stderr. processes: threads count.
    """

    cpu_seconds: float = 2
    wall_seconds: float = 5
    memory_mib: int = 512
    output_kib: int = 64
    processes: int = 32


@dataclass(frozen=True)
class Expect:
    """A check in one line: `expression` is true of a right answer."""

    name: str
    expression: str
    centipoints: int
    hint: str


@dataclass(frozen=True)
class WrongAnswer:
    """A known wrong answer and how its grading must end.

    check: the check that must not pass; None if none is named.
    says: part of what the learner is told.
    """

    filename: str
    source: str
    status: str
    check: str | None
    says: str


@dataclass(frozen=True)
class Exercise:
    """A code exercise. prompt and explanation are Markdown; checks is the source of checks.py or "".

    folder: where it was read from, for messages; no part of the content and not kept in its JSON.
    """

    id: str
    title: str
    difficulty: str
    concepts: tuple[str, ...]
    limits: Limits
    prompt: str
    starter: str
    solution: str
    checks: str
    expects: tuple[Expect, ...]
    hints: tuple[str, ...]
    mistakes: tuple[str, ...]
    errata: tuple[str, ...]
    explanation: str
    wrong: tuple[WrongAnswer, ...]
    folder: str = field(default="", compare=False)

    @property
    def max_centipoints(self) -> int:
        """The sum over all checks. Raises: ExerciseError if checks.py cannot be read, never after loading."""
        heads = exercise_files.check_heads(Path(self.folder, "checks.py"), self.checks)
        return sum(expect.centipoints for expect in self.expects) + sum(head.centipoints for head in heads)

    def to_json(self) -> dict[str, Any]:
        """Plain values, enough to grade with: the same exercise gives the same JSON on every machine."""
        data = asdict(self)
        del data["folder"]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Exercise:
        """The exercise that `to_json` turned into `data`, directly or by way of JSON text."""
        plain: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
        }
        return cls(
            **plain
            | {
                "limits": Limits(**data["limits"]),
                "expects": tuple(Expect(**expect) for expect in data["expects"]),
                "wrong": tuple(WrongAnswer(**wrong) for wrong in data["wrong"]),
            }
        )


def load_exercise(folder: Path) -> Exercise:
    """The exercise in a folder.

    Raises: ExerciseError for the first fault found: a missing or strange file, an unknown key, a value out of
    range, no check at all, two checks of one name, a wrong answer that does not say how it ends.
    """
    with one_file(folder):
        return _load(folder)


def _load(folder: Path) -> Exercise:
    if not folder.is_dir():
        raise ExerciseError(folder, "", "is no folder", "name the folder that holds item.toml")
    with one_file(folder / "item.toml"):
        document = Document.read(folder / "item.toml")
        item = exercise_files.read_item(document)
    if strays := exercise_files.unknown_files(folder):
        raise strays[0]
    checks = exercise_files.read_optional(folder / "checks.py")
    expects = tuple(
        Expect(row.name or row.expect, row.expect, exercise_files.centipoints(row.points), row.hint)
        for row in item.expect
    )
    with one_file(folder / "checks.py"):
        points = _points_by_check(document, expects, checks)
    return Exercise(
        id=item.id,
        title=item.title,
        difficulty=item.difficulty,
        concepts=item.concepts,
        limits=Limits(**item.limits.model_dump()),
        prompt=_written(folder / "prompt.md"),
        starter=read_text(folder / "starter.py"),
        solution=_written(folder / "solution.py"),
        checks=checks,
        expects=expects,
        hints=item.hints,
        mistakes=item.mistakes,
        errata=item.errata,
        explanation=item.explanation,
        wrong=tuple(_wrong_answer(path, points) for path in exercise_files.wrong_files(folder)),
        folder=str(folder),
    )


def _points_by_check(document: Document, expects: tuple[Expect, ...], checks: str) -> dict[str, int]:
    """Centipoints by the name of the check, over item.toml and checks.py."""
    points: dict[str, int] = {}
    path = document.path.parent / "checks.py"
    for position, expect in enumerate(expects):
        if expect.name in points:
            raise document.error(
                ("expect", position), f'two checks are named "{expect.name}"', "give each its own name"
            )
        points[expect.name] = expect.centipoints
    for head in exercise_files.check_heads(path, checks):
        if head.name in points:
            raise ExerciseError(
                path, "", f'two checks are named "{head.name}"', "give each its own name", head.line
            )
        points[head.name] = head.centipoints
    if not points:
        raise document.error((), "the exercise checks nothing", "write checks.py, or [[expect]] in item.toml")
    return points


def _written(path: Path) -> str:
    text = read_text(path)
    if not text.strip():
        raise ExerciseError(path, "", "is empty", "write it")
    return text


def _wrong_answer(path: Path, points: dict[str, int]) -> WrongAnswer:
    with one_file(path):
        source = read_text(path)
        head = exercise_files.wrong_head(path, source)
    if head.check is not None and head.check not in points:
        raise ExerciseError(
            path, "", f'there is no check "{head.check}"', did_you_mean(head.check, points), 1
        )
    return WrongAnswer(path.name, source, head.status, head.check, head.says)
