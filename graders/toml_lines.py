"""Where in a TOML file each key stands. `tomllib` forgets the lines; a complaint needs them."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right

Location = tuple[str | int, ...]
"""The way to a value: keys, and the position (from 0) in an array of tables."""

_KEY = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_STRING = re.compile(
    "|".join(
        (
            r'"""(?:[^\\]|\\.)*?"{3,5}',  # up to two quotes may stand before the closing three
            r"'''.*?'{3,5}",
            r'"(?:[^"\\\n]|\\.)*"',
            r"'[^'\n]*'",
        )
    ),
    re.DOTALL,
)
_SPACE = re.compile(r"(?:\s|#[^\n]*)*")


def line_index(text: str) -> dict[Location, int]:
    """The line, from 1, of every table header and every key of a file that `tomllib` has already accepted.

    Keys inside an inline table or array are not listed; ask `line_of` for the nearest known place.
    """
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    lines: dict[Location, int] = {}
    last_of: dict[Location, int] = {}  # array of tables -> the position of its latest table
    table: Location = ()
    position = _skip_space(text, 0)
    while position < len(text):
        line = bisect_right(starts, position)
        if text[position] == "[":
            is_array = text.startswith("[[", position)
            names, position = _names(text, position + (2 if is_array else 1))
            table = _table(names, is_array=is_array, last_of=last_of)
            for depth in range(1, len(table) + 1):
                lines.setdefault(table[:depth], line)
            position = text.index("]", position) + (2 if is_array else 1)
        else:
            names, position = _names(text, position)
            for depth in range(1, len(names) + 1):
                lines.setdefault(table + tuple(names[:depth]), line)
            position = _end_of_value(text, position + 1)
        position = _skip_space(text, position)
    return lines


def line_of(lines: dict[Location, int], location: Location) -> int | None:
    """The line of `location`, or of the nearest table around it; None for the file as a whole."""
    for depth in range(len(location), 0, -1):
        if location[:depth] in lines:
            return lines[location[:depth]]
    return None


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _names(text: str, position: int) -> tuple[list[str], int]:
    """A dotted key, and the position of what follows it."""
    names: list[str] = []
    while match := _KEY.match(text, position):
        names.extend(tomllib.loads(f"{match.group(1)} = 0"))
        position = match.end()
        if not text.startswith(".", position):
            break
        position += 1
    return names, position


def _table(names: list[str], *, is_array: bool, last_of: dict[Location, int]) -> Location:
    """The location that a header opens; a header below an array of tables means its latest table."""
    location: Location = ()
    for depth, name in enumerate(names, start=1):
        location = (*location, name)
        if is_array and depth == len(names):
            last_of[location] = last_of.get(location, -1) + 1
        if location in last_of:
            location = (*location, last_of[location])
    return location


def _end_of_value(text: str, position: int) -> int:
    """The position after a value: its line's end, unless a bracket is still open there."""
    depth = 0
    while position < len(text):
        if text[position] in "\"'" and (match := _STRING.match(text, position)):
            position = match.end()
            continue
        if text[position] == "#":
            position = text.find("\n", position)
            if position < 0:
                return len(text)
            continue
        if text[position] in "[{":
            depth += 1
        elif text[position] in "]}":
            depth -= 1
        elif text[position] == "\n" and depth <= 0:
            return position
        position += 1
    return position
