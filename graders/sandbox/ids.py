"""User ids for jails: which there are to lend, and how a user namespace gets its one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from graders.sandbox.syscalls import SandboxError

COUNT: Final = 65536
# Outside every range that systemd or the usual /etc/subuid hand out: no file or process of the host has one.
_FIRST: Final = 0x70000000
_SMALL: Final = 4096  # what is taken of a container's ids, from the end, where nobody else begins
_NOBODY: Final = 65534


def slot_ids() -> range:
    """The ids that root lends to jails, one to each. In a container only what is mapped there can be lent."""
    mapped = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    if any(first <= _FIRST and first + count >= _FIRST + COUNT for first, _outside, count in mapped):
        return range(_FIRST, _FIRST + COUNT)
    first, _outside, count = max(mapped)
    end = min(first + count, _NOBODY) if first < _NOBODY else first + count
    return range(max(first + 1, end - _SMALL), end)


def map_own_id(user: int, group: int) -> None:
    """Be root in a new user namespace, which outside is still the ordinary user. Raises: SandboxError."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            raise SandboxError(f"/proc/self/{name}: {error.strerror}") from error
