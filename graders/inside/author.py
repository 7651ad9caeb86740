"""What went wrong in an author's checks: one line to act on, and below it the whole traceback."""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable
from pathlib import PurePath

from graders.checks.faults import AuthorError
from graders.checks.pictures import Picture

MAX_LOG = 8_000  # characters of one traceback; its end is kept
MAX_LINE = 500
OF_AN_AUTHOR = ("checks.py", "solution.py", "item.toml")
_NO_ARITHMETIC = (
    "a picture is compared, not computed with: write close(result, expected), or take result.value first"
)


def author_log(error: BaseException, check: str | None = None, *, mistake: str | None = None) -> str:
    """`checks.py:LINE: check "name": Type: message; remedy`, and the traceback on the lines below.

    check: the name of the check that raised; None while the checks are loaded. mistake: the function of a
    known mistake, if it was that.
    """
    return f"{_line(error, check, mistake)}\n{''.join(traceback.format_exception(error))[-MAX_LOG:]}"


def _line(error: BaseException, check: str | None, mistake: str | None) -> str:
    message = " ".join(str(error).split())
    if isinstance(error, AuthorError):
        what = message.removeprefix(f"check {check!r}: ")  # such a text names its remedy itself
    else:
        what = f"{type(error).__name__}: {message}; {_remedy(error)}"
    named = [f"mistake {mistake}"] if mistake else [] if check is None else [f'check "{check}"']
    line = ": ".join([_place(error), *named, what])
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…"


def _place(error: BaseException) -> str:
    """The innermost line of the author's own that the error went through."""
    if isinstance(error, SyntaxError) and error.filename in OF_AN_AUTHOR:
        return error.filename if error.filename == "item.toml" else f"{error.filename}:{error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in OF_AN_AUTHOR]
    if not frames:
        return "checks.py"
    # An [[expect]] is compiled by itself: its line in item.toml is not known here, its name says which it is.
    name = PurePath(frames[-1].filename).name
    return name if name == "item.toml" else f"{name}:{frames[-1].lineno}"


def _remedy(error: BaseException) -> str:
    if isinstance(error, AttributeError) and error.name is not None:
        if near := _nearest(error.name, (name for name in dir(error.obj) if not name.startswith("_"))):
            return near
        if isinstance(error.obj, Picture):
            return _NO_ARITHMETIC
    if isinstance(error, NameError) and error.name is not None and (near := _known_name(error, error.name)):
        return near
    if isinstance(error, TypeError) and "'Picture'" in str(error):
        return _NO_ARITHMETIC
    return "mend the check"


def _known_name(error: BaseException, wrong: str) -> str:
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return "" if step is None else _nearest(wrong, [*step.tb_frame.f_locals, *step.tb_frame.f_globals])


def _nearest(wrong: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(wrong, list(known), n=1, cutoff=0.7)
    return f'did you mean "{near[0]}"?' if near else ""
