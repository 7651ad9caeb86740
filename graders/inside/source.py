"""From the text that a learner sent to code that can run, or to the words in which it is refused."""

from __future__ import annotations

import linecache
import re
import types
from dataclasses import dataclass

from graders.inside.own import keep_builtins
from graders.wire import MAX_SOURCE

keep_builtins(globals())

FILENAME = "answer.py"

_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263: first or second line
_UTF8 = {"utf-8", "utf8", "utf_8", "utf-8-sig", "u8"}


@dataclass(frozen=True)
class Source:
    """A text that compiled. `text` has plain newlines and no byte order mark, as shown and run."""

    text: str
    code: types.CodeType


@dataclass(frozen=True)
class Unreadable:
    """Why a text is no program. error: Python's own, about a place in `text`, if there is one."""

    why: str
    text: str
    error: SyntaxError | None = None


def read(text: str) -> Source | Unreadable:
    """Compile a learner's text under the fixed file name, or say why not. Never raises.

    One byte order mark at the start is dropped, and every kind of line end becomes a newline, so that the
    line that is shown is the line that is run.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    why = _refusal(text)
    if why:
        return Unreadable(why, text)
    try:
        code = compile(text, FILENAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        return Unreadable(f"Python cannot read line {error.lineno or 1}.", text, error)
    except (RecursionError, MemoryError):
        return Unreadable("The code is nested too deeply for Python to read.", text)
    except Exception as error:  # ValueError, OverflowError: parser limits differ between versions
        return Unreadable(f"Python cannot read this code: {error}.", text)
    return Source(text, code)


def show_in_tracebacks(source: Source) -> None:
    """Let warnings and tracebacks quote the learner's own lines, and no file of that name on a disk."""
    lines = [line + "\n" for line in source.text.split("\n")]
    linecache.cache[FILENAME] = (len(source.text), None, lines, FILENAME)


def _refusal(text: str) -> str:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return "The code holds characters that are no valid Unicode. Save it as UTF-8."
    if size > MAX_SOURCE:
        return f"The code has {size:,} bytes; at most {MAX_SOURCE:,} (64 KiB) are read."
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return f"Line {line} holds a NUL character. Delete it; it may be invisible in your editor."
    for start in text.split("\n")[:2]:
        coding = _CODING.match(start)
        if coding and coding[1].lower() not in _UTF8:
            return (
                f"The code declares the encoding {coding[1][:40]}. Only UTF-8 is read: delete that comment."
            )
        if start.split("#")[0].strip():
            break  # PEP 263: after a line of code, a coding comment means nothing
    return ""
