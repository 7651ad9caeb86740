"""What a jail uses, looked at from outside while it runs: what no rlimit counts, or not for all together.

An rlimit on memory holds for each process alone and does not see shared memory; at the lower levels none
counts the files of a jail, and at the lowest none its threads. So whoever waits for a jail looks every
twentieth of a second. A program can be over a limit for that long; and from then on it gives way to others.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from graders.sandbox import folders
from graders.sandbox.policy import MIB, Policy
from graders.sandbox.syscalls import SandboxError

INTERVAL_SECONDS: Final = 0.05
_SLACK: Final = 64 * MIB  # what an interpreter touches anew of what it shares with its template
_GIVES_WAY: Final = 10  # nice: about a tenth of the processor time of one that does not
_MOST_PROCESSES: Final = 1000  # more are not counted: the limits on their number are lower


class Excess(Enum):
    """What there is too much of."""

    MEMORY = "memory"
    PROCESSES = "processes"
    DISK = "disk"
    HIDDEN = "hidden"  # folders that cannot be looked into


@dataclass(frozen=True)
class Watch:
    """One jail: the pid of its first process here, what the template had in memory when it forked it, and the
    folder that it may write in, where that is not a file system with a size of its own.
    """

    pid: int
    inherited_bytes: int
    folder: str | None

    def give_way(self) -> None:
        """Let what takes its time have the processor only when nobody else wants it."""
        for pid in _with_descendants(self.pid):
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{pid}/task"):
                    with contextlib.suppress(OSError):
                        os.setpriority(os.PRIO_PROCESS, int(task), _GIVES_WAY)

    def excess(self, policy: Policy) -> Excess | None:
        """What this jail has too much of just now."""
        memory = tasks = 0
        for pid in _with_descendants(self.pid):
            used, threads = _memory_and_threads(pid)
            memory += max(0, used - self.inherited_bytes)
            tasks += threads
        if memory > policy.memory_mib * MIB + _SLACK:
            return Excess.MEMORY
        if tasks > policy.processes:
            return Excess.PROCESSES
        if self.folder is not None:
            most = policy.temporary_files
            try:
                size, count = folders.used(self.folder, most + 1)
            except folders.Hidden:
                return Excess.HIDDEN
            if size > policy.temporary_mib * MIB or count > most:
                return Excess.DISK
        return None


def resident_bytes(pid: int) -> int:
    """Anonymous and shared memory that a process holds, its parent's untouched pages included."""
    return _memory_and_threads(pid)[0]


def _memory_and_threads(pid: int) -> tuple[int, int]:
    """Both 0 for a process that has ended meanwhile. Raises: SandboxError if one cannot be looked at."""
    found = {b"RssAnon": 0, b"RssShmem": 0, b"Threads": 0}
    with _ended_meanwhile():
        # As bytes: a process gives itself what name it likes.
        for line in Path(f"/proc/{pid}/status").read_bytes().splitlines():
            name, _, value = line.partition(b":")
            if name in found:
                found[name] = int(value.split()[0])
    return (found[b"RssAnon"] + found[b"RssShmem"]) << 10, found[b"Threads"]


@contextlib.contextmanager
def _ended_meanwhile() -> Iterator[None]:
    """A process that has gone uses nothing; one that is there and cannot be seen must not pass for it."""
    try:
        yield
    except (FileNotFoundError, ProcessLookupError):
        pass
    except OSError as error:
        raise SandboxError(f"a jail cannot be watched: {error}") from error


def _with_descendants(pid: int) -> list[int]:
    """A process and all that it started; what loses its parent stays below the first process of a jail."""
    found = [pid]
    for known in found:
        if len(found) > _MOST_PROCESSES:
            break
        with _ended_meanwhile():
            for task in Path(f"/proc/{known}/task").iterdir():
                with _ended_meanwhile():
                    found += map(int, (task / "children").read_text().split())
    return found
