"""What authors write, read strictly: every complaint is one line that names file, place, fault and remedy."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import tomllib
import types
import typing
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from graders.toml_lines import Location, line_index, line_of

MAX_FILE_BYTES = 256 * 1024
MAX_TOML_DEPTH = 32  # our own files need five; the pattern of deep keys says it too
# Signs that cannot be seen and change how text reads or compares: zero-width space, marks of writing
# direction, a byte order mark that is not at the start. "\u202c" in a TOML string can still write one.
_DEEP_KEY = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}"""
)
_UNSEEN = re.compile("[\u200b\u202a-\u202e\u2066-\u2069\ufeff]")


class ContentError(Exception):
    """Something that an author wrote and we cannot use.

    line: counted from 1; None if the complaint is about the file or folder as a whole.
    """

    def __init__(self, file: Path, place: str, problem: str, remedy: str, line: int | None = None) -> None:
        self.file = file
        self.place = visible(place)
        self.problem = visible(problem)
        self.remedy = visible(remedy)
        self.line = line
        super().__init__(file, place, problem, remedy, line)

    def __str__(self) -> str:
        where = shown(self.file) if self.line is None else f"{shown(self.file)}:{self.line}"
        parts = [where, self.place, f"{self.problem}; {self.remedy}"]
        return " ".join(": ".join(part for part in parts if part).split())


def visible(text: str) -> str:
    r"""The text, with each sign that no page or terminal can show spelled: `\x1b`, `\udcff`.

    Line ends and tabs stay.
    """
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else sign.encode("unicode_escape").decode()
        for sign in text
    )


def shown(path: Path) -> str:
    """A path as we print it: from the current folder where that is shorter."""
    try:
        return visible(str(path.absolute().relative_to(Path.cwd())))
    except (ValueError, OSError):
        return visible(str(path))


@contextmanager
def one_file(path: Path) -> Iterator[None]:
    """Whatever breaks while one file (or folder) is read is a complaint about it, and ends nothing else.

    The last resort, for what no check foresees. Raises: ContentError alone.
    """
    try:
        yield
    except ContentError:
        raise
    except Exception as error:
        reason = type(error).__name__
        if isinstance(error, OSError) and error.strerror:
            reason += f": {error.strerror}"
        what = "folder" if path.is_dir() else "file"
        raise ContentError(path, "", f"cannot be read ({reason})", f"mend or remove the {what}") from error


def is_plain_name(name: str) -> bool:
    """Whether this can be the name of something directly in a folder: no path, nothing hidden or unseen."""
    return bool(name) and name.isprintable() and not name.startswith(".") and not set(name) & set("/\\")


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """The remedy for a name that does not exist."""
    names = sorted(known)
    if near := difflib.get_close_matches(wrong, names, n=1, cutoff=0.7):
        return f'did you mean "{near[0]}"?'
    if not names:
        return "there is none at all; take this out"
    more = ", …" if len(names) > 8 else ""
    return f"known here: {', '.join(names[:8])}{more}"


def read_text(path: Path) -> str:
    r"""The text of a content file: UTF-8 up to 256 KiB, line ends turned into \n.

    Raises: ContentError, also for a link (a folder of content holds its own files), for what is no file, such
    as a device, and for unseen signs.
    """
    try:
        data = _read_bytes(path)
    except FileNotFoundError:
        raise ContentError(path, "", "is missing", "write it") from None
    except OSError as error:
        raise ContentError(
            path, "", f"cannot be read ({error.strerror})", "check the file and its permissions"
        ) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ContentError(path, "", "is not UTF-8 here", "save the file as UTF-8", line) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if unseen := _UNSEEN.search(text):
        line = text.count("\n", 0, unseen.start()) + 1
        raise ContentError(
            path, "", f"holds the invisible sign U+{ord(unseen.group()):04X}", "take it out", line
        )
    return text


def _read_bytes(path: Path) -> bytes:
    """What a regular file holds. Looked at before it is opened, since opening a device can have effects."""
    if path.is_symlink():
        raise ContentError(path, "", "is a link", "put the file itself here")
    if not stat.S_ISREG(path.stat(follow_symlinks=False).st_mode):
        raise ContentError(path, "", "is no file", "put a text file here")
    # The path may have become something else meanwhile: no link is followed, no FIFO waited for.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ContentError(path, "", "is no file", "put a text file here")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ContentError(path, "", f"is larger than {MAX_FILE_BYTES // 1024} KiB", "split it or shorten it")
    return data


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank; write it or leave the key out")
    return text.strip("\n")


Text = Annotated[str, AfterValidator(_not_blank)]
"""Prose or code: not blank; line ends around it do not count."""
Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
"""A kebab-case name: small letters, digits and single hyphens, at most 64 signs."""


class Strict(BaseModel):
    """A table of a content file: exact types, no unknown key, and no change after loading."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Model = TypeVar("Model", bound=Strict)


@dataclass(frozen=True)
class Document:
    """One TOML file: its data (arrays as tuples) and the line of each key."""

    path: Path
    data: dict[str, Any]
    lines: dict[Location, int]

    @classmethod
    def read(cls, path: Path) -> Document:
        """Raises: ContentError if the file cannot be read or is no TOML."""
        text = read_text(path)
        if _DEEP_KEY.search(text):  # tomllib takes the cube of its length
            raise _too_deep(path)
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            at = re.search(r" \(at line (\d+), column \d+\)$", str(error))
            problem = str(error)[: at.start()] if at else str(error)
            line = int(at.group(1)) if at else None
            raise ContentError(path, "", f"is no TOML: {problem}", "mend the file there", line) from None
        except RecursionError:
            raise _too_deep(path) from None
        except ValueError:  # of int(), for thousands of digits
            raise ContentError(path, "", "holds a number that is too long", "shorten it") from None
        try:
            frozen = _frozen(data)
        except RecursionError:
            raise _too_deep(path) from None
        with one_file(path):
            return cls(path, frozen, line_index(text))

    def error(self, location: Location, problem: str, remedy: str) -> ContentError:
        """A complaint about the value at `location`, with its line."""
        return ContentError(
            self.path, _place(self.data, location), problem, remedy, line_of(self.lines, location)
        )

    def validate(
        self, model: type[Model], table: object, at: Location = ()
    ) -> tuple[Model | None, list[ContentError]]:
        """The table as `model`, or None and every complaint about it. `at`: where the table stands."""
        try:
            return model.model_validate(table), []
        except ValidationError as invalid:
            details = invalid.errors(include_url=False)
            return None, [self._complaint(model, detail, at) for detail in details]

    def _complaint(self, model: type[Strict], detail: ErrorDetails, at: Location) -> ContentError:
        location = tuple(detail["loc"])
        kind, given = detail["type"], detail["input"]
        name = str(location[-1]) if location else "the table"
        if kind == "extra_forbidden":
            remedy = did_you_mean(name, _keys_at(model, location[:-1]))
            return self.error(at + location, f'unknown key "{name}"', remedy)
        if kind == "missing":
            return self.error(at + location, f'"{name}" is missing', f"add {name} = …")
        if kind == "value_error":
            problem, _, remedy = str(detail["ctx"]["error"]).partition("; ")
            return self.error(at + location, problem, remedy)
        if kind == "too_short":
            return self.error(
                at + location, f"{name} has too few entries", f"write at least {detail['ctx']['min_length']}"
            )
        if kind == "string_pattern_mismatch":
            return self.error(
                at + location,
                f"{_short(given)} is no id",
                "use small letters, digits and single hyphens, as in branch-gradient",
            )
        remedy = detail["msg"].replace("Input should", "it must").replace("tuple", "list")
        return self.error(at + location, f"the value is {_short(given)}", remedy)


def _too_deep(path: Path) -> ContentError:
    return ContentError(path, "", "is nested too deeply", "write it flatter")


def _frozen(value: Any, depth: int = 0) -> Any:
    """TOML arrays as tuples, so that what is loaded cannot be changed and strict models take it.

    Raises: RecursionError beyond MAX_TOML_DEPTH: the lines of a key of n parts take n * n of memory.
    """
    if depth > MAX_TOML_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        return {key: _frozen(part, depth + 1) for key, part in value.items()}
    return tuple(_frozen(part, depth + 1) for part in value) if isinstance(value, list) else value


def _short(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:  # 0xffff… can have more digits than Python writes out
        return "a number that is too long"
    return text if len(text) <= 60 else text[:57] + "…"


def _place(data: object, location: Location) -> str:
    """The location in words: `question "practice-3", options.A.why`; tables without an id count from 1."""
    parts: list[str] = []
    keys: list[str] = []
    for step in location:
        if isinstance(step, int):
            data = data[step] if isinstance(data, tuple) and step < len(data) else None
            name = data.get("id") if isinstance(data, dict) else None
            label = f'"{name}"' if isinstance(name, str) else str(step + 1)
            parts.append(f"{'.'.join(keys)} {label}".strip())
            keys = []
        else:
            data = data.get(step) if isinstance(data, dict) else None
            keys.append(step)
    return ", ".join([*parts, ".".join(keys)] if keys else parts)


def _keys_at(model: type[Strict], location: Location) -> list[str]:
    """The keys that the model at `location` below `model` knows."""
    current: Any = model
    for step in location:
        current = _inner(current, step)
        if current is None:
            return []
    if not (isinstance(current, type) and issubclass(current, BaseModel)):
        return []
    return list(current.model_fields)


def _inner(annotation: Any, step: str | int) -> Any:
    """The type one step further in: a field of a model, a value of a dict, a member of a tuple."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(str(step))
        return _bare(field.annotation) if field else None
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is dict:
        return _bare(arguments[1])
    return _bare(arguments[0]) if typing.get_origin(annotation) is tuple else None


def _bare(annotation: Any) -> Any:
    """The annotation without Annotated and without `| None`."""
    if typing.get_origin(annotation) is Annotated:
        return _bare(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return _bare(next(part for part in typing.get_args(annotation) if part is not type(None)))
    return annotation
