"""`quizapp grade`: one answer, one exercise, from the command line."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import click

from graders.authoring import shown
from graders.exercise import Exercise, ExerciseError, load_exercise
from graders.grader import Grader, SandboxError
from graders.verdict import CheckResult, CheckStatus, ErrorReport, Output, Status, Verdict
from quizapp.junit import Case, write

PASSED, NOT_PASSED, NOT_GRADED = 0, 1, 2
_NOT_GRADED = {Status.NOT_GRADABLE, Status.STOPPED, Status.BROKEN, Status.FAULT}
_INDENT = "      "
# Signs with which a program could move about in the terminal, colour it or turn lines around: controls except
# line end and tab, marks of writing direction, line separators, halves of surrogate pairs.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BROKEN = "This exercise could not be graded: its own checks failed."


class UnreadableError(Exception):
    """What was named cannot be found or read; the text says why and what there is."""


def grade(
    exercise_name: str,
    file: str,
    *,
    exercises: Path,
    seed: str | None,
    as_json: bool,
    verbose: bool = False,
    junit: Path | None = None,
) -> int:
    """Grade and print; returns the exit code.

    exercise_name: an id below `exercises`, or the path of any exercise folder. file: a path, or "-" for
    standard input. seed: of an earlier verdict, to repeat it; None draws a new one.
    verbose: print the tracebacks of broken checks too. junit: a file for the verdict in JUnit's XML.
    Raises: ReportError, if that file cannot be written.
    """
    folder = ""
    try:
        source = _read(file)
        exercise = load_exercise(_folder(exercise_name, exercises))
        folder = shown(Path(exercise.folder))
    except UnreadableError as error:
        verdict = Verdict(Status.NOT_GRADABLE, str(error))
        if junit is not None:
            _write_junit(junit, exercise_name, verdict)
        if as_json:
            click.echo(json.dumps(as_plain(verdict), ensure_ascii=False))
        else:
            click.echo(f"quizapp: {error}", err=True)
        return NOT_GRADED
    except ExerciseError as error:
        verdict, title = Verdict(Status.BROKEN, str(error)), exercise_name
    else:
        verdict, title = _grade(exercise, source, seed), exercise.title
    if junit is not None:
        _write_junit(junit, exercise_name, verdict)
    if as_json:
        click.echo(json.dumps(as_plain(verdict), ensure_ascii=False))
    else:
        for line in in_words(title, verdict, folder=folder, verbose=verbose):
            click.echo(line)
    return exit_code(verdict.status)


def exit_code(status: Status) -> int:
    """0 passed, 1 not passed, 2 could not be graded."""
    if status is Status.PASSED:
        return PASSED
    return NOT_GRADED if status in _NOT_GRADED else NOT_PASSED


def as_plain(verdict: Verdict) -> dict[str, Any]:
    """The verdict as `--json` prints it. Points are points here, not hundredths."""
    whole = verdict.to_json()
    return {
        "status": verdict.status.value,
        "points": _points(verdict.centipoints),
        "maximum": _points(verdict.max_centipoints),
        "seed": verdict.seed,
        "milliseconds": verdict.milliseconds,
        "summary": verdict.summary,
        "checks": [
            {
                "name": check.name,
                "status": check.status.value,
                "points": _points(check.centipoints),
                "maximum": _points(check.max_centipoints),
                "message": check.message,
                "got": check.got,
                "expected": check.expected,
                "hint": check.hint,
                "error": plain["error"],
            }
            for check, plain in zip(verdict.checks, whole["checks"], strict=True)
        ],
        "output": whole["output"],
        "error": whole["error"],
        "author_log": verdict.author_log,
    }


def cases(name: str, verdict: Verdict) -> list[Case]:
    """The verdict on an answer to the exercise `name`, as tests of a report: each check is one.

    One more stands for the answer as a whole where its checks do not account for the end of the grading.
    """
    found = [_case(name, check) for check in verdict.checks]
    if verdict.status is Status.PASSED or any(case.end in ("failure", "error") for case in found):
        return found
    details = "\n".join([*(_error(verdict.error, "") if verdict.error else ()), *verdict.author_lines])
    end: Literal["failure", "error"] = "error" if verdict.status in _NOT_GRADED else "failure"
    return [Case(name, "the answer", 0, end, verdict.status, verdict.summary, details), *found]


def _case(name: str, check: CheckResult) -> Case:
    if check.status is CheckStatus.PASSED:
        return Case(name, check.name)
    if check.status is CheckStatus.NOT_RUN:
        return Case(name, check.name, 0, "skipped", message=check.message)
    end: Literal["failure", "error"] = "error" if check.status is CheckStatus.BROKEN else "failure"
    details = click.unstyle("\n".join(_check(check)))
    return Case(name, check.name, 0, end, check.status, check.message, details)


def _write_junit(file: Path, exercise_name: str, verdict: Verdict) -> None:
    name = Path(exercise_name).name or exercise_name
    properties = {
        "status": verdict.status.value,
        "points": f"{_points(verdict.centipoints)}",
        "maximum": f"{_points(verdict.max_centipoints)}",
        "seed": verdict.seed,
    }
    write(file, name, cases(name, verdict), properties=properties, output=verdict.output.stdout)


def in_words(title: str, verdict: Verdict, *, folder: str = "", verbose: bool = False) -> Iterator[str]:
    """The verdict for a terminal, line by line. folder: of the exercise, to say where a check broke.

    Signs that would steer the terminal are spelled, since the answer chooses some of the texts.
    """
    verdict = _spelled(verdict)
    title = _spelled(title)
    points = f", {_points(verdict.centipoints)} of {_points(verdict.max_centipoints)} points"
    graded = points if verdict.max_centipoints else ""
    yield f"{click.style(title, bold=True)}: {_coloured(verdict.status)}{graded}"
    yield from _wrapped(
        _BROKEN if verdict.author_log and verdict.status is Status.BROKEN else verdict.summary, ""
    )
    if verdict.error is not None:
        yield ""
        yield from _error(verdict.error, "  ")
    for check in verdict.checks:
        yield ""
        yield from _check(check)
    yield from _output(verdict.output)
    if verdict.author_log:
        yield ""
        yield from _for_the_author(verdict, folder, verbose)
    if verdict.seed and verdict.checks:
        yield ""
        yield click.style(f"{verdict.milliseconds:.0f} ms. The same again: --seed {verdict.seed}", dim=True)


def _spelled(value: Any) -> Any:
    """The value with each sign that steers a terminal spelled in its texts; all else as it is."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        text = value.replace("\r\n", "\n")
        return _UNSHOWN.sub(lambda match: match.group().encode("unicode_escape").decode(), text)
    if isinstance(value, tuple):
        return tuple(_spelled(part) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _spelled(getattr(value, each.name)) for each in fields(value)})
    return value


def _for_the_author(verdict: Verdict, folder: str, verbose: bool) -> Iterator[str]:
    """Where each broken check broke; the learner's own words about that are no help here."""
    if verbose:
        yield "For the exercise's author:"
        yield from textwrap.indent(verdict.author_log.rstrip(), "  ").splitlines()
        return
    yield "For the exercise's author (-v prints the tracebacks):"
    yield from (f"  {folder}/{line}" if folder else f"  {line}" for line in verdict.author_lines)


def _check(check: CheckResult) -> Iterator[str]:
    points = f"{_points(check.centipoints)} of {_points(check.max_centipoints)}"
    yield f"  {_coloured(check.status)}  {check.name}  ({points})"
    if check.status in (CheckStatus.PASSED, CheckStatus.BROKEN):
        return
    yield from _wrapped(check.message, _INDENT)
    for label, text in (("got", check.got), ("expected", check.expected), ("next", check.hint)):
        if text:
            first, *rest = text.splitlines()
            yield f"{_INDENT}{label + ':':<10}{first}"
            yield from (f"{_INDENT}{'':<10}{line}" for line in rest)
    if check.error is not None:
        yield from _error(check.error, _INDENT)


def _error(error: ErrorReport, indent: str) -> Iterator[str]:
    place = f"line {error.line}: " if error.line is not None else ""
    yield from _wrapped(f"{place}{error.type}: {error.message}", indent)
    for text in (error.what, error.why, error.hint):
        yield from _wrapped(text, indent)


def _output(output: Output) -> Iterator[str]:
    for name, text, cut in (
        ("printed", output.stdout, output.stdout_cut),
        ("wrote to standard error", output.stderr, output.stderr_cut),
    ):
        if text or cut:
            yield ""
            yield f"It {name}:"
            yield from textwrap.indent(text.rstrip("\n"), "  ").splitlines()
            if cut:
                yield f"  … and {cut} bytes more, which were not kept"


def _wrapped(text: str, indent: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from textwrap.wrap(line, 100, initial_indent=indent, subsequent_indent=indent)


def _coloured(status: Status | CheckStatus) -> str:
    colour = {"passed": "green", "broken": "magenta", "fault": "magenta", "not-run": "yellow"}.get(
        status.value, "red"
    )
    return click.style(status.value, fg=colour)


def _points(centipoints: int) -> float | int:
    return centipoints // 100 if centipoints % 100 == 0 else centipoints / 100


def _grade(exercise: Exercise, source: str, seed: str | None) -> Verdict:
    try:
        with Grader(slots=1) as grader:
            return grader.grade(exercise, source, seed=seed)
    except SandboxError as error:
        return Verdict(Status.FAULT, f"Nothing can be graded on this machine: {error}. Run quizapp doctor.")


def _read(file: str) -> str:
    try:
        return (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode("utf-8")
    except OSError as error:
        raise UnreadableError(f"{file} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{file} is not UTF-8 at byte {error.start + 1}. Save it as UTF-8.") from error


def _folder(name: str, exercises: Path) -> Path:
    """The folder of an exercise. A path wins over an id: a copy that is being written can be graded."""
    if Path(name).is_dir():
        return Path(name)
    found = {path.parent.name: path.parent for path in sorted(exercises.glob("*/*/item.toml"))}
    if name in found:
        return found[name]
    for folder in found.values():  # an id that is not its folder's name
        try:
            if load_exercise(folder).id == name:
                return folder
        except ExerciseError:
            continue
    known = ", ".join(found) or "none"
    raise UnreadableError(
        f"{name!r} is neither a folder nor an exercise below {exercises}. There are: {known}."
    )
