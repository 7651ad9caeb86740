"""What this machine grants, tried in a process of its own: `python -I -m graders.sandbox.probe` prints JSON.

A call that succeeds proves little: some systems let `unshare` pass and then refuse what it is for. So each
answer comes from using what was granted, as the template and its jails will.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable

from graders.sandbox import ids, syscalls
from graders.sandbox.enter import NAMESPACES
from graders.sandbox.syscalls import SandboxError


def main() -> None:
    """Print what is granted, as the fields of level.Machine."""
    granted = {
        "namespaces": _refused(_use_namespaces),
        "landlock": syscalls.landlock_version(),
        "ids": not _refused(_change_id),
    }
    json.dump(granted, sys.stdout)


def _refused(attempt: Callable[[], None]) -> str:
    """What stopped an attempt, made in a child; "" if nothing did."""
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            attempt()
        except (SandboxError, OSError) as error:
            os.write(writing, (str(error) or type(error).__name__).encode())
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with open(reading) as told:
        text = told.read()
    _pid, status = os.waitpid(pid, 0)
    return text or ("" if status == 0 else f"the attempt ended with status {status}")


def _use_namespaces() -> None:
    """Make a file system in a mount namespace of one's own, and a process that is pid 1 of another."""
    user, group = os.geteuid(), os.getegid()
    syscalls.unshare(NAMESPACES if user else NAMESPACES & ~syscalls.CLONE_NEWUSER)
    if user:
        ids.map_own_id(user, group)
    syscalls.mount("none", "/", "none", syscalls.MS_REC | syscalls.MS_PRIVATE)
    folder = tempfile.mkdtemp(prefix="quizapp-probe-")
    try:
        syscalls.mount("tmpfs", folder, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "size=64k")
        syscalls.unmount(folder)
    finally:
        os.rmdir(folder)
    if (pid := os.fork()) == 0:
        os._exit(0 if os.getpid() == 1 else 1)
    if os.waitpid(pid, 0)[1]:
        raise SandboxError("a process namespace has no first process")
    if not user:
        syscalls.unshare(syscalls.CLONE_NEWUSER)


def _change_id() -> None:
    slot = ids.slot_ids().start
    os.setgroups([])
    os.setresgid(slot, slot, slot)
    os.setresuid(slot, slot, slot)


if __name__ == "__main__":
    main()
