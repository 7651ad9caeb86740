"""What a check has looked at last, so that a bare `assert` can say why it failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graders.checks.seen import Seen


@dataclass(frozen=True)
class Entry:
    """One look or comparison.

    message, got, expected: for the learner. holds: how a comparison came out; None for a mere look. of: what
    was looked at, where that is one value.
    """

    message: str
    got: str = ""
    expected: str = ""
    holds: bool | None = None
    of: Seen | None = None


@dataclass
class Journal:
    """The last entry, and remarks that belong to whatever fails next."""

    last: Entry | None = None
    remarks: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Forget everything: a new check starts."""
        self.last = None
        self.remarks.clear()

    def note(self, entry: Entry) -> None:
        """Remember `entry` as what was looked at last."""
        self.last = entry

    def remark(self, text: str) -> None:
        """Add a sentence to the explanation of this check, should it fail."""
        if text not in self.remarks:
            self.remarks.append(text)


journal = Journal()  # one check runs at a time in a checker's process
