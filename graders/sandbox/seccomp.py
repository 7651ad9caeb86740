"""The system calls that a jail may make: an allow-list, assembled to the kernel's BPF.

Everything else answers "not permitted" (EPERM) instead of killing, so that the learner reads an error at
their own line. Namespaces and the empty root bound what an allowed call can reach; this list closes what no
namespace covers (keyrings, file locks, vsock, io_uring, new kinds of sockets) and most of the kernel.

A jail without namespaces is one process that is *alone*: it can start threads and no process, send signals to
itself only, and make no call on a path that Landlock does not govern, but for asking whether there is a file.
"""

from __future__ import annotations

import errno
import platform
import struct
from typing import Final

from graders.sandbox.numbers import MACHINES

_HOT = """read write futex munmap madvise mprotect brk close fstat lseek newfstatat clock_gettime
    rt_sigaction rt_sigprocmask rt_sigreturn getrandom"""
_FILES = """stat lstat statx access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd
    chdir fchdir pread64 pwrite64 readv writev preadv pwritev sendfile copy_file_range fadvise64
    sync_file_range creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat
    symlink symlinkat truncate ftruncate fallocate fsync fdatasync utime utimes futimesat utimensat umask
    chmod fchmod fchmodat statfs fstatfs dup dup2 dup3 pipe pipe2 close_range"""
_MEMORY = "mremap membarrier msync mincore"
_PROCESSES = """fork vfork wait4 waitid exit exit_group rseq set_robust_list get_robust_list set_tid_address
    sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min getcpu gettid arch_prctl restart_syscall"""
_SIGNALS = """rt_sigsuspend rt_sigpending rt_sigtimedwait rt_sigqueueinfo sigaltstack kill tkill tgkill pause
    alarm getitimer setitimer"""
_QUESTIONS = """clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage sysinfo uname getpid
    getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid getsid getrlimit
    getpriority"""
_WAITING = """poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd
    eventfd2 shutdown getsockopt getsockname getpeername"""

# Hot calls first: the filter is a linear list, and older kernels remember nothing. The newer machine never
# had some of the older calls.
ALLOWED: Final = tuple(" ".join((_HOT, _FILES, _MEMORY, _PROCESSES, _SIGNALS, _QUESTIONS, _WAITING)).split())

# Not for a process that is alone: they change files by path beside Landlock, or look into other processes.
_BESIDE_LANDLOCK = "chmod fchmod fchmodat utime utimes futimesat utimensat truncate readlink readlinkat"
NOT_ALONE: Final = ("fork", "vfork", "tkill", "get_robust_list", *_BESIDE_LANDLOCK.split())

# CLONE_NEWTIME shares its bit with the signal number of clone(2) and is refused by the kernel there.
NAMESPACE_FLAGS: Final = 0x7E020000  # CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}
CLONE_THREAD: Final = 0x00010000
AF_UNIX: Final = 1
SOCK_STREAM: Final = 1
MSG_OOB: Final = 1
O_ACCMODE: Final = 0b11
O_WRONLY: Final = 1
O_RDWR: Final = 2
O_TRUNC: Final = 0o1000
MAP_SHARED: Final = 1  # and MAP_SHARED_VALIDATE, 3: the kinds of mapping that have this bit
MAP_ANONYMOUS: Final = 0x20
SIGKILL: Final = 9
SIGSTOP: Final = 19
PRCTL_ALLOWED: Final = (15, 16, 3, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA
IOCTL_ALLOWED: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS … FIOCLEX: no TIOCSTI
FCNTL_ALLOWED: Final = (0, 1, 2, 3, 4, 1030, 1032)  # duplicates, flags, pipe size; no lock, lease or notify

_ALLOW: Final = 0x7FFF0000
_KILL_PROCESS: Final = 0x80000000
_ERRNO: Final = 0x00050000

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_ANY_BIT: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_KEEP_BITS: Final = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K

_NUMBER_OFFSET: Final = 0
_ARCH_OFFSET: Final = 4
_X32_BIT: Final = 0x40000000

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def _give(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _refuse(number: int) -> Instruction:
    return _give(_ERRNO | number)


def _low(argument: int) -> Instruction:
    """Load the low half of an argument; both machines are little-endian."""
    return (_LOAD, 0, 0, 16 + 8 * argument)


def _high(argument: int) -> Instruction:
    return (_LOAD, 0, 0, 20 + 8 * argument)


def _one_of(argument: int, values: tuple[int, ...]) -> list[Instruction]:
    """Allow when the argument (an int for the kernel, so its low half) is one of `values`."""
    body = [_low(argument)]
    for value in values:
        body += [(_EQUAL, 0, 1, value), _give(_ALLOW)]
    return [*body, _refuse(errno.EPERM)]


def _without(argument: int, bits: int) -> list[Instruction]:
    """Allow when none of `bits` is set in the argument."""
    return [_low(argument), (_ANY_BIT, 0, 1, bits), _refuse(errno.EPERM), _give(_ALLOW)]


def _empties_only_to_write(flags: int) -> list[Instruction]:
    """Opening a file; emptying it in doing so only together with the right to write.

    Landlock learned of O_TRUNC in its third version; before, a file could be emptied by opening it to read.
    """
    return [
        _low(flags), (_ANY_BIT, 1, 0, O_TRUNC), _give(_ALLOW),
        (_KEEP_BITS, 0, 0, O_ACCMODE), (_EQUAL, 1, 0, O_WRONLY), (_EQUAL, 0, 1, O_RDWR), _give(_ALLOW),
        _refuse(errno.EPERM),
    ]  # fmt: skip


def _conditions() -> dict[str, list[Instruction]]:
    """Calls that are allowed for some arguments only, each with a body that always returns."""
    return {
        "openat": _empties_only_to_write(2),
        "open": _empties_only_to_write(1),
        # No shared memory without a file: what was in it and is not mapped any more, nobody can count.
        "mmap": [
            _low(3), (_ANY_BIT, 1, 0, MAP_SHARED), _give(_ALLOW),
            (_ANY_BIT, 1, 0, MAP_ANONYMOUS), _give(_ALLOW), _refuse(errno.EPERM),
        ],
        "clone": _without(0, NAMESPACE_FLAGS),
        # Its flags stand behind a pointer, where no filter can look; libc falls back to clone.
        "clone3": [_refuse(errno.ENOSYS)],
        "prctl": _one_of(0, PRCTL_ALLOWED),
        "ioctl": _one_of(1, IOCTL_ALLOWED),
        "fcntl": _one_of(1, FCNTL_ALLOWED),
        # The family that libc's name look-ups expect where there is no network.
        "socket": [_refuse(errno.EAFNOSUPPORT)],
        # Streams only: a datagram can be addressed to another socket than the one it is paired with.
        "socketpair": [
            _low(0), (_EQUAL, 1, 0, AF_UNIX), _refuse(errno.EPERM),
            _low(1), (_KEEP_BITS, 0, 0, 0xF), (_EQUAL, 1, 0, SOCK_STREAM), _refuse(errno.EPERM),
            _give(_ALLOW),
        ],
        # Out-of-band bytes: a rare path through the kernel that nothing here needs.
        "sendto": _without(3, MSG_OOB),
        "recvfrom": _without(3, MSG_OOB),
        # Reading one's own limits, with no new limit behind the pointer.
        "prlimit64": [
            _low(0), (_EQUAL, 1, 0, 0), _refuse(errno.EPERM),
            _low(2), (_EQUAL, 1, 0, 0), _refuse(errno.EPERM),
            _high(2), (_EQUAL, 1, 0, 0), _refuse(errno.EPERM),
            _give(_ALLOW),
        ],
    }  # fmt: skip


def _conditions_alone(pid: int) -> dict[str, list[Instruction]]:
    """What a process that is alone may do with these calls, in place of what they say above."""

    def to_itself(signal: int) -> list[Instruction]:
        # Neither of the two that would look, from outside, like an end that the kernel has made.
        return [
            _low(0), (_EQUAL, 1, 0, pid), _refuse(errno.EPERM),
            _low(signal), (_EQUAL, 1, 0, SIGKILL), (_EQUAL, 0, 1, SIGSTOP), _refuse(errno.EPERM),
            _give(_ALLOW),
        ]  # fmt: skip

    return {
        "clone": [
            _low(0), (_ANY_BIT, 0, 1, NAMESPACE_FLAGS), _refuse(errno.EPERM),
            (_ANY_BIT, 1, 0, CLONE_THREAD), _refuse(errno.EPERM),
            _give(_ALLOW),
        ],
        "kill": to_itself(1),
        "tgkill": to_itself(2),
        "rt_sigqueueinfo": to_itself(1),
        "sched_setaffinity": _one_of(0, (0, pid)),
    }  # fmt: skip


def instructions(machine: str, alone: int | None = None) -> list[Instruction]:
    """The filter for one machine (`platform.machine()`).

    alone: the pid of a process without namespaces of its own.
    Raises: KeyError for a machine whose system calls we do not know.
    """
    arch, numbers = MACHINES[machine]
    program: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH_OFFSET),
        (_EQUAL, 1, 0, arch),
        _give(_KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
    ]
    if machine == "x86_64":
        program += [(_ANY_BIT, 0, 1, _X32_BIT), _refuse(errno.EPERM)]
    conditions = _conditions() if alone is None else _conditions() | _conditions_alone(alone)
    refused = () if alone is None else NOT_ALONE
    # What is allowed whatever its arguments the kernel remembers by number; the others go through the list.
    for name, body in conditions.items():
        if name in numbers:
            program += [(_EQUAL, 0, len(body), numbers[name]), *body]
    for name in ALLOWED:
        if name in numbers and name not in refused and name not in conditions:
            program += [(_EQUAL, 0, 1, numbers[name]), _give(_ALLOW)]
    return [*program, _refuse(errno.EPERM)]


def assemble(machine: str | None = None, alone: int | None = None) -> bytes:
    """The filter as an array of struct sock_filter. See `instructions`."""
    program = instructions(machine or platform.machine(), alone)
    return b"".join(struct.pack("=HBBI", *line) for line in program)
