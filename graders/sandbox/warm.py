"""The supervisor's end of a template: start it, have children forked and reaped, end it."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from graders import wire
from graders.sandbox import cgroups, ids
from graders.sandbox.apparmor import under_profile
from graders.sandbox.floor import ENVIRONMENT
from graders.sandbox.folders import JailFolders
from graders.sandbox.jail import End, Jail
from graders.sandbox.level import Level
from graders.sandbox.policy import MIB
from graders.sandbox.syscalls import SandboxError
from graders.sandbox.watch import Watch, resident_bytes

_MODULE: Final = "graders.sandbox.template"
_START_SECONDS: Final = 120  # importing torch from a cold disk
_ANSWER_SECONDS: Final = 20  # a fork takes milliseconds; a busy machine may take its time
_TEMPLATE_BYTES: Final = 1024 * MIB  # itself, and jails that wait or are being cleared away
_TEMPLATE_PROCESSES: Final = 64
_MOST_OF_MACHINE: Final = 0.8  # the rest is for the database, the web server and the system

Role = Literal["learner", "checker", "attempt"]


@dataclass(frozen=True)
class Capacity:
    """The most that all jails of a template may have together, were each to use all that it may."""

    memory_bytes: int
    processes: int


class Template:
    """A running template. Its methods may be called by any thread; requests take turns.

    forked: how many jails it has made. live: how many of them have not been reaped.
    """

    def __init__(self, level: Level, capacity: Capacity) -> None:
        self._level = level
        self.forked = self.live = 0
        self._group: cgroups.Group | None = None
        self._inherited_bytes = 0  # what it had in memory when it was ready, and each of its jails with it
        self._lock = threading.Lock()
        self._slots = itertools.cycle(self._slot_ids())
        self.given_up = False
        self._pidfd: int | None = None
        self._folder = tempfile.mkdtemp(prefix="quizapp-root-")
        self._folders = None if level is Level.FULL else JailFolders(self._folder)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the template
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        arguments = [level.value, str(theirs.fileno()), self._folder]
        with theirs:
            # In a session of its own: Ctrl-C in our terminal is for us, and we end it in order.
            self._process = subprocess.Popen(
                under_profile([sys.executable, "-I", "-X", "utf8", "-m", _MODULE, *arguments]),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
                env=ENVIRONMENT | {"TMPDIR": self._folder, "TORCHINDUCTOR_CACHE_DIR": self._folder},
                start_new_session=True,
            )
        try:
            self._group = _grouped(self._process.pid, capacity)
            self._await_ready()
        except BaseException:
            self.close()
            raise
        if self._level is Level.FULL:
            os.rmdir(self._folder)  # it was only the place to which the new root was mounted

    def _await_ready(self) -> None:
        self._control.settimeout(_START_SECONDS)
        while self._pidfd is None:
            message, descriptors = self._receive()
            if "ids" in message:
                self._lend_ids(message["ids"])
                self._control.send(wire.encode({"ids": True}))
            elif message == {"ready": True}:
                self._pidfd = descriptors[0]
                self._inherited_bytes = resident_bytes(_pid_here(self._pidfd))
            else:
                raise SandboxError(str(message.get("unable", message)))
        if self._level is Level.FULL:
            self._process.wait(_ANSWER_SECONDS)  # the first process has handed over to its child
        self._control.settimeout(_ANSWER_SECONDS)

    def _slot_ids(self) -> Iterable[int | None]:
        if self._level is Level.FULL:
            # Within the range that is lent to the template; its own is 0.
            return range(1, ids.COUNT - 1) if os.geteuid() == 0 else [None]
        return ids.slot_ids() if self._level is Level.CONTAINER else [None]

    def _lend_ids(self, pid: int) -> None:
        if pid != self._process.pid:
            raise SandboxError("the template asks for ids for another process")
        for name in ("uid_map", "gid_map"):
            try:
                Path(f"/proc/{pid}/{name}").write_text(f"0 {ids.slot_ids().start} {ids.COUNT}")
            except OSError as error:
                raise SandboxError(f"/proc/{pid}/{name}: {error.strerror}") from error

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        try:
            data, descriptors, _flags, _address = socket.recv_fds(self._control, 1 << 16, 1)
        except TimeoutError:
            raise SandboxError("the template does not answer") from None
        except ConnectionResetError:
            data = b""
        if not data:
            raise SandboxError(f"the template has ended: {self._last_words()}")
        return wire.decode(data), descriptors

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def _ask(self, request: dict[str, Any], *descriptors: int) -> tuple[dict[str, Any], list[int]]:
        with self._lock:
            if self.given_up:
                raise SandboxError("the template has been given up")
            try:
                socket.send_fds(self._control, [wire.encode(request)], descriptors)
                answer, received = self._receive()
            except (SandboxError, OSError, wire.WireError) as error:
                # What it might still answer would be taken for the answer to the next request.
                self._give_up()
                raise SandboxError(str(error)) from error
        if "unable" in answer:
            raise SandboxError(str(answer["unable"]))
        return answer, received

    def fork(
        self,
        role: Role,
        limits: dict[str, int],
        *,
        rehearsed: bool = False,
        without: frozenset[str] = frozenset(),
    ) -> Jail:
        """A child that is putting its layers on. It says {"sealed": True} as its first frame when it is done.

        role: which side of a grading it will be. limits: Policy.kernel_limits(). rehearsed: whether it goes
        through a neutral grading first. without: layers left out of an "attempt", which runs nothing but our
        own. Raises: SandboxError.
        """
        with self._lock:
            uid = next(self._slots)
        folder = self._folders.make(uid) if self._folders else "/tmp"
        ours, theirs = socket.socketpair()
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        try:
            answer, descriptors = self._ask(
                {
                    "fork": {
                        "uid": uid,
                        "role": role,
                        "limits": limits,
                        "folder": folder,
                        "rehearsed": rehearsed,
                        "without": sorted(without),
                    }
                },
                theirs.fileno(),
                out_write,
                err_write,
            )
        except BaseException:
            ours.close()
            os.close(out_read)
            os.close(err_read)
            self._remove(folder)
            raise
        finally:
            theirs.close()
            os.close(out_write)
            os.close(err_write)
        with self._lock:
            self.forked += 1
            self.live += 1
        return Jail(
            self,
            answer["forked"],
            descriptors[0],
            channel=ours,
            stdout=out_read,
            stderr=err_read,
            folder=folder,
            watch=Watch(_pid_here(descriptors[0]), self._inherited_bytes, folder if self._folders else None),
        )

    def reap(self, jail: Jail) -> End:
        """How a jail that was killed or has ended came to its end; its folder goes. Raises: SandboxError."""
        answer, _ = self._ask({"reap": jail.pid})
        with self._lock:
            self.live -= 1
        self._remove(jail.folder)
        return End(os.waitstatus_to_exitcode(answer["status"]), answer["cpu_seconds"])

    def _remove(self, folder: str) -> None:
        # What cannot be removed now is tried again at the end; it must not stop those who clear away.
        with contextlib.suppress(OSError):
            if self._folders:
                self._folders.remove(folder)

    def floor(self, count: int) -> list[float]:
        """Milliseconds of `count` forks that run a bare snippet without isolation: for benchmarks."""
        times: list[float] = self._ask({"floor": count})[0]["milliseconds"]
        return times

    @property
    def pidfd(self) -> int | None:
        """A descriptor of the template's process; readable once it has ended."""
        return self._pidfd

    def _give_up(self) -> None:
        self.given_up = True
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Kill the template and with it every jail that it made."""
        self._give_up()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        self._process.kill()
        self._process.wait()
        self._control.close()
        self._log.close()
        if self._folders:
            with contextlib.suppress(OSError):
                self._folders.remove_all()
        elif os.path.isdir(self._folder):
            os.rmdir(self._folder)
        if self._group is not None:
            self._group.remove()


def _grouped(pid: int, capacity: Capacity) -> cgroups.Group | None:
    """A control group with the new template in it, where one can be had."""
    found = cgroups.find()
    if found is None:
        return None
    try:
        group = cgroups.Group(
            found,
            pid,
            memory_bytes=min(
                capacity.memory_bytes + _TEMPLATE_BYTES, int(_machine_bytes() * _MOST_OF_MACHINE)
            ),
            processes=capacity.processes + _TEMPLATE_PROCESSES,
        )
    except OSError:
        return None
    try:
        group.add(pid)
    except OSError:
        group.remove()
        return None
    return group


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _pid_here(pidfd: int) -> int:
    """The pid of a process as this process sees it."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    raise SandboxError("a pidfd does not say whose it is")
