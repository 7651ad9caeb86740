"""The layers that a forked child puts on, in the order in which it does, before it meets a stranger's line.

One descriptor for the grader and two for output, a session, namespaces (process ids by the template before
the fork; mounts, IPC and host name here) with small file systems of its own, every other descriptor closed,
rlimits, the uid, capabilities, no_new_privs, and the system call filter last. Network, user and cgroup
namespaces and the read-only root are the template's.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from graders.sandbox import syscalls
from graders.sandbox.root import Shadowed, uncover

CHANNEL: Final = 3  # the one descriptor besides 0, 1 and 2
_DATA_SLACK: Final = 64 << 20  # allocator arenas and stacks that the interpreter itself may still need
_ADDRESS_SLACK: Final = 4 << 30  # torch maps gigabytes that it never touches


@dataclass(frozen=True)
class Measured:
    """What the template had mapped when it was ready, in bytes: limits are put on top of it."""

    data: int
    address_space: int


def seal(
    limits: Mapping[str, int],
    *,
    uid: int | None,
    host_proc: int | None,
    measured: Measured,
    shadowed: tuple[Shadowed, ...],
    filter_program: bytes,
    descriptors: tuple[int, int, int],
) -> None:
    """Close this process in, for good.

    uid: the id to change to; None where there is only one id.
    host_proc: there, a descriptor of the host's /proc, with which the jail maps a user namespace of its own.
    shadowed: code folders below /tmp, in a checkout there.
    descriptors: channel, stdout, stderr.
    Raises: SandboxError naming the step that failed; the caller must not go on.
    """
    _own_descriptors(descriptors)
    os.setsid()
    os.umask(0o077)
    _own_file_systems(limits, uid)
    for folder in shadowed:
        uncover(folder)
    if host_proc is not None:
        _own_user_namespace(host_proc)
    syscalls.close_from(CHANNEL + 1)
    _limit(limits, measured)
    _own_environment()
    _give_up_rights(uid)
    syscalls.forbid_new_privileges()
    syscalls.install_filter(filter_program)


def _own_file_systems(limits: Mapping[str, int], uid: int | None) -> None:
    syscalls.unshare(syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS)
    syscalls.set_hostname("jail")
    flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
    owner = f",mode=700,uid={uid or 0},gid={uid or 0}"
    syscalls.mount(
        "tmpfs",
        "/tmp",
        "tmpfs",
        flags,
        f"size={limits['temporary_bytes']},nr_inodes={limits['temporary_files']}{owner}",
    )
    syscalls.mount(
        "tmpfs", "/dev/shm", "tmpfs", flags, f"size={limits['shared_memory_bytes']},nr_inodes=256{owner}"
    )
    os.chdir("/tmp")


def _own_user_namespace(host_proc: int) -> None:
    """A namespace with one id and no rights outside, so that the count of processes is this jail's own."""
    syscalls.set_dumpable(True)  # only then do our entries in /proc belong to us; the seal ends with False
    syscalls.unshare(syscalls.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", "65534 0 1"), ("gid_map", "65534 0 1")):
        descriptor = os.open(f"self/{name}", os.O_WRONLY, dir_fd=host_proc)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _own_descriptors(descriptors: tuple[int, int, int]) -> None:
    channel, stdout, stderr = descriptors
    nothing = os.open("/dev/null", os.O_RDONLY)
    # Away from 0 to 3 first: a descriptor may stand where another one must go.
    away = [os.dup(descriptor) for descriptor in (nothing, stdout, stderr, channel)]
    while min(away) <= CHANNEL:
        away = [os.dup(descriptor) for descriptor in away]
    for place, descriptor in enumerate(away):
        os.dup2(descriptor, place)


def _limit(limits: Mapping[str, int], measured: Measured) -> None:
    for which, name, value in (
        (resource.RLIMIT_CPU, "RLIMIT_CPU", limits["cpu_seconds"]),
        (resource.RLIMIT_DATA, "RLIMIT_DATA", measured.data + _DATA_SLACK + limits["memory_bytes"]),
        (
            resource.RLIMIT_AS,
            "RLIMIT_AS",
            measured.address_space + _ADDRESS_SLACK + limits["memory_bytes"],
        ),
        (resource.RLIMIT_FSIZE, "RLIMIT_FSIZE", limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, "RLIMIT_NOFILE", limits["open_files"]),
        (resource.RLIMIT_NPROC, "RLIMIT_NPROC", limits["processes"]),
        (resource.RLIMIT_STACK, "RLIMIT_STACK", 8 << 20),
        (resource.RLIMIT_CORE, "RLIMIT_CORE", 0),
        (resource.RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK", 64 << 10),
        (resource.RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE", 0),
        (resource.RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING", 1024),
    ):
        syscalls.limit(which, name, value)


def _own_environment() -> None:
    os.environ.clear()
    os.environ.update(HOME="/tmp", TMPDIR="/tmp", PATH="/nonexistent", LANG="C.UTF-8", USER="learner")


def _give_up_rights(uid: int | None) -> None:
    syscalls.drop_bounding_capabilities()
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    syscalls.drop_capabilities()
    syscalls.set_dumpable(False)
