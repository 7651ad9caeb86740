"""How a template that has imported all it needs leaves the host behind, at each level."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from pathlib import Path
from typing import Final

from graders import wire
from graders.sandbox import ids, root, syscalls
from graders.sandbox.level import Level
from graders.sandbox.place import Measured, Place
from graders.sandbox.syscalls import SandboxError

NAMESPACES: Final = (
    syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
    | syscalls.CLONE_NEWCGROUP
)
_HUGE: Final = 2 << 20
_MESSAGE: Final = 1 << 10


def enter(level: Level, control: socket.socket, folder: str) -> Place:
    """Go where the jails will be. folder: an empty one, for the new root. Raises: SandboxError, OSError."""
    measured = Measured(_status_kib("VmData") << 10, _status_kib("VmSize") << 10)
    ranges = _private_ranges()
    place = _enter_namespaces(control, folder, measured) if level is Level.FULL else _stay(level, measured)
    syscalls.set_dumpable(False)  # our /proc entries are nobody's business
    for start, length in ranges:
        _collapse(start, length)
    return place


def _enter_namespaces(control: socket.socket, folder: str, measured: Measured) -> Place:
    """Mounts, namespaces, fork: the first process ends, the second is pid 1 of a namespace of its own.

    So killing it kills every jail that it made.
    """
    host_proc: int | None = None
    if os.geteuid() == 0:
        # Mounts first: within a user namespace even its root may not pass a folder such as /root.
        syscalls.unshare(syscalls.CLONE_NEWNS)
        shadowed = root.build(folder)
        syscalls.unshare(NAMESPACES)
        _ask_for_ids(control)
        os.setgroups([])
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
    else:
        user, group = os.geteuid(), os.getegid()
        host_proc = high(os.open("/proc", os.O_PATH | os.O_DIRECTORY))
        syscalls.unshare(NAMESPACES)
        ids.map_own_id(user, group)
        shadowed = root.build(folder)
    syscalls.set_dumpable(False)
    if os.fork():
        os._exit(0)  # the child is pid 1 of the new namespace, and alone with its memory
    return Place(Level.FULL, measured, ("/",), shadowed, host_proc)


def _stay(level: Level, measured: Measured) -> Place:
    """Where namespaces are refused, the jails' own layers are all there is between them and the host."""
    syscalls.forbid_new_privileges()
    folders = root.code_folders()
    if level is Level.CONTAINER:
        for folder in folders:
            for part in (*reversed(Path(folder).parents), Path(folder)):
                if not part.stat().st_mode & 0o001:
                    raise SandboxError(
                        f"the user of a jail may not enter {part}, and {folder} holds code that it needs; "
                        f"use a Python ({sys.base_prefix} now) and a checkout that every user can read"
                    )
    files = tuple(file for file in root.SYSTEM_FILES if os.path.exists(file))
    return Place(level, measured, (*folders, *files))


def _ask_for_ids(control: socket.socket) -> None:
    """Only the supervisor, outside, may give a user namespace a range of ids."""
    control.send(wire.encode({"ids": os.getpid()}))
    if wire.decode(control.recv(_MESSAGE)) != {"ids": True}:
        raise SandboxError("the user namespace got no ids")


def high(descriptor: int) -> int:
    """The same descriptor out of the way of those that a child puts at 0 to 3."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 100)
    os.close(descriptor)
    return moved


def _status_kib(field: str) -> int:
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise SandboxError(f"/proc/self/status has no {field}")


def _private_ranges() -> list[tuple[int, int]]:
    """Addresses (start, length) of writable memory without a file behind it."""
    found = []
    with open("/proc/self/maps") as maps:
        for line in maps:
            fields = line.split()
            anonymous = len(fields) == 5 or fields[5] == "[heap]"
            if anonymous and fields[1].startswith("rw") and fields[1].endswith("p"):
                start, end = (int(address, 16) for address in fields[0].split("-"))
                found.append((start, end - start))
    return found


def _collapse(start: int, length: int) -> None:
    """Gather a range into huge pages: a fork copies page tables, so this halves its cost."""
    first = -(-start // _HUGE) * _HUGE
    for address in range(first, start + length - _HUGE + 1, _HUGE):
        syscalls.advise(address, _HUGE, syscalls.MADV_COLLAPSE)
