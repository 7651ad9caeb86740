"""How a check ends when it does not simply pass, and whose doing that is."""

from __future__ import annotations

from typing import Any


class Disagreement(AssertionError):  # noqa: N818 -- a no is no error
    """The check says no, in words: what was found, what was expected."""

    def __init__(self, message: str, got: str = "", expected: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.got = got
        self.expected = expected


class LearnerRaised(Exception):  # noqa: N818 -- not an error of the check's
    """The learner's code raised while the check used it. `report` has the fields of ErrorReport."""

    def __init__(self, report: dict[str, Any], bases: tuple[str, ...], asked: str) -> None:
        super().__init__(f"{asked} raised {report['type']}: {report['message']}")
        self.report = report
        self.bases = bases
        self.asked = asked


class Gone(BaseException):
    """The learner's process has ended. Not an Exception, so that no check swallows it."""


class AuthorError(Exception):
    """The check is used or written in a way that cannot work. The text is for the exercise's author."""
