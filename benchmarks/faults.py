"""The one way in which a benchmark fails."""

from __future__ import annotations


class NotMeasured(Exception):  # noqa: N818 -- what happened, not whose error it is
    """Something could not be measured; the text says what, and why."""
