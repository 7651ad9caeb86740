"""A control group for a template and all its jails together, where this system lets us make one.

It is the last line: each jail has limits of its own, which hold first. Membership is inherited, so that a
jail costs nothing here. Both versions of control groups are known; where neither can be had, the watch on
each jail (watch.py) and the rlimits stand alone.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_REMOVE_SECONDS: Final = 2.0  # the kernel may still hold a group whose last process has just ended
PREFIX: Final = "quizapp-"  # and then the pid of the template's first process
_CONTROLLERS: Final = ("memory", "pids")


@dataclass(frozen=True)
class Found:
    """Where groups can be made. folders: by controller; of version 2 the same one for both."""

    version: int
    folders: dict[str, Path]


def find(proc: Path = Path("/proc/self")) -> Found | None:
    """The folders below which this process may make groups, or None."""
    return next((found for found in _all(proc) if _ours(found)), None)


def versions(proc: Path = Path("/proc/self")) -> set[int]:
    """Which versions can limit memory and processes on this system, for whoever may make groups."""
    return {found.version for found in _all(proc)}


def _all(proc: Path) -> list[Found]:
    memberships = {}
    for line in _read(proc / "cgroup").splitlines():
        _number, names, path = line.split(":", 2)
        memberships.update(dict.fromkeys(names.split(",") if names else [""], path))
    mounts: dict[str, Path] = {}
    for line in _read(proc / "mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _source, options) = before.split(), after.split()[:3]
        if kind == "cgroup2":
            mounts.setdefault("", _below(fields, memberships.get("")))
        elif kind == "cgroup":
            for name in set(options.split(",")) & set(_CONTROLLERS):
                mounts.setdefault(name, _below(fields, memberships.get(name)))
    found = []
    unified = mounts.get("")
    if unified and set(_CONTROLLERS) <= set(_read(unified / "cgroup.controllers").split()):
        found.append(Found(2, dict.fromkeys(_CONTROLLERS, unified)))
    if all(name in mounts for name in _CONTROLLERS):
        found.append(Found(1, {name: mounts[name] for name in _CONTROLLERS}))
    return found


def _below(fields: list[str], membership: str | None) -> Path:
    """Where a mount shows the group that we are in; mountinfo's root is the part that it leaves out."""
    root, mount_point = fields[3], fields[4]
    inner = (membership or "/").removeprefix(root.rstrip("/"))
    return Path(mount_point + "/" + inner.lstrip("/"))


def _ours(found: Found) -> bool:
    """Whether we may make groups there. In version 2 only what is left to us, as systemd's Delegate= does."""
    if not all(os.access(folder, os.W_OK) for folder in found.folders.values()):
        return False
    if found.version == 1:
        return True
    folder = found.folders["memory"]
    if set(_CONTROLLERS) <= set(_read(folder / "cgroup.subtree_control").split()):
        return True
    for name in ("trusted.delegate", "user.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


class Group:
    """A group with limits for all in it together."""

    def __init__(self, found: Found, pid: int, *, memory_bytes: int, processes: int) -> None:
        """Make one for the process with this pid. Raises: OSError where the system does not let us."""
        name = f"{PREFIX}{pid}"
        self._folders = sorted({folder / name for folder in found.folders.values()})
        try:
            if found.version == 2:
                _delegate(found.folders["memory"])
            for folder in self._folders:
                _clear_away_leftovers(folder.parent)
                folder.mkdir(exist_ok=True)
            if found.version == 2:
                (self._folders[0] / "memory.max").write_text(f"{memory_bytes}")
                _write_if_there(self._folders[0] / "memory.swap.max", "0")
                (self._folders[0] / "pids.max").write_text(f"{processes}")
            else:
                memory, pids = found.folders["memory"] / name, found.folders["pids"] / name
                (memory / "memory.limit_in_bytes").write_text(f"{memory_bytes}")
                _write_if_there(memory / "memory.memsw.limit_in_bytes", f"{memory_bytes}")
                (pids / "pids.max").write_text(f"{processes}")
        except OSError:
            self.remove()
            raise

    def add(self, pid: int) -> None:
        """Take a process in, with all that it will start. Raises: OSError."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(f"{pid}")

    def remove(self) -> None:
        """Remove the group once the last of it has ended."""
        end = time.monotonic() + _REMOVE_SECONDS
        for folder in self._folders:
            while folder.exists() and time.monotonic() < end:
                try:
                    folder.rmdir()
                except OSError:
                    time.sleep(0.01)


def _clear_away_leftovers(parent: Path) -> None:
    """Remove the empty groups of templates that were killed before they could."""
    for group in parent.glob(f"{PREFIX}*"):
        if not Path("/proc", group.name.removeprefix(PREFIX)).exists():
            with contextlib.suppress(OSError):  # it still has processes
                group.rmdir()


def _delegate(parent: Path) -> None:
    """In version 2 a group has processes or groups below it, not both: step aside, then hand on."""
    if not set(_CONTROLLERS) <= set(_read(parent / "cgroup.subtree_control").split()):
        aside = parent / "quizapp-supervisor"
        aside.mkdir(exist_ok=True)
        for pid in _read(parent / "cgroup.procs").split():
            with contextlib.suppress(ProcessLookupError):
                (aside / "cgroup.procs").write_text(pid)
        (parent / "cgroup.subtree_control").write_text("+memory +pids")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _write_if_there(path: Path, text: str) -> None:
    if path.exists():
        path.write_text(text)
