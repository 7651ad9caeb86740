"""A code exercise: a folder in, plain frozen values out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from graders import exercise_files
from graders.authoring import ContentError, Document, did_you_mean, one_file, read_text
from graders.inside import literals

ExerciseError = ContentError
"""A folder that is no exercise, or a faulty one; as text one line: file, place, problem, remedy."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    cpu_seconds: rounded up to whole seconds. wall_seconds: ends code that sleeps, too.
    output_kib: what is kept of stdout, and as much of stderr. processes: threads count.
    disk_mib: all temporary files together, and each of them. open_files: at once.
    """

    cpu_seconds: float = 2
    wall_seconds: float = 5
    memory_mib: int = 512
    output_kib: int = 64
    processes: int = 32
    disk_mib: int = 64
    open_files: int = 256


@dataclass(frozen=True)
class Expect:
    """A check in one line: `expression` is true of a right answer."""

    name: str
    expression: str
    centipoints: int
    hint: str

    def to_plain(self) -> dict[str, Any]:
        """As it travels to the checks."""
        return asdict(self)


@dataclass(frozen=True)
class Replace:
    """A check that runs the code again with other numbers in place of a literal, and so asks for computation.

    literal: the number to look for in the line that makes `variable`. low, high, clear_of: what to draw from;
    one run for each piece that the edges leave. compare: expressions that must come out as they do for the
    solution with the same number in the same place.
    """

    name: str
    literal: int | float
    variable: str
    low: float
    high: float
    clear_of: tuple[float, ...]
    compare: tuple[str, ...]
    centipoints: int
    hint: str

    def to_plain(self) -> dict[str, Any]:
        """As it travels to the checks."""
        return asdict(self) | {"clear_of": [*self.clear_of], "compare": [*self.compare]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Replace:
        """What `asdict` turned into `data`."""
        return cls(**data | {"clear_of": tuple(data["clear_of"]), "compare": tuple(data["compare"])})


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
class Excuse:
    """A mutant of the solution that may pass the checks, by its change, and the author's reason."""

    mutant: str
    reason: str


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
    replaces: tuple[Replace, ...] = ()
    excuses: tuple[Excuse, ...] = ()
    folder: str = field(default="", compare=False)

    @property
    def max_centipoints(self) -> int:
        """The sum over all checks. Raises: ExerciseError if checks.py cannot be read, never after loading."""
        heads = exercise_files.check_heads(Path(self.folder, "checks.py"), self.checks)
        in_item = [row.centipoints for row in self.expects] + [row.centipoints for row in self.replaces]
        return sum(in_item) + sum(head.centipoints for head in heads)

    @property
    def check_names(self) -> tuple[str, ...]:
        """The names of all checks, in the order of a verdict. Raises: as max_centipoints."""
        heads = exercise_files.check_heads(Path(self.folder, "checks.py"), self.checks)
        in_item = [row.name for row in self.expects] + [row.name for row in self.replaces]
        return (*in_item, *(head.name for head in heads))

    @property
    def constants_only(self) -> bool:
        """Whether every check asks for something that can be known beforehand: none draws, none replaces.

        Raises: as max_centipoints.
        """
        heads = exercise_files.check_heads(Path(self.folder, "checks.py"), self.checks)
        return not self.replaces and not any(head.draws for head in heads)

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
                "replaces": tuple(Replace.from_json(replace) for replace in data.get("replaces", ())),
                "wrong": tuple(WrongAnswer(**wrong) for wrong in data["wrong"]),
                "excuses": tuple(Excuse(**excuse) for excuse in data.get("excuses", ())),
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
    replaces = tuple(
        Replace(
            row.name or f"{', '.join(row.compare)} with another number for {row.variable}",
            row.literal,
            row.variable,
            row.low,
            row.high,
            row.clear_of,
            row.compare,
            exercise_files.centipoints(row.points),
            row.hint,
        )
        for row in item.replace
    )
    solution = _written(folder / "solution.py")
    for position, row in enumerate(replaces):
        if literals.find(solution, row.variable, row.literal) is None:
            raise document.error(
                ("replace", position),
                f"no line of solution.py that makes {row.variable} has a {row.literal}",
                "name a literal that stands there, and the name that its line makes",
            )
    with one_file(folder / "checks.py"):
        points = _points_by_check(document, expects, replaces, checks)
    return Exercise(
        id=item.id,
        title=item.title,
        difficulty=item.difficulty,
        concepts=item.concepts,
        limits=Limits(**item.limits.model_dump()),
        prompt=_written(folder / "prompt.md"),
        starter=read_text(folder / "starter.py"),
        solution=solution,
        checks=checks,
        expects=expects,
        hints=item.hints,
        mistakes=item.mistakes,
        errata=item.errata,
        explanation=item.explanation,
        wrong=tuple(_wrong_answer(path, points) for path in exercise_files.wrong_files(folder)),
        replaces=replaces,
        excuses=tuple(Excuse(row.mutant, row.reason) for row in item.excuse),
        folder=str(folder),
    )


def _points_by_check(
    document: Document, expects: tuple[Expect, ...], replaces: tuple[Replace, ...], checks: str
) -> dict[str, int]:
    """Centipoints by the name of the check, over item.toml and checks.py."""
    points: dict[str, int] = {}
    path = document.path.parent / "checks.py"
    tables: tuple[tuple[str, tuple[Expect | Replace, ...]], ...] = (
        ("expect", expects),
        ("replace", replaces),
    )
    for key, rows in tables:
        for position, row in enumerate(rows):
            if row.name in points:
                raise document.error(
                    (key, position), f'two checks are named "{row.name}"', "give each its own name"
                )
            points[row.name] = row.centipoints
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
