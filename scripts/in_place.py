"""Run a command as if on another kind of machine: `in_place.py PLACE COMMAND…`, as root.

    root        root of a plain machine, with Python and this checkout readable by every user
    user        an ordinary user of that machine
    container   root of a container with the usual profile: fourteen capabilities, and a filter on system
                calls that refuses namespaces and mounts
    desktop     an ordinary user of a desktop whose security module lets user namespaces be made, and refuses
                what they are for, as on Ubuntu 24.04

The last two are stand-ins: what the profile refuses is refused here by a seccomp filter. They serve to test
the sandbox's levels where neither is at hand.
"""

from __future__ import annotations

import errno
import os
import platform
import struct
import sys
import tempfile
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from graders.sandbox import seccomp, syscalls

PROJECT: Final = Path(__file__).resolve().parent.parent
_USER: Final = 54321

# What Docker leaves to a container's root: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID,
# SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD, AUDIT_WRITE, SETFCAP.
_CAPABILITIES: Final = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}

# unshare, setns, mount, umount2, pivot_root, mount_setattr, open_tree, move_mount, fsopen, fsmount,
# sethostname, keyctl, bpf, and clone3, whose flags no filter can see.
_NUMBERS: Final = {
    "x86_64": (272, 308, 165, 166, 155, 442, 428, 429, 430, 432, 170, 250, 321, 435),
    "aarch64": (97, 268, 40, 39, 41, 442, 428, 429, 430, 432, 161, 219, 280, 435),
}
_CLONE: Final = {"x86_64": 56, "aarch64": 220}


def main() -> None:
    """Become what the place says and run the command."""
    place, command = sys.argv[1], sys.argv[2:]
    if place not in PLACES or not command:
        sys.exit(__doc__)
    if os.geteuid() != 0:
        sys.exit("in_place.py changes what a user may see, and needs root for it")
    _make_readable()
    PLACES[place]()
    os.execvp(command[0], command)


def _make_readable() -> None:
    """In a mount namespace of our own, let every user pass to Python and this checkout."""
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("none", "/", "none", syscalls.MS_REC | syscalls.MS_PRIVATE)
    needed = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), PROJECT}
    closed: dict[Path, list[Path]] = {}
    for path in sorted(needed):
        barrier = next((part for part in [*reversed(path.parents), path] if not _open_to_all(part)), None)
        if barrier is not None:
            closed.setdefault(barrier, []).append(path)
    for barrier, paths in closed.items():
        stages = []
        for path in paths:
            stages.append((tempfile.mkdtemp(prefix="quizapp-stage-"), path))
            syscalls.mount(str(path), stages[-1][0], "none", syscalls.MS_BIND | syscalls.MS_REC)
        syscalls.mount("tmpfs", str(barrier), "tmpfs", syscalls.MS_NOSUID, "size=1m,mode=755")
        for stage, path in stages:
            path.mkdir(parents=True, exist_ok=True)
            syscalls.mount(stage, str(path), "none", syscalls.MS_BIND | syscalls.MS_REC)
            syscalls.unmount(stage)
            os.rmdir(stage)


def _open_to_all(folder: Path) -> bool:
    return bool(folder.stat().st_mode & 0o001)


def _root() -> None:
    pass


def _user() -> None:
    os.environ.update(HOME="/nonexistent", USER="ordinary", LOGNAME="ordinary")
    os.setgroups([])
    os.setresgid(_USER, _USER, _USER)
    os.setresuid(_USER, _USER, _USER)


def _container() -> None:
    _refuse(_NUMBERS[platform.machine()], clone_flags=seccomp.NAMESPACE_FLAGS)
    syscalls.drop_bounding_capabilities(kept=_CAPABILITIES)  # what root gets at the coming exec


def _desktop() -> None:
    _user()
    syscalls.forbid_new_privileges()  # without it an ordinary user may set no filter
    _refuse(_NUMBERS[platform.machine()][2:13], clone_flags=0)


def _refuse(numbers: tuple[int, ...], *, clone_flags: int) -> None:
    """Let these calls answer "not permitted", and clone too if it has one of the flags."""
    refuse, allow = 0x00050000 | errno.EPERM, 0x7FFF0000
    program = [(0x20, 0, 0, 0)]
    for number in numbers:
        missing = number == _NUMBERS[platform.machine()][-1]
        program += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.ENOSYS if missing else refuse)]
    program += [(0x15, 0, 3, _CLONE[platform.machine()]), (0x20, 0, 0, 16), (0x45, 0, 1, clone_flags)]
    program += [(0x06, 0, 0, refuse), (0x06, 0, 0, allow)]
    syscalls.SeccompFilter(b"".join(struct.pack("=HBBI", *line) for line in program)).install()


PLACES: Final = {"root": _root, "user": _user, "container": _container, "desktop": _desktop}

if __name__ == "__main__":
    main()
