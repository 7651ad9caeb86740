"""The learner's account of an exception, parsed strictly: it is a claim like any other."""

from __future__ import annotations

from typing import Any

from graders.checks.faults import Disagreement

MAX_TEXT = 5_000  # characters of the message
MAX_WORDS = 1_000  # characters of each other text
MAX_FRAMES = 32

_OWN_WORDS = ("what", "why", "hint")
_PLACES = ("line", "column", "end_column")


def error_report(sent: Any) -> dict[str, Any]:
    """A dict with the fields of ErrorReport and nothing else. Raises: Disagreement if it is no report."""
    try:
        return {
            "type": _text(sent["type"], 100),
            "message": _text(sent["message"], MAX_TEXT),
            **{place: _place(sent[place]) for place in _PLACES},
            "frames": [
                {
                    "line": _count(frame["line"]),
                    "function": _text(frame["function"], 100),
                    "text": _text(frame["text"], MAX_WORDS),
                }
                for frame in sent["frames"][:MAX_FRAMES]
            ],
            "folded_frames": _count(sent["folded_frames"]),
            **{part: _text(sent[part], MAX_WORDS) for part in _OWN_WORDS},
        }
    except (KeyError, TypeError, ValueError) as error:
        raise Disagreement("Your code raised something that could not be read.") from error


def base_names(sent: Any) -> tuple[str, ...]:
    """The names of an exception's base classes; none if they are not sent as they should be."""
    if type(sent) is not list:
        return ()
    return tuple(name[:100] for name in sent[:12] if type(name) is str)


def _text(value: Any, length: int) -> str:
    if type(value) is not str:
        raise ValueError("not a text")
    return value[:length]


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 31:
        raise ValueError("not a count")
    return value


def _place(value: Any) -> int | None:
    return None if value is None else _count(value)
