"""Where a template has put itself: what each of its jails needs to know in order to close itself in."""

from __future__ import annotations

from dataclasses import dataclass

from graders.sandbox.level import Level
from graders.sandbox.root import Shadowed


@dataclass(frozen=True)
class Measured:
    """What the template had mapped when it was ready, in bytes: limits are put on top of it."""

    data: int
    address_space: int


@dataclass(frozen=True)
class Place:
    """One for all jails of a template.

    readable: the folders that a jail may read. shadowed: code folders below /tmp, in a checkout there.
    host_proc: at the full level as an ordinary user, a descriptor of the host's /proc.
    """

    level: Level
    measured: Measured
    readable: tuple[str, ...]
    shadowed: tuple[Shadowed, ...] = ()
    host_proc: int | None = None
