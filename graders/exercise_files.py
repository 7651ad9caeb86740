"""Files of an exercise: the shape of item.toml, the names of checks, the first line of wrong/*.py."""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from graders.authoring import (
    ContentError,
    Document,
    Identifier,
    Strict,
    Text,
    did_you_mean,
    is_plain_name,
    read_text,
)
from graders.inside import literals

REQUIRED = ("item.toml", "prompt.md", "starter.py", "solution.py")
OPTIONAL = ("checks.py", "wrong")
MAX_REPLACES = 4
MAX_EDGES = 3  # each piece of the range is a run of the learner's code in a jail of its own
WRONG_STATUSES = (
    "failed",
    "error",
    "timeout",
    "memory",
    "output-limit",
    "too-many-processes",
    "crashed",
    "forbidden",
    "not-gradable",
)
_WRONG_LINE = re.compile(r'# expect: ([a-z-]+)((?:, "(?:[^"\\]|\\.)*"){1,2})\s*')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
WRONG_LINE_FORM = 'write # expect: failed, "name of the check", "part of what the learner is told"'


def centipoints(points: float) -> int:
    """Points in hundredths. Raises: ValueError below 0.01, above 1000, and for parts of a hundredth."""
    exact = Decimal(str(points)) * 100  # str: 1.2 is 120 hundredths, not 119.99999999999999
    if not exact.is_finite() or exact != exact.to_integral_value() or not 1 <= exact <= 100_000:
        raise ValueError(f"points is {points}; write 0.01 to 1000, in steps of 0.01")
    return int(exact)


def _checked_points(points: float) -> float:
    centipoints(points)
    return points


def _checked_expression(key: str, expression: str, example: str, what: str = "one") -> None:
    try:
        ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(
            f"{key} is {json.dumps(expression, ensure_ascii=False)}, which is no Python expression; "
            f'write {what}, as in "{example}"'
        ) from None


class LimitsTable(Strict):
    """[limits]: what a submission may use."""

    cpu_seconds: Annotated[float, Field(ge=0.1, le=60)] = 2
    wall_seconds: Annotated[float, Field(ge=0.1, le=300)] = 5
    memory_mib: Annotated[int, Field(ge=64, le=8192)] = 512
    output_kib: Annotated[int, Field(ge=1, le=1024)] = 64
    processes: Annotated[int, Field(ge=1, le=256)] = 32
    disk_mib: Annotated[int, Field(ge=1, le=1024)] = 64
    open_files: Annotated[int, Field(ge=16, le=1024)] = 256

    @model_validator(mode="after")
    def _wall_covers_cpu(self) -> LimitsTable:
        if self.wall_seconds < self.cpu_seconds:
            raise ValueError(
                f"wall_seconds {self.wall_seconds:g} is less than cpu_seconds {self.cpu_seconds:g}; "
                "give at least as much wall time as CPU time"
            )
        return self


class ExpectTable(Strict):
    """[[expect]]: a check in one line."""

    expect: Text
    name: Text | None = None
    points: Annotated[float, AfterValidator(_checked_points)] = 1
    hint: str = ""

    @model_validator(mode="after")
    def _is_an_expression(self) -> ExpectTable:
        _checked_expression("expect", self.expect, "x.grad == 6.0", "one that is true of a right answer")
        return self


class ReplaceTable(Strict):
    """[[replace]]: a check that runs the code again with another number in place of a literal."""

    literal: Annotated[int | float, Field(union_mode="smart")]
    variable: Text
    low: float
    high: float
    clear_of: Annotated[tuple[float, ...], Field(max_length=MAX_EDGES)] = ()
    compare: Annotated[tuple[Text, ...], Field(min_length=1)]
    name: Text | None = None
    points: Annotated[float, AfterValidator(_checked_points)] = 1
    hint: str = ""

    @model_validator(mode="after")
    def _can_be_drawn(self) -> ReplaceTable:
        numbers = (self.literal, self.low, self.high, *self.clear_of)
        if not all(isinstance(number, int) or math.isfinite(number) for number in numbers):
            raise ValueError("a number here is not finite; write an ordinary one")
        if self.low >= self.high:
            raise ValueError(
                f"low {self.low:g} is not less than high {self.high:g}; give a range to draw from"
            )
        if isinstance(self.literal, int):
            for first, last in literals.whole_pieces(self.low, self.high, self.clear_of):
                if last - first + 1 - (first <= self.literal <= last) < 1:
                    raise ValueError(
                        f"literal is {self.literal}, and a piece of low {self.low:g} to high {self.high:g} "
                        "has no other whole number; give a wider range or other edges"
                    )
        if not self.variable.isidentifier():
            raise ValueError(
                f'variable is "{self.variable}"; write the plain name whose line holds the literal'
            )
        for expression in self.compare:
            _checked_expression("compare", expression, "x.grad")
        return self


class ExcuseTable(Strict):
    """[[excuse]]: a mutant of the solution that may pass, and why."""

    mutant: Text
    reason: Text


class ItemTable(Strict):
    """item.toml of an exercise."""

    id: Identifier
    title: Text
    difficulty: Literal["easy", "medium", "hard"]
    concepts: tuple[Identifier, ...] = ()
    hints: tuple[Text, ...] = ()
    mistakes: tuple[Text, ...] = ()
    errata: tuple[Text, ...] = ()
    explanation: Text
    limits: LimitsTable = LimitsTable()
    expect: tuple[ExpectTable, ...] = ()
    replace: Annotated[tuple[ReplaceTable, ...], Field(max_length=MAX_REPLACES)] = ()
    excuse: tuple[ExcuseTable, ...] = ()


@dataclass(frozen=True)
class CheckHead:
    """The head of one `@check(...)` in checks.py, read without running it. draws: whether it uses `draw`."""

    name: str
    centipoints: int
    line: int
    draws: bool


@dataclass(frozen=True)
class WrongHead:
    """The first line of a wrong answer: how its grading must end. `check` is None where no check is named."""

    status: str
    check: str | None
    says: str


def unknown_files(folder: Path) -> list[ContentError]:
    """A complaint for each entry that does not belong to an exercise. Dot-files do not count."""
    errors = []
    known = (*REQUIRED, *OPTIONAL)
    for path in sorted(folder.iterdir()):
        if _ignored(path):
            continue
        if path.is_symlink():
            what = "folder" if path.is_dir() else "file"
            errors.append(ContentError(path, "", "is a link", f"put the {what} itself here"))
        elif path.name not in known or path.is_dir() != (path.name == "wrong"):
            errors.append(_stray(path, did_you_mean(path.name, known)))
        elif path.name == "wrong":
            inside = [inner for inner in sorted(path.iterdir()) if not _ignored(inner)]
            errors += [
                _stray(inner, "only .py files belong here")
                for inner in inside
                if inner.suffix != ".py" or inner.is_dir()
            ]
            errors += [
                ContentError(inner, "", "has a name that cannot be shown", "rename it")
                for inner in inside
                if not is_plain_name(inner.name)
            ]
    return errors


def _ignored(path: Path) -> bool:
    return path.name.startswith(".") or path.name == "__pycache__"


def _stray(path: Path, remedy: str) -> ContentError:
    return ContentError(path, "", "does not belong to an exercise", remedy)


def read_item(document: Document) -> ItemTable:
    """item.toml. Raises: ContentError with its first fault."""
    table, errors = document.validate(ItemTable, document.data)
    if table is None:
        raise errors[0]
    return table


def wrong_files(folder: Path) -> list[Path]:
    """The known wrong answers, in the order of their names."""
    return [path for path in sorted((folder / "wrong").glob("*.py")) if not _ignored(path)]


def wrong_head(path: Path, source: str) -> WrongHead:
    """What the first line promises. Raises: ContentError if it is not exactly of the form we know."""
    first = source.partition("\n")[0]
    match = _WRONG_LINE.fullmatch(first)
    if match is None:
        raise ContentError(path, "", "the first line does not say how this answer ends", WRONG_LINE_FORM, 1)
    status = match.group(1)
    if status not in WRONG_STATUSES:
        raise ContentError(
            path,
            "",
            f'"{status}" is no way for a wrong answer to end',
            did_you_mean(status, WRONG_STATUSES),
            1,
        )
    try:
        texts = [json.loads(text) for text in _QUOTED.findall(match.group(2))]
    except ValueError:
        raise ContentError(
            path, "", "a text in the first line cannot be read", r"write \" and \\ for quote and backslash", 1
        ) from None
    if not all(_is_writable(text) for text in texts):
        problem, remedy = "a text in the first line holds half a sign", r"write the sign itself, not \ud800"
        raise ContentError(path, "", problem, remedy, 1)
    check = texts[0] if len(texts) == 2 else None
    if status == "failed" and check is None:
        raise ContentError(path, "", "a failed answer must name the check that fails", WRONG_LINE_FORM, 1)
    if not texts[-1].strip():
        raise ContentError(path, "", "says nothing about what the learner is told", WRONG_LINE_FORM, 1)
    return WrongHead(status, check, texts[-1])


def check_heads(path: Path, source: str) -> tuple[CheckHead, ...]:
    """Names and points of the checks in checks.py, in order, without running it.

    Raises: ContentError if it is no Python, or if a name or points is not written out as a plain value.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise ContentError(path, "", f"is no Python: {error.msg}", "mend the line", error.lineno) from None
    except (ValueError, RecursionError, MemoryError):
        raise ContentError(path, "", "is no Python that can be read", "write it more simply") from None
    calls = [
        (decorator, _draws(node))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if _is_check(decorator)
    ]
    return tuple(_check_head(path, *call) for call in sorted(calls, key=lambda call: call[0].lineno))


def _draws(function: ast.FunctionDef) -> bool:
    """Whether a check uses its parameter `draw`, or hands it on."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return any(arg.arg == "draw" for arg in given) and any(
        isinstance(node, ast.Name) and node.id == "draw"
        for statement in function.body
        for node in ast.walk(statement)
    )


def _is_check(node: ast.expr) -> bool:
    target = node.func if isinstance(node, ast.Call) else node
    return (isinstance(target, ast.Name) and target.id == "check") or (
        isinstance(target, ast.Attribute) and target.attr == "check"
    )


def _check_head(path: Path, decorator: ast.expr, draws: bool) -> CheckHead:
    given: dict[str, ast.expr] = {}
    if isinstance(decorator, ast.Call):
        given = dict(zip(("name", "points", "hint"), decorator.args, strict=False))
        given |= {word.arg: word.value for word in decorator.keywords if word.arg}
    name = _plain(given.get("name"))
    points = _plain(given["points"]) if "points" in given else 1
    if not isinstance(name, str) or not name.strip() or not _is_writable(name):
        raise ContentError(
            path, "", "a check without a plain name", 'write @check("what is true")', decorator.lineno
        )
    if isinstance(points, bool) or not isinstance(points, int | float):
        raise ContentError(
            path, f'check "{name}"', "points is no plain number", "write points=2", decorator.lineno
        )
    try:
        return CheckHead(name, centipoints(points), decorator.lineno, draws)
    except ValueError as error:
        problem, _, remedy = str(error).partition("; ")
        raise ContentError(path, f'check "{name}"', problem, remedy, decorator.lineno) from None


def _is_writable(text: str) -> bool:
    """Whether the text can be stored and sent; half of a surrogate pair cannot."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _plain(node: ast.expr | None) -> object:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def read_optional(path: Path) -> str:
    """The text of a file that may be absent; then the empty text."""
    return read_text(path) if path.exists() or path.is_symlink() else ""
