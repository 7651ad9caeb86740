"""The learner's account of an exception, parsed strictly: it is a claim like any other."""

from __future__ import annotations

from typing import Any

from graders.checks.faults import Disagreement
from graders.verdict import ErrorReport


def error_report(sent: Any) -> dict[str, Any]:
    """A dict with the fields of ErrorReport and nothing else. Raises: Disagreement if it is no report."""
    report = ErrorReport.read(sent)
    if report is None:
        raise Disagreement("Your code raised something that could not be read.")
    return report.to_plain()


def base_names(sent: Any) -> tuple[str, ...]:
    """The names of an exception's base classes; none if they are not sent as they should be."""
    if type(sent) is not list:
        return ()
    return tuple(name[:100] for name in sent[:12] if type(name) is str)
