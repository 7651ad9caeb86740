"""How well this machine walls in submitted code, shown by trying.

A layer that is only configured proves nothing (some systems let `unshare` succeed and then refuse what it is
for). So each line of the report is an attempt made in a sealed jail in which nothing but the named layer
stands in its way, and beside it a control: the same attempt without that layer, which must succeed, or else
the attempt shows nothing. Where a layer cannot be left out, the control is made outside.
"""

from __future__ import annotations

import os
import platform
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from graders.exercise import Limits
from graders.grader import Grader, SandboxError
from graders.remedies import Missing, missing_here
from graders.sandbox.level import Level
from graders.sandbox.policy import Policy
from graders.verdict import Status


@dataclass(frozen=True)
class Wall:
    """One attempt. layer: what alone stands in its way. ok: whether it was stopped. got: by what.

    control: what came of the attempt without the layer. proved: whether it then succeeded, so that it is the
    layer that stops it.
    """

    layer: str
    attempt: str
    ok: bool
    got: str
    control: str
    proved: bool


@dataclass(frozen=True)
class Report:
    """level: the best that can be had here, or "none": below the lowest, nothing is graded.

    problem: why nothing is graded, if so. missing: what this machine lacks, each with its remedy.
    """

    level: str
    problem: str
    walls: tuple[Wall, ...]
    missing: tuple[Missing, ...]
    machine: str

    @property
    def ok(self) -> bool:
        """Whether learners' code may be run here."""
        return self.level != "none"

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return {"ok": self.ok, **asdict(self)}


@dataclass(frozen=True)
class _Trial:
    """An attempt of graders/inside/attempts.py.

    alone: layers left out, so that only the named one is tried. control: layers left out for the control;
    None where it is made outside of a jail.
    """

    attempt: str
    layer: str
    told: str
    alone: frozenset[str] = frozenset()
    control: frozenset[str] | None = None


def _trial(attempt: str, layer: str, told: str, alone: str = "", control: str | None = None) -> _Trial:
    without = frozenset(alone.split())
    return _Trial(
        attempt, layer, told, without, None if control is None else without | frozenset(control.split())
    )


_EVERYWHERE: Final = (
    _trial("descriptor", "descriptors", "find an open descriptor", "", "no_other_descriptor"),
    _trial("key ring", "system calls", "open a key ring of the kernel", "", "system_calls"),
    _trial("memory", "rlimits", "take more memory than the limit", "", "rlimits"),
    _trial("file size", "rlimits", "make a larger file than the limit", "", "rlimits"),
)
_THREADS: Final = _trial("threads", "rlimits", "start more threads than the limit", "", "processes")

TRIALS: Final[dict[Level, tuple[_Trial, ...]]] = {
    Level.FULL: (
        _trial("host file", "root", "read a file of this machine", "files"),
        _trial("libraries", "root", "make a file beside the interpreter's modules", "files"),
        _trial("network", "network", "connect to a listener outside", "system_calls files"),
        _trial("abstract socket", "network", "connect to an abstract socket", "system_calls files"),
        _trial("signal", "processes", "signal the supervisor", "system_calls files"),
        _trial("root", "rights", "become root", "system_calls", "rights"),
        _trial("mount", "rights", "mount a file system", "system_calls files", "rights user_namespace"),
        _trial("fifo", "Landlock", "make a FIFO in its own folder", "system_calls", "files"),
        _trial("namespace", "system calls", "make a user namespace", "", "system_calls"),
        _THREADS,
        *_EVERYWHERE,
    ),
    Level.CONTAINER: (
        _trial("host file", "Landlock", "read a file of this machine", "", "files"),
        _trial("libraries", "Landlock", "make a file beside the interpreter's modules", "rights"),
        _trial("mode of a file", "system calls", "change the mode of a file", "rights", "system_calls"),
        _trial("network", "system calls", "connect to a listener outside", "files", "system_calls"),
        _trial("abstract socket", "system calls", "connect to an abstract socket", "files", "system_calls"),
        _trial("signal", "rights", "signal the supervisor", "system_calls files", "rights"),
        _trial("root", "rights", "become root", "system_calls", "rights"),
        _trial("process", "system calls", "start a process", "", "system_calls"),
        _THREADS,
        *_EVERYWHERE,
    ),
    Level.PERSONAL: (
        _trial("host file", "Landlock", "read a file of this machine", "", "files"),
        _trial("libraries", "Landlock", "make a file beside the interpreter's modules"),
        _trial("mode of a file", "system calls", "change the mode of a file", "", "system_calls"),
        _trial("network", "system calls", "connect to a listener outside", "files", "system_calls"),
        _trial("abstract socket", "system calls", "connect to an abstract socket", "files", "system_calls"),
        _trial("signal", "system calls", "signal the supervisor", "files", "system_calls"),
        _trial("process", "system calls", "start a process", "", "system_calls"),
        *_EVERYWHERE,
    ),
}  # fmt: skip

# What the supervisor holds from outside, tried with whole programs. Each must end with the status.
_HELD_OUTSIDE: Final = (
    ("clock", "sleep past the limit", Status.TIMEOUT, "import time\ntime.sleep(60)\n"),
    ("output", "print without end", Status.OUTPUT_LIMIT, "while True: print('x' * 10_000)\n"),
)
_MEMORY: Final = (
    "hold memory in several processes past the limit",
    Status.MEMORY,
    "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n"
    "        held = bytearray(90 << 20)\n        time.sleep(60)\ntime.sleep(60)\n",
)
_FILES: Final = (
    "fill its folder past the limit",
    Status.FORBIDDEN,
    "import tempfile, time\nfor number in range(3):\n"
    "    open(f'{tempfile.gettempdir()}/{number}', 'wb').write(bytes(30 << 20))\ntime.sleep(60)\n",
)
_HELD_AT_LEVEL: Final = {
    Level.FULL: (("watch", *_MEMORY), ("file systems", *_FILES)),
    Level.CONTAINER: (("watch", *_FILES),),
    Level.PERSONAL: (("watch", *_FILES),),
}
_QUICK: Final = Limits(cpu_seconds=5, wall_seconds=5, memory_mib=128)
_HOST_FILE: Final = "/proc/version"


def examine(wanted: Level | None = None) -> Report:
    """Start a grader and try each layer of the best level here, or of `wanted`. Takes a few seconds."""
    machine = (
        f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}"
    )
    missing = missing_here()
    try:
        with Grader(slots=1, level=wanted) as grader:
            walls = tuple(_walls(grader))
    except SandboxError as error:
        return Report("none", str(error), (), missing, machine)
    broken = [wall for wall in walls if not wall.ok]
    if broken:
        problem = (
            f"{len(broken)} of {len(walls)} attempts were not stopped. Please report this, with the report."
        )
        return Report("none", problem, walls, missing, machine)
    return Report(grader.level.value, "", walls, missing, machine)


def _walls(grader: Grader) -> Iterator[Wall]:
    policy = replace(Policy(), file_mib=1)
    with _surroundings(policy) as needs:
        for trial in TRIALS[grader.level]:
            ok, got = grader.attempt(trial.attempt, needs, limits=policy, without=trial.alone)
            if trial.control is None:
                proved, control = _outside(trial.attempt, needs)
            elif trial.attempt == "root" and os.geteuid() != 0:
                proved, control = False, "an ordinary user has no other id to change to"
            else:
                stopped, control = grader.attempt(trial.attempt, needs, limits=policy, without=trial.control)
                proved = not stopped
            yield Wall(trial.layer, trial.told, ok, got, control, proved)
    for layer, told, status, program in (*_HELD_AT_LEVEL[grader.level], *_HELD_OUTSIDE):
        report = grader.run(program, limits=replace(_QUICK, wall_seconds=1.5) if layer == "clock" else _QUICK)
        yield Wall(layer, told, report.status is status, report.status.value, "", proved=True)
    yield _residue(grader)


@contextmanager
def _surroundings(policy: Policy) -> Iterator[dict[str, Any]]:
    """A listener, an abstract socket and a file outside, which the attempts try to reach."""
    name = f"quizapp-doctor-{secrets.token_hex(8)}"
    with (
        socket.socket() as listener,
        socket.socket(socket.AF_UNIX) as unix,
        tempfile.NamedTemporaryFile() as file,
    ):
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        unix.bind("\0" + name)
        unix.listen()
        yield {
            "host_file": _HOST_FILE,
            "own_file": file.name,
            "port": listener.getsockname()[1],
            "unix_name": name,
            "supervisor": os.getpid(),
            **policy.kernel_limits(),
        }


def _outside(attempt: str, needs: dict[str, Any]) -> tuple[bool, str]:
    """The control that this process makes: whether the attempt can succeed on this machine, and how."""
    if attempt == "host file":
        return True, f"outside, {len(Path(_HOST_FILE).read_bytes())} bytes are read"
    if attempt == "libraries":
        folder = os.path.dirname(os.__file__)
        writable = os.access(folder, os.W_OK)
        return writable, "outside, it could be made" if writable else "this user may not write there anyway"
    if attempt == "network":
        socket.create_connection(("127.0.0.1", needs["port"]), 1).close()
        return True, "outside, it is reached"
    if attempt == "abstract socket":
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect("\0" + needs["unix_name"])
        return True, "outside, it is reached"
    os.kill(needs["supervisor"], 0)
    return True, "outside, it can be signalled"


def _residue(grader: Grader) -> Wall:
    found = "import os, tempfile\nprint('left' in os.listdir(tempfile.gettempdir()))\n"
    leaves = "import tempfile\nopen(tempfile.gettempdir() + '/left', 'w').write('x')\n"
    by_itself, by_the_next = grader.run(leaves + found), grader.run(found)
    return Wall(
        "own folder",
        "find a file of an earlier program",
        by_the_next.output.stdout == "False\n",
        "it is not there" if by_the_next.output.stdout == "False\n" else by_the_next.summary,
        "the program that left it finds it",
        by_itself.output.stdout == "True\n",
    )
