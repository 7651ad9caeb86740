"""An exception of the learner's as a report: their lines, the place, the unchanged text, our explanation.

Reports are plain dicts with the fields of `graders.verdict.ErrorReport`. Whatever an exception class does in
its own `__str__`, a report is made of it.
"""

from __future__ import annotations

import types
from typing import Any

from graders.inside.mistakes import Scene, explanation
from graders.inside.observer import base_names, type_name
from graders.inside.own import PLAIN_NAMES, keep_builtins
from graders.inside.source import FILENAME

keep_builtins(globals())

MAX_MESSAGE = 4_000  # characters of the exception's text
MAX_FRAMES = 16  # of the learner's own, the first and the last half; the others are counted as folded
MAX_LINE = 300  # characters of one quoted line

_traceback: Any = BaseException.__dict__["__traceback__"].__get__
_args: Any = BaseException.__dict__["args"].__get__


def report(error: BaseException, lines: list[str]) -> dict[str, Any]:
    """What happened, for the learner. lines: their source, as it ran, without line ends."""
    kind = type(error)
    message = message_of(error)
    if kind is SyntaxError or kind is IndentationError or kind is TabError:
        syntax: Any = error
        if syntax.filename == FILENAME:
            return _syntax_report(syntax, message, lines)
    frames, folded, place = _own_frames(error, lines)
    line, column, end_column = place or (None, None, None)
    scene = Scene(
        type=type_name(kind),
        bases=tuple(base_names(kind)),
        message=message,
        line=_line(lines, line),
        names=_names_in_scope(error),
    )
    what, why, hint = explanation(scene)
    return {
        "type": type_name(kind),
        "message": message,
        "line": line,
        "column": column,
        "end_column": end_column,
        "frames": frames,
        "folded_frames": folded,
        "what": what,
        "why": why,
        "hint": hint,
    }


def plain_report(kind: str, message: str) -> dict[str, Any]:
    """A report without a place."""
    return {
        "type": kind,
        "message": message,
        "line": None,
        "column": None,
        "end_column": None,
        "frames": [],
        "folded_frames": 0,
        "what": "",
        "why": "",
        "hint": "",
    }


def message_of(error: BaseException) -> str:
    """The exception's own text, at most MAX_MESSAGE characters; a substitute where its class gives none."""
    try:
        text = str(error)
        length = str.__len__(text)
        plain = str.__getitem__(text, slice(0, MAX_MESSAGE))
    except BaseException as second:  # the learner's own __str__
        return f"(its text could not be made: {type_name(type(second))} in its __str__)"
    plain = plain.encode("utf-8", "backslashreplace").decode("utf-8")
    return (
        plain if length <= MAX_MESSAGE else f"{plain}… (cut after {MAX_MESSAGE:,} of {length:,} characters)"
    )


def _syntax_report(error: SyntaxError, message: str, lines: list[str]) -> dict[str, Any]:
    line = error.lineno if type(error.lineno) is int and error.lineno > 0 else None
    column = error.offset - 1 if type(error.offset) is int and error.offset > 0 else None
    end = error.end_offset - 1 if type(error.end_offset) is int and error.end_lineno == line else None
    if column is None:
        end = None
    elif end is None or end <= column:
        end = column + 1
    text = error.msg if type(error.msg) is str else message
    found = plain_report(type_name(type(error)), text[:MAX_MESSAGE])
    what, why, hint = explanation(
        Scene(found["type"], tuple(base_names(type(error))), found["message"], _line(lines, line), ())
    )
    return found | {
        "line": line,
        "column": column,
        "end_column": end,
        "what": what,
        "why": why,
        "hint": hint,
    }


def _own_frames(
    error: BaseException, lines: list[str]
) -> tuple[list[dict[str, Any]], int, tuple[int, int | None, int | None] | None]:
    """The learner's frames outermost first, how many were folded, and the innermost place."""
    frames: list[dict[str, Any]] = []
    folded = 0
    innermost: types.TracebackType | None = None
    step: types.TracebackType | None = _traceback(error)
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == FILENAME:
            innermost = step
            frame = {
                "line": step.tb_lineno,
                "function": code.co_name[:100],
                "text": _line(lines, step.tb_lineno)[:MAX_LINE].strip(),
            }
            if frames[-2:] == [frame, frame]:
                folded += 1  # a recursion: three equal lines in a row tell no more than two
            else:
                frames.append(frame)
        elif not code.co_filename.startswith(_OURS):
            folded += 1
        step = step.tb_next
    if len(frames) > MAX_FRAMES:
        half = MAX_FRAMES // 2
        folded += len(frames) - MAX_FRAMES
        frames = frames[:half] + frames[-half:]
    return frames, folded, _place(innermost, lines)


def _place(step: types.TracebackType | None, lines: list[str]) -> tuple[int, int | None, int | None] | None:
    """Line from 1 and columns from 0, in characters; Python itself counts columns in bytes of UTF-8."""
    if step is None:
        return None
    number = step.tb_lineno
    positions = list(step.tb_frame.f_code.co_positions())
    at = step.tb_lasti // 2
    line, end_line, start, end = positions[at] if 0 <= at < len(positions) else (None, None, None, None)
    if line != number or start is None or end is None:
        return number, None, None
    data = _line(lines, number).encode("utf-8", "replace")
    if end_line != line:
        end = len(data.rstrip())  # an expression over several lines is marked to the end of its first
    column = len(data[:start].decode("utf-8", "replace"))
    return number, column, len(data[:end].decode("utf-8", "replace"))


def _names_in_scope(error: BaseException) -> tuple[str, ...]:
    """The names that the learner's innermost frame can see, for a suggestion after a NameError."""
    if type(error) is not NameError and type(error) is not UnboundLocalError:
        return ()
    names: set[str] = set()
    step: types.TracebackType | None = _traceback(error)
    while step is not None:
        if step.tb_frame.f_code.co_filename == FILENAME:
            names = {*step.tb_frame.f_code.co_varnames, *step.tb_frame.f_globals, *PLAIN_NAMES}
        step = step.tb_next
    return tuple(sorted(name for name in names if type(name) is str and not name.startswith("_")))[:2_000]


def _line(lines: list[str], number: int | None) -> str:
    return lines[number - 1] if number is not None and 1 <= number <= len(lines) else ""


_OURS = __file__.removesuffix("explain.py")  # frames of our own are no library's
