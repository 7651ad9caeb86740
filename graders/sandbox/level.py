"""How well a machine lets us wall in a jail: three levels, and which of them can be had here."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from graders.sandbox.apparmor import under_profile
from graders.sandbox.numbers import MACHINES
from graders.sandbox.syscalls import SandboxError

_PROBE: Final = "graders.sandbox.probe"
_PROBE_SECONDS: Final = 30


class Level(StrEnum):
    """Best first. All have a seccomp filter, rlimits and an outer clock; what else, docs/security.md says."""

    FULL = "full"  # namespaces, a root of its own, and everything else
    CONTAINER = "container"  # namespaces are refused, a uid for each jail is not: Landlock, no second process
    PERSONAL = "personal"  # neither: Landlock, no second process; enough for one's own code


@dataclass(frozen=True)
class Machine:
    """What this machine grants to this user, found by trying.

    namespaces: "" if jails can have them, else what was refused. landlock: its version, 0 for none.
    ids: whether this process may change to the uid of a slot.
    """

    namespaces: str
    landlock: int
    ids: bool

    def levels(self) -> tuple[Level, ...]:
        """The levels that can be had here, best first; empty where nothing may be graded."""
        found = []
        if not self.namespaces:
            found.append(Level.FULL)
        if self.landlock and self.ids:
            found.append(Level.CONTAINER)
        # Without a change of uid, root's own rights would be the learner's.
        if self.landlock and os.geteuid() != 0:
            found.append(Level.PERSONAL)
        return tuple(found)


@cache
def probe() -> Machine:
    """Try, in a process of its own, what each level needs. Takes some hundredths of a second.

    Raises: SandboxError on a system on which no jail can be made at all.
    """
    if platform.system() != "Linux" or platform.machine() not in MACHINES:
        raise SandboxError(f"{platform.system()} on {platform.machine()} is not supported")
    done = subprocess.run(
        under_profile([sys.executable, "-I", "-m", _PROBE]),
        capture_output=True,
        timeout=_PROBE_SECONDS,
        check=False,
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        told = done.stderr.decode(errors="replace").strip()
        raise SandboxError(f"this machine could not be examined: {told or done.returncode}") from None
    return Machine(**found)


def choose(wanted: Level | None = None) -> Level:
    """The best level here, or `wanted`. Raises: SandboxError if it cannot be had."""
    machine = probe()
    levels = machine.levels()
    if wanted is None:
        if not levels:
            raise SandboxError(refusal(machine))
        return levels[0]
    if wanted not in levels:
        raise SandboxError(f"the level {wanted} cannot be had here: {refusal(machine, wanted)}")
    return wanted


def refusal(machine: Machine, wanted: Level | None = None) -> str:
    """Why a level, or any level at all, cannot be had."""
    if wanted is Level.FULL:
        return f"namespaces are refused ({machine.namespaces})"
    if wanted is Level.PERSONAL and os.geteuid() == 0:
        return "it is for ordinary users; root has the level container"
    if not machine.landlock:
        without = "this kernel has no Landlock, or has it switched off"
        return without if wanted else f"namespaces are refused ({machine.namespaces}), and {without}"
    return "this user may not change to another uid"
