"""The warm process: it has imported torch once, and forks a sealed child when asked.

Run as `python -I -m graders.sandbox.template DESCRIPTOR FOLDER`. It is single-threaded, has run no autograd,
has used no randomness, holds no secret, and never reads a byte that a learner or an author wrote: those go
to a child's own channel. What it is asked comes over DESCRIPTOR from the supervisor alone (see warm.py).

Order: import, measure, mounts, namespaces, fork; the first process ends, the second is pid 1 of a namespace
of its own, so that killing it kills every jail that it made.
"""

from __future__ import annotations

import fcntl
import gc
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, Final, NoReturn

import torch
import torch._dynamo  # what a first optimizer would otherwise import in every jail: a second of work
import torch.export
import torch.func
import torch.nn.utils.rnn

from graders import wire
from graders.inside import checker, learner
from graders.inside.rehearsal import rehearse
from graders.sandbox import root, seccomp, syscalls
from graders.sandbox.seal import CHANNEL, Measured, seal
from graders.sandbox.syscalls import SandboxError

_MESSAGE: Final = 1 << 16
_HUGE: Final = 2 << 20
_NAMESPACES: Final = (
    syscalls.CLONE_NEWUSER
    | syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
    | syscalls.CLONE_NEWCGROUP
)

_ROLES: Final[dict[str, Callable[[wire.Channel, dict[str, Any]], None]]] = {
    "learner": learner.serve,
    "checker": checker.serve,
}


def main() -> None:
    """Become a template, or say on the control channel why not, and serve until the supervisor hangs up."""
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        _warm_up()
        template = _enter_namespaces(control, sys.argv[2])
    except (SandboxError, OSError) as error:
        control.send(wire.encode({"unable": str(error)}))
        sys.exit(1)
    template.serve()


def _warm_up() -> None:
    """Finish what the imports above began, so that no jail pays for a first use."""
    torch.set_num_threads(1)
    # The processor's features are read from /proc, which no jail has; the first operation reads them.
    torch.zeros(8).add_(1)
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    tasks = len(os.listdir("/proc/self/task"))
    if tasks != 1:
        raise SandboxError(f"the template has {tasks} threads where a fork allows one")
    gc.collect()
    gc.freeze()


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


def _enter_namespaces(control: socket.socket, folder: str) -> _Template:
    measured = Measured(_status_kib("VmData") << 10, _status_kib("VmSize") << 10)
    ranges = _private_ranges()
    host_proc: int | None = None
    if os.geteuid() == 0:
        # Mounts first: within a user namespace even its root may not pass a folder such as /root.
        syscalls.unshare(syscalls.CLONE_NEWNS)
        shadowed = root.build(folder)
        syscalls.unshare(_NAMESPACES)
        _ask_for_ids(control)
        os.setgroups([])
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
    else:
        user, group = os.geteuid(), os.getegid()
        host_proc = _high(os.open("/proc", os.O_PATH | os.O_DIRECTORY))
        syscalls.unshare(_NAMESPACES)
        _map_own_id(user, group)
        shadowed = root.build(folder)
    syscalls.set_dumpable(False)  # our /proc entries are nobody's business
    if os.fork():
        os._exit(0)  # the child is pid 1 of the new namespace, and alone with its memory
    syscalls.set_dumpable(False)
    for start, length in ranges:
        _collapse(start, length)
    return _Template(control, measured, shadowed, host_proc)


def _ask_for_ids(control: socket.socket) -> None:
    """Only the supervisor, outside, may give a user namespace a range of ids."""
    control.send(wire.encode({"ids": os.getpid()}))
    if wire.decode(control.recv(_MESSAGE)) != {"ids": True}:
        raise SandboxError("the user namespace got no ids")


def _map_own_id(user: int, group: int) -> None:
    """Be root in the new user namespace, which outside is still the ordinary user."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            raise SandboxError(f"/proc/self/{name}: {error.strerror}") from error


def _high(descriptor: int) -> int:
    """The same descriptor out of the way of those that a child puts at 0 to 3."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 100)
    os.close(descriptor)
    return moved


def _collapse(start: int, length: int) -> None:
    """Gather a range into huge pages: a fork copies page tables, so this halves its cost."""
    first = -(-start // _HUGE) * _HUGE
    for address in range(first, start + length - _HUGE + 1, _HUGE):
        syscalls.advise(address, _HUGE, syscalls.MADV_COLLAPSE)


class _Template:
    """Answers the supervisor, one request at a time. Each request and each answer is one packet."""

    def __init__(
        self,
        control: socket.socket,
        measured: Measured,
        shadowed: tuple[root.Shadowed, ...],
        host_proc: int | None,
    ) -> None:
        self.control = control
        self.measured = measured
        self.shadowed = shadowed
        self.host_proc = host_proc
        self.filter_program = seccomp.assemble()
        self.own_pidfd = _high(os.pidfd_open(os.getpid()))

    def serve(self) -> None:
        """Serve until the supervisor hangs up, which it also does by being killed."""
        self.answer({"ready": True}, self.own_pidfd)
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(self.control, _MESSAGE, 3)
            if not data:
                os._exit(0)
            request = wire.decode(data)
            try:
                if "fork" in request:
                    self.fork(request["fork"], descriptors)
                elif "reap" in request:
                    self.reap(request["reap"])
                else:
                    self.floor(request["floor"])
            except (SandboxError, OSError) as error:
                self.answer({"unable": str(error)})
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)

    def answer(self, value: dict[str, Any], *descriptors: int) -> None:
        socket.send_fds(self.control, [wire.encode(value)], descriptors)

    def fork(self, request: dict[str, Any], descriptors: list[int]) -> None:
        """Make a sealed child that is pid 1 of its own namespace; answer with its pid and a pidfd."""
        # An ordinary fork lets Python and the libraries do what they must; so the namespace is chosen
        # beforehand, and back to our own first, since it can only be chosen from there.
        syscalls.setns(self.own_pidfd, syscalls.CLONE_NEWPID)
        syscalls.unshare(syscalls.CLONE_NEWPID)
        pid = os.fork()
        if pid == 0:
            self.be_a_jail(request, descriptors)
        pidfd = os.pidfd_open(pid)
        self.answer({"forked": pid}, pidfd)
        os.close(pidfd)

    def be_a_jail(self, request: dict[str, Any], descriptors: list[int]) -> NoReturn:
        channel: wire.Channel | None = None
        try:
            seal(
                request["limits"],
                uid=None if self.host_proc is not None else request["uid"],
                host_proc=self.host_proc,
                measured=self.measured,
                shadowed=self.shadowed,
                filter_program=self.filter_program,
                descriptors=(descriptors[0], descriptors[1], descriptors[2]),
            )
            rehearse(request["role"])
            channel = wire.Channel(socket.socket(fileno=CHANNEL))
            channel.send({"sealed": True})
            _ROLES[request["role"]](channel, channel.receive())
        except wire.Closed:
            pass
        except BaseException as error:
            if channel is None:  # not sealed: whatever comes next must not be mistaken for an answer
                os.write(CHANNEL, _frame({"unsealed": str(error)}))
            else:
                os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
            os._exit(70)
        os._exit(0)

    def reap(self, pid: int) -> None:
        """Wait for a child that has been killed or has ended."""
        _pid, status, usage = os.wait4(pid, 0)
        self.answer({"status": status, "cpu_seconds": usage.ru_utime + usage.ru_stime})

    def floor(self, count: int) -> None:
        """For benchmarks: time forks that run one bare snippet without any isolation, in milliseconds."""
        code = compile(_BARE_SNIPPET, "bare.py", "exec")
        times = []
        for _ in range(count):
            start = time.perf_counter()
            pid = os.fork()
            if pid == 0:
                exec(code, {"__name__": "__main__"})
                os._exit(0)
            os.waitpid(pid, 0)
            times.append((time.perf_counter() - start) * 1000)
        self.answer({"milliseconds": times})


def _frame(value: dict[str, Any]) -> bytes:
    data = wire.encode(value)
    return len(data).to_bytes(4, "big") + data


_BARE_SNIPPET: Final = """
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
if y.item() > 1.5:
    z = y * 3
else:
    z = y * 4
z.backward()
print(x.grad.item())
"""

if __name__ == "__main__":
    main()
