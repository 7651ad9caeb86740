"""Landlock: which files a jail may touch, whatever the rights of its user; and no TCP, and no signal outside.

Each version of Landlock knows more rights than the one before. All that this kernel's version knows are
refused, except where a rule grants them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from graders.sandbox import syscalls

_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
_REMOVE_DIR: Final = 1 << 4
_REMOVE_FILE: Final = 1 << 5
_MAKE_DIR: Final = 1 << 7
_MAKE_REG: Final = 1 << 8
_MAKE_SYM: Final = 1 << 12
_REFER: Final = 1 << 13
_TRUNCATE: Final = 1 << 14

_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many rights on files each version knows
_TCP: Final = 0b11  # bind and connect, since version 4
_SCOPES: Final = 0b11  # abstract Unix sockets and signals, since version 6

_READ: Final = _READ_FILE | _READ_DIR
_OWN: Final = (
    _READ | _WRITE_FILE | _TRUNCATE | _MAKE_REG | _MAKE_DIR | _MAKE_SYM | _REMOVE_FILE | _REMOVE_DIR | _REFER
)
_FILE: Final = _READ_FILE | _WRITE_FILE | _TRUNCATE


def restrict(*, readable: Iterable[str], own: Iterable[str], devices: Iterable[str]) -> None:
    """Leave this process these files for ever: folders and files to read, folders of its own, devices.

    Nothing may be executed. Does nothing on a kernel without Landlock. Raises: SandboxError.
    """
    version = syscalls.landlock_version()
    if not version:
        return
    handled = (1 << _FILE_RIGHTS[min(version, max(_FILE_RIGHTS))]) - 1
    ruleset = syscalls.landlock_ruleset(
        handled,
        _TCP if version >= 4 else 0,
        _SCOPES if version >= 6 else 0,
        size=24 if version >= 6 else 16 if version >= 4 else 8,
    )
    try:
        for paths, rights in ((readable, _READ), (own, _OWN), (devices, _FILE)):
            for path in paths:
                fitting = rights if os.path.isdir(path) else rights & _FILE  # the kernel takes no others
                syscalls.landlock_allow(ruleset, path, fitting & handled)
        syscalls.landlock_restrict(ruleset)
    finally:
        os.close(ruleset)
