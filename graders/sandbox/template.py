"""The warm process: it has imported torch once, and forks a sealed child when asked.

Run as `python -I -m graders.sandbox.template LEVEL DESCRIPTOR FOLDER`. It is single-threaded, has run no
autograd, has used no randomness, holds no secret, and never reads a byte that a learner or an author wrote:
those go to a child's own channel. What it is asked comes over DESCRIPTOR from the supervisor alone (see
warm.py).

Order: import, measure, leave the host (enter.py), serve.
"""

from __future__ import annotations

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
from graders.inside import attempts, checker, learner
from graders.inside.rehearsal import rehearse
from graders.sandbox import syscalls
from graders.sandbox.enter import enter, high
from graders.sandbox.floor import SNIPPET
from graders.sandbox.level import Level
from graders.sandbox.place import Place
from graders.sandbox.seal import CHANNEL, Sealing, jail_filter, seal, set_environment
from graders.sandbox.syscalls import SandboxError

_MESSAGE: Final = 1 << 16
_ROLES: Final[dict[str, Callable[[wire.Channel, dict[str, Any]], None]]] = {
    "learner": learner.serve,
    "checker": checker.serve,
    "attempt": attempts.serve,
}


def main() -> None:
    """Become a template, or say on the control channel why not, and serve until the supervisor hangs up."""
    control = socket.socket(fileno=int(sys.argv[2]))
    try:
        warm_up()
        template = _Template(control, enter(Level(sys.argv[1]), control, sys.argv[3]))
    except (SandboxError, OSError) as error:
        control.send(wire.encode({"unable": str(error)}))
        sys.exit(1)
    template.serve()


def warm_up() -> None:
    """Finish what the imports above began, so that no jail pays for a first use."""
    torch.set_num_threads(1)
    # The processor's features are read from /proc, which no jail has; the first operation reads them.
    torch.zeros(8).add_(1)
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    jail_filter()
    tasks = len(os.listdir("/proc/self/task"))
    if tasks != 1:
        raise SandboxError(f"the template has {tasks} threads where a fork allows one")
    gc.collect()
    gc.freeze()


class _Template:
    """Answers the supervisor, one request at a time. Each request and each answer is one packet."""

    def __init__(self, control: socket.socket, place: Place) -> None:
        self.control = control
        self.place = place
        if place.level is Level.FULL:
            set_environment("/tmp")
        self.own_pidfd = high(os.pidfd_open(os.getpid()))

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
        """Make a sealed child; answer with its pid here and a pidfd."""
        if self.place.level is Level.FULL:
            # It shall be pid 1 of its own namespace. An ordinary fork lets Python and the libraries do what
            # they must, so the namespace is chosen beforehand; and back to our own first, since it can only
            # be chosen from there.
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
                Sealing(
                    self.place,
                    limits=request["limits"],
                    uid=request["uid"],
                    folder=request["folder"],
                    descriptors=(descriptors[0], descriptors[1], descriptors[2]),
                ),
                without=frozenset(request["without"]) if request["role"] == "attempt" else frozenset(),
            )
            if request["rehearsed"]:
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
        if self.place.level is Level.FULL:  # not in the namespace of the jail that was forked last
            syscalls.setns(self.own_pidfd, syscalls.CLONE_NEWPID)
        code = compile(SNIPPET, "bare.py", "exec")
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


if __name__ == "__main__":
    main()
