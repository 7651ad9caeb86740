"""The layers that a forked child puts on, in a written order, before it meets a stranger's line.

Each layer is one function here; LAYERS says which of them a level has, and in which order. What the template
has put on for all of them (enter.py) and what the supervisor holds from outside (jail.py, watch.py) come on
top.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from graders.sandbox import landlock, seccomp, syscalls
from graders.sandbox.level import Level
from graders.sandbox.place import Place
from graders.sandbox.root import DEVICES, PRIVATE_FOLDERS, uncover
from graders.sandbox.syscalls import SandboxError, SeccompFilter

CHANNEL: Final = 3  # the one descriptor besides 0, 1 and 2
_DATA_SLACK: Final = 64 << 20  # allocator arenas and stacks that the interpreter itself may still need
_ADDRESS_SLACK: Final = 4 << 30  # torch maps gigabytes that it never touches


@dataclass(frozen=True)
class Sealing:
    """One child to be closed in.

    limits: Policy.kernel_limits(). uid: the id to change to; None where there is only one id. folder: the one
    that it may write in. descriptors: channel, stdout, stderr.
    """

    place: Place
    limits: Mapping[str, int]
    uid: int | None
    folder: str
    descriptors: tuple[int, int, int]


def seal(sealing: Sealing, *, without: frozenset[str] = frozenset()) -> None:
    """Close this process in, for good.

    without: layers to leave out, by name: for attempts of our own, which show what each layer is good for.
    Raises: SandboxError or OSError naming the step that failed; the caller must not go on.
    """
    for layer in LAYERS[sealing.place.level]:
        if layer.__name__ not in without:
            layer(sealing)


def descriptors(sealing: Sealing) -> None:
    """`/dev/null` as input, two pipes as output, one socket to the supervisor."""
    channel, stdout, stderr = sealing.descriptors
    nothing = os.open("/dev/null", os.O_RDONLY)
    # Away from 0 to 3 first: a descriptor may stand where another one must go.
    away = [os.dup(descriptor) for descriptor in (nothing, stdout, stderr, channel)]
    while min(away) <= CHANNEL:
        away = [os.dup(descriptor) for descriptor in away]
    for place, descriptor in enumerate(away):
        os.dup2(descriptor, place)


def session(_sealing: Sealing) -> None:
    """A session of its own, without a terminal."""
    os.setsid()
    os.umask(0o077)


def file_systems(sealing: Sealing) -> None:
    """Namespaces of mounts, IPC and host name; a small noexec `/tmp` and `/dev/shm`, gone with the jail."""
    limits, owner = sealing.limits, f",mode=700,uid={sealing.uid or 0},gid={sealing.uid or 0}"
    syscalls.unshare(syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS)
    syscalls.set_hostname("jail")
    flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
    room = f"size={limits['temporary_bytes']},nr_inodes={limits['temporary_files']}{owner}"
    syscalls.mount("tmpfs", "/tmp", "tmpfs", flags, room)
    room = f"size={limits['shared_memory_bytes']},nr_inodes=256{owner}"
    syscalls.mount("tmpfs", "/dev/shm", "tmpfs", flags, room)
    for folder in sealing.place.shadowed:
        uncover(folder)


def user_namespace(sealing: Sealing) -> None:
    """As an ordinary user: one id and no rights outside, and so a count of processes of its own."""
    host_proc = sealing.place.host_proc
    if host_proc is None:
        return
    syscalls.set_dumpable(True)  # only then do our entries in /proc belong to us; `rights` sets it back
    syscalls.unshare(syscalls.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", "65534 0 1"), ("gid_map", "65534 0 1")):
        descriptor = os.open(f"self/{name}", os.O_WRONLY, dir_fd=host_proc)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def no_other_descriptor(_sealing: Sealing) -> None:
    """Every descriptor but those four is closed."""
    syscalls.close_from(CHANNEL + 1)


def own_folder(sealing: Sealing) -> None:
    """It works in the one folder that it may write in."""
    os.chdir(sealing.folder)


def rlimits(sealing: Sealing) -> None:
    """Processor time, private memory on top of the template's, address space, file size, descriptors, stack;
    no core, no message queues.
    """
    limits, measured = sealing.limits, sealing.place.measured
    address_space = measured.address_space + _ADDRESS_SLACK + limits["memory_bytes"]
    for which, name, value in (
        (resource.RLIMIT_CPU, "RLIMIT_CPU", limits["cpu_seconds"]),
        (resource.RLIMIT_DATA, "RLIMIT_DATA", measured.data + _DATA_SLACK + limits["memory_bytes"]),
        (resource.RLIMIT_AS, "RLIMIT_AS", address_space),
        (resource.RLIMIT_FSIZE, "RLIMIT_FSIZE", limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, "RLIMIT_NOFILE", limits["open_files"]),
        (resource.RLIMIT_STACK, "RLIMIT_STACK", 8 << 20),
        (resource.RLIMIT_CORE, "RLIMIT_CORE", 0),
        (resource.RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK", 64 << 10),
        (resource.RLIMIT_MSGQUEUE, "RLIMIT_MSGQUEUE", 0),
        (resource.RLIMIT_SIGPENDING, "RLIMIT_SIGPENDING", 1024),
    ):
        syscalls.limit(which, name, value)


def processes(sealing: Sealing) -> None:
    """Processes and threads together: the kernel counts them by uid, and the uid is this jail's."""
    syscalls.limit(resource.RLIMIT_NPROC, "RLIMIT_NPROC", sealing.limits["processes"])


def environment(sealing: Sealing) -> None:
    """An environment of five variables."""
    if (
        sealing.place.level is not Level.FULL
    ):  # there the template has it already, with the folder of all jails
        set_environment(sealing.folder)


def set_environment(folder: str) -> None:
    """Leave this process five variables. folder: the one that it may write in."""
    os.environ.clear()
    os.environ.update(HOME=folder, TMPDIR=folder, PATH="/nonexistent", LANG="C.UTF-8", USER="learner")


def rights(sealing: Sealing) -> None:
    """A uid of its own (as root), no capability in any set, not dumpable."""
    syscalls.drop_bounding_capabilities()
    if sealing.uid is not None:
        os.setgroups([])
        os.setresgid(sealing.uid, sealing.uid, sealing.uid)
        os.setresuid(sealing.uid, sealing.uid, sealing.uid)
    syscalls.drop_capabilities()
    syscalls.set_dumpable(False)


def no_rights_to_lose(_sealing: Sealing) -> None:
    """It has no capability, and is not dumpable."""
    if os.geteuid() == 0:
        raise SandboxError("at this level a jail keeps the rights of its user, which must not be root")
    syscalls.drop_capabilities()
    syscalls.set_dumpable(False)


def tied_to_template(sealing: Sealing) -> None:
    """It dies with the template, which is not pid 1 of a namespace here."""
    template = os.getppid()
    syscalls.die_with_parent()
    if os.getppid() != template or template == 1:
        raise SandboxError("the template has ended")


def no_new_privileges(_sealing: Sealing) -> None:
    """No setuid file helps any more; the kernel asks for this before the next two."""
    syscalls.forbid_new_privileges()


def files(sealing: Sealing) -> None:
    """Landlock, where the kernel has it: read the interpreter and its libraries, write in its own folder and
    to four harmless devices, execute nothing; no TCP, no signal and no abstract Unix socket outside.
    """
    full = sealing.place.level is Level.FULL
    landlock.restrict(
        readable=sealing.place.readable,
        own=PRIVATE_FOLDERS if full else (sealing.folder,),
        devices=DEVICES,
    )


def system_calls(sealing: Sealing) -> None:
    """A seccomp allow-list; at the lower levels no second process, signals to itself alone, and nothing that
    changes what a path leads to beside Landlock.
    """
    jail_filter(None if sealing.place.level is Level.FULL else os.getpid()).install()


@cache
def jail_filter(alone: int | None = None) -> SeccompFilter:
    """The filter of a jail, remembered: the template makes the one that all its jails share.

    alone: the pid of a jail without namespaces.
    """
    return SeccompFilter(seccomp.assemble(alone=alone))


Layer = Callable[[Sealing], None]

LAYERS: Final[dict[Level, tuple[Layer, ...]]] = {
    Level.FULL: (
        descriptors, session, file_systems, user_namespace, no_other_descriptor, own_folder, rlimits,
        processes, environment, rights, no_new_privileges, files, system_calls,
    ),
    Level.CONTAINER: (
        descriptors, session, no_other_descriptor, own_folder, rlimits, processes, environment, rights,
        tied_to_template, no_new_privileges, files, system_calls,
    ),
    Level.PERSONAL: (
        descriptors, session, no_other_descriptor, own_folder, rlimits, environment, no_rights_to_lose,
        tied_to_template, no_new_privileges, files, system_calls,
    ),
}  # fmt: skip
