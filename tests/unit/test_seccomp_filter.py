"""The filter's instructions, executed by a small interpreter for every system call number."""

from __future__ import annotations

import errno

import pytest

from graders.sandbox import seccomp
from graders.sandbox.numbers import MACHINES

OUTSIDE = """
    execve execveat ptrace keyctl add_key request_key unshare setns mount umount2 pivot_root chroot
    bpf io_uring_setup userfaultfd memfd_create perf_event_open process_vm_readv process_vm_writev
    pidfd_open flock shmget semget msgget mq_open bind listen connect accept accept4 setuid setgid
    setresuid setresgid capset seccomp landlock_restrict_self personality mknod mknodat
    inotify_init1 fanotify_init vmsplice splice tee setrlimit chown fchown fchownat lchown
    setpriority sched_setscheduler setsockopt kexec_load init_module reboot swapon syslog acct quotactl
    sendmsg recvmsg sendmmsg recvmmsg
    name_to_handle_at open_by_handle_at mount_setattr open_tree
"""
ALLOW, KILL = 0x7FFF0000, 0x80000000


def decide(
    machine: str, number: int, *arguments: int, arch: int | None = None, alone: int | None = None
) -> int:
    """What the kernel would do with this call: the filter's return value."""
    data = {0: number, 4: MACHINES[machine][0] if arch is None else arch}
    for place in range(6):
        value = arguments[place] if place < len(arguments) else 0
        data[16 + 8 * place] = value & 0xFFFFFFFF
        data[20 + 8 * place] = value >> 32
    program = seccomp.instructions(machine, alone)
    accumulator = at = 0
    while True:
        code, if_true, if_false, constant = program[at]
        at += 1
        if code == 0x20:
            accumulator = data[constant]
        elif code == 0x15:
            at += if_true if accumulator == constant else if_false
        elif code == 0x45:
            at += if_true if accumulator & constant else if_false
        elif code == 0x54:
            accumulator &= constant
        else:
            return constant


def refused(number: int) -> int:
    return 0x00050000 | number


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_is_not_on_the_list_is_not_permitted(machine: str) -> None:
    numbers = MACHINES[machine][1]
    allowed = {numbers[name] for name in seccomp.ALLOWED if name in numbers}
    conditional = {numbers[name] for name in seccomp._conditions() if name in numbers}
    for number in range(600):
        if number not in allowed | conditional:
            assert decide(machine, number) == refused(errno.EPERM), number
        elif number in allowed:
            assert decide(machine, number) == ALLOW, number


def test_the_calls_that_reach_outside_are_not_on_the_list() -> None:
    for name in OUTSIDE.split():
        assert name not in seccomp.ALLOWED


def test_another_machines_calls_end_the_process(machine: str) -> None:
    assert decide(machine, 0, arch=0x40000003) == KILL


def test_the_x32_calls_are_refused() -> None:
    assert decide("x86_64", 0x40000000) == refused(errno.EPERM)


def test_clone_makes_threads_and_processes_but_no_namespaces(machine: str) -> None:
    number = MACHINES[machine][1]["clone"]
    assert decide(machine, number, 0x3D0F00) == ALLOW  # what pthread_create asks for
    assert decide(machine, number, 0x1200011) == ALLOW  # what fork asks for
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(machine, number, flag | 17) == refused(errno.EPERM), hex(flag)


def test_clone3_says_that_it_does_not_exist(machine: str) -> None:
    assert decide(machine, MACHINES[machine][1]["clone3"]) == refused(errno.ENOSYS)


def test_only_a_pair_of_unix_sockets_can_be_had(machine: str) -> None:
    numbers = MACHINES[machine][1]
    stream, datagram, packets, no_wait = 1, 2, 5, 0o4000
    assert decide(machine, numbers["socketpair"], 1, stream) == ALLOW
    assert decide(machine, numbers["socketpair"], 1, stream | no_wait) == ALLOW
    for kind in (datagram, packets, datagram | no_wait):
        assert decide(machine, numbers["socketpair"], 1, kind) == refused(errno.EPERM)
    for family in (0, 2, 10, 16, 17, 38, 40):
        assert decide(machine, numbers["socketpair"], family, stream) == refused(errno.EPERM)
        assert decide(machine, numbers["socket"], family) == refused(errno.EAFNOSUPPORT)


def test_limits_can_be_read_and_not_set(machine: str) -> None:
    number = MACHINES[machine][1]["prlimit64"]
    assert decide(machine, number, 0, 7, 0, 0x7FFF00000000) == ALLOW
    assert decide(machine, number, 0, 7, 0x7FFF00000000, 0) == refused(errno.EPERM)
    assert decide(machine, number, 0, 7, 0x1000, 0) == refused(errno.EPERM)
    assert decide(machine, number, 1234, 7, 0, 0) == refused(errno.EPERM)


def test_a_terminal_cannot_be_typed_into(machine: str) -> None:
    number = MACHINES[machine][1]["ioctl"]
    assert decide(machine, number, 0, 0x5401) == ALLOW
    assert decide(machine, number, 0, 0x5412) == refused(errno.EPERM)  # TIOCSTI
    assert decide(machine, number, 0, 0x541C) == refused(errno.EPERM)  # TIOCLINUX


def test_no_file_is_locked(machine: str) -> None:
    number = MACHINES[machine][1]["fcntl"]
    assert decide(machine, number, 3, 2) == ALLOW  # F_SETFD
    for command in (6, 7, 37, 38, 1024, 1026):  # SETLK, SETLKW, OFD locks, SETLEASE, NOTIFY
        assert decide(machine, number, 3, command) == refused(errno.EPERM)


@pytest.mark.parametrize(("name", "flags"), [("sendto", 3), ("recvfrom", 3)])
def test_no_byte_goes_out_of_band(machine: str, name: str, flags: int) -> None:
    number = MACHINES[machine][1][name]
    assert decide(machine, number, *[0] * flags, 0x40) == ALLOW  # MSG_DONTWAIT
    assert decide(machine, number, *[0] * flags, 0x41) == refused(errno.EPERM)


def test_a_file_is_emptied_only_by_who_may_write_it(machine: str) -> None:
    empty, create, append = 0o1000, 0o100, 0o2000
    for name, before in (("openat", 2), ("open", 1)):
        if name not in MACHINES[machine][1]:
            continue
        number = MACHINES[machine][1][name]
        for flags in (0, 1, 2, 3, 1 | empty, 2 | empty, 1 | create | empty, 2 | append, 0o2000000):
            assert decide(machine, number, *[0] * before, flags) == ALLOW, oct(flags)
        for flags in (empty, 3 | empty, empty | create, empty | append):
            assert decide(machine, number, *[0] * before, flags) == refused(errno.EPERM), oct(flags)


def test_shared_memory_has_a_file(machine: str) -> None:
    number = MACHINES[machine][1]["mmap"]
    shared, private, validated, droppable, anonymous = 1, 2, 3, 8, 0x20

    def mapped(flags: int) -> int:
        return decide(machine, number, 0, 4096, 3, flags)

    assert mapped(private | anonymous) == mapped(shared) == mapped(private) == mapped(validated) == ALLOW
    assert mapped(droppable | anonymous) == mapped(0x22 | 0x4000) == ALLOW
    assert mapped(shared | anonymous) == mapped(validated | anonymous) == refused(errno.EPERM)


class TestAProcessThatIsAlone:
    """The filter of the levels without namespaces."""

    PID = 4321

    def decide(self, machine: str, name: str, *arguments: int) -> int:
        return decide(machine, MACHINES[machine][1][name], *arguments, alone=self.PID)

    def test_starts_threads_and_no_process(self, machine: str) -> None:
        assert self.decide(machine, "clone", 0x3D0F00) == ALLOW
        assert self.decide(machine, "clone", 0x1200011) == refused(errno.EPERM)
        assert self.decide(machine, "clone", 0x3D0F00 | 0x10000000) == refused(errno.EPERM)

    @pytest.mark.parametrize("name", ["kill", "tgkill", "rt_sigqueueinfo"])
    def test_signals_itself_alone(self, machine: str, name: str) -> None:
        signal, stop, kill = 10, 19, 9

        def to(pid: int, number: int) -> int:
            return self.decide(machine, name, pid, *([pid] if name == "tgkill" else []), number)

        assert to(self.PID, signal) == ALLOW
        for pid in (0, 1, self.PID + 1, 0xFFFFFFFF, (1 << 32) - self.PID):
            assert to(pid, signal) == refused(errno.EPERM)
        assert to(self.PID, kill) == to(self.PID, stop) == refused(errno.EPERM)

    def test_changes_and_follows_no_path_beside_landlock(self) -> None:
        for name in seccomp.NOT_ALONE:
            for machine, (_arch, numbers) in MACHINES.items():
                if name in numbers:
                    assert self.decide(machine, name) == refused(errno.EPERM), (machine, name)

    def test_reads_and_writes_as_ever(self, machine: str) -> None:
        for name in ("read", "write", "openat", "mmap", "futex", "unlinkat", "mkdirat", "ftruncate"):
            assert self.decide(machine, name) == ALLOW


@pytest.mark.parametrize("alone", [None, 77])
def test_no_jump_leaves_the_program(machine: str, alone: int | None) -> None:
    program = seccomp.instructions(machine, alone)
    assert len(program) < 4096  # BPF_MAXINSNS
    for place, (code, if_true, if_false, _constant) in enumerate(program):
        if code in (0x15, 0x45):
            assert max(if_true, if_false) < 256
            assert place + 1 + max(if_true, if_false) < len(program)
    assert len(seccomp.assemble(machine, alone)) == 8 * len(program)
