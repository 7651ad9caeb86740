"""One function per kernel call, no decisions. Each raises SandboxError with the call's name and its errno."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
from collections.abc import Collection
from typing import Final

from graders.sandbox.numbers import MACHINES

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWCGROUP: Final = 0x02000000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_REMOUNT: Final = 32
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18

MADV_COLLAPSE: Final = 25

_MNT_DETACH: Final = 2
_AT_FDCWD: Final = -100
_AT_RECURSIVE: Final = 0x8000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_CAPBSET_READ: Final = 23
_PR_CAPBSET_DROP: Final = 24
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_CAP_AMBIENT: Final = 47
_PR_CAP_AMBIENT_CLEAR_ALL: Final = 4
_SECCOMP_SET_MODE_FILTER: Final = 1
_CAPABILITY_VERSION_3: Final = 0x20080522
_LANDLOCK_CREATE_RULESET_VERSION: Final = 1
_LANDLOCK_RULE_PATH_BENEATH: Final = 1

_libc = ctypes.CDLL(None, use_errno=True)


class SandboxError(Exception):
    """The sandbox could not do its part: ours, or the machine's, never the learner's fault."""


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise SandboxError(f"{call}: {os.strerror(number)}")
    return result


def _number(name: str) -> int:
    return MACHINES[platform.machine()][1][name]


def unshare(flags: int) -> None:
    """Leave the namespaces that `flags` (CLONE_NEW…) name for new ones."""
    _checked(_libc.unshare(flags), f"unshare({flags:#x})")


def setns(descriptor: int, flags: int) -> None:
    """Enter the namespaces of the process behind a pidfd."""
    _checked(_libc.setns(descriptor, flags), f"setns({flags:#x})")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """mount(2)."""
    done = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()
    )
    _checked(done, f"mount({source}, {target}, {kind})")


def set_mount_flags(target: str, flags: int) -> None:
    """Add MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC to a mount and all below it. Linux 5.12 or newer."""
    attributes = _MountAttributes(set=flags)  # MOUNT_ATTR_* of these four have the same values as MS_*
    done = _libc.syscall(
        _number("mount_setattr"),
        _AT_FDCWD,
        target.encode(),
        _AT_RECURSIVE,
        ctypes.byref(attributes),
        ctypes.sizeof(attributes),
    )
    _checked(done, f"mount_setattr({target})")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root; the former root appears at `old`, which lies below `new`."""
    _checked(_libc.syscall(_number("pivot_root"), new.encode(), old.encode()), f"pivot_root({new})")


def unmount(target: str) -> None:
    """Detach a mount, and what lies below it, at once."""
    _checked(_libc.umount2(target.encode(), _MNT_DETACH), f"umount2({target})")


def set_hostname(name: str) -> None:
    """sethostname(2), in a UTS namespace of one's own."""
    _checked(_libc.sethostname(name.encode(), len(name)), "sethostname")


def limit(which: int, name: str, value: int) -> None:
    """setrlimit(2), soft and hard together."""
    try:
        resource.setrlimit(which, (value, value))
    except (ValueError, OSError) as error:
        raise SandboxError(f"setrlimit({name}, {value}): {error}") from error


def die_with_parent() -> None:
    """Be killed when the parent ends. A change of uid clears this, so it comes after."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0), "prctl(PR_SET_PDEATHSIG)")


def set_dumpable(dumpable: bool) -> None:
    """Whether /proc entries of this process belong to its uid, and whether it may leave a core."""
    _checked(_libc.prctl(_PR_SET_DUMPABLE, int(dumpable), 0, 0, 0), "prctl(PR_SET_DUMPABLE)")


def drop_bounding_capabilities(kept: Collection[int] = ()) -> None:
    """Empty the bounding set but for `kept`, so that nothing else can ever be gained, and the ambient set."""
    for capability in range(64):
        held = _libc.prctl(_PR_CAPBSET_READ, capability, 0, 0, 0)
        if held < 0:
            break  # one past the last capability that this kernel knows
        if held and capability not in kept:
            _checked(_libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0), "prctl(PR_CAPBSET_DROP)")
    else:
        raise SandboxError("prctl(PR_CAPBSET_READ): the kernel knows no end of capabilities")
    _checked(_libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "prctl(PR_CAP_AMBIENT)")


def drop_capabilities() -> None:
    """Give up the permitted, effective and inheritable sets."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _checked(_libc.capset(header, nothing), "capset")


def forbid_new_privileges() -> None:
    """no_new_privs: needed by the filter, and no setuid file helps any more."""
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)")


class SeccompFilter:
    """A seccomp filter in the form that the kernel takes, made once and put on as often as needed."""

    def __init__(self, program: bytes) -> None:
        """program: an array of struct sock_filter."""
        self._buffer = ctypes.create_string_buffer(program, len(program))
        self._description = _FilterProgram(len(program) // 8, ctypes.addressof(self._buffer))

    def install(self) -> None:
        """Put it on this process for ever."""
        where = ctypes.byref(self._description)
        done = _libc.syscall(_number("seccomp"), _SECCOMP_SET_MODE_FILTER, 0, where)
        _checked(done, "seccomp(SECCOMP_SET_MODE_FILTER)")


def landlock_version() -> int:
    """The version of Landlock in this kernel; 0 where there is none, or where it is switched off."""
    version: int = _libc.syscall(
        _number("landlock_create_ruleset"), None, ctypes.c_size_t(0), _LANDLOCK_CREATE_RULESET_VERSION
    )
    return max(0, version)


def landlock_ruleset(files: int, network: int, scoped: int, size: int) -> int:
    """A new ruleset that refuses these rights wherever no rule grants them. Returns its descriptor.

    size: bytes of the attributes that this kernel's version knows.
    """
    attributes = _RulesetAttributes(files, network, scoped)
    done = _libc.syscall(
        _number("landlock_create_ruleset"), ctypes.byref(attributes), ctypes.c_size_t(size), 0
    )
    return _checked(done, "landlock_create_ruleset")


def landlock_allow(ruleset: int, path: str, rights: int) -> None:
    """Grant rights on a file, or on all below a folder."""
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxError(f"landlock: {path}: {error.strerror}") from error
    try:
        rule = _PathBeneath(rights, parent)
        done = _libc.syscall(
            _number("landlock_add_rule"), ruleset, _LANDLOCK_RULE_PATH_BENEATH, ctypes.byref(rule), 0
        )
        _checked(done, f"landlock_add_rule({path})")
    finally:
        os.close(parent)


def landlock_restrict(ruleset: int) -> None:
    """Put this process, and all that it starts, under the ruleset for ever. Needs no_new_privs."""
    _checked(_libc.syscall(_number("landlock_restrict_self"), ruleset, 0), "landlock_restrict_self")


def advise(start: int, length: int, advice: int) -> bool:
    """madvise(2) on a range of addresses; whether the kernel took the advice."""
    taken: int = _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(length), advice)
    return taken == 0


def close_from(first: int) -> None:
    """Close every descriptor from `first` on."""
    os.closerange(first, 1 << 30)
