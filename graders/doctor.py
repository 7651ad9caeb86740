"""Whether this machine can grade, shown by trying: a jail is started and attempts what it must not do.

A layer that is only configured proves nothing (some systems let `unshare` succeed and then refuse what it is
for), so each line of the report is an attempt made inside, and where it can be made outside it is made there
too, to show that only the jail stops it.
"""

from __future__ import annotations

import json
import os
import platform
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from graders.exercise import Limits
from graders.grader import Grader, SandboxError
from graders.verdict import Status


@dataclass(frozen=True)
class Layer:
    """One wall. detail: what was tried and what came of it. remedy: what to do if it does not hold."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class Report:
    """level: "full" when every layer holds, else "none": below that nothing is graded."""

    level: str
    layers: tuple[Layer, ...]
    machine: str

    @property
    def ok(self) -> bool:
        """Whether learners' code may be run here."""
        return self.level == "full"

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for `json.dumps`."""
        return {"ok": self.ok, **asdict(self)}


# Run inside, as a learner's program. Each attempt must fail; what it got instead is printed as one JSON line.
_ATTEMPTS: Final = """
import ctypes, json, os, socket, threading

def attempt(name, action):
    try:
        told = repr(action())
        held = False
    except BaseException as error:
        told, held = f"{type(error).__name__}: {error}", True
    print(json.dumps([name, held, told[:200]]), flush=True)

def other_processes():
    if os.getpid() == 1:
        raise ProcessLookupError("this program is pid 1 of a namespace of its own")
    return f"this program is pid {os.getpid()} of the host"

libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    done = libc.syscall(number, *arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done

def too_many_threads():
    stop = threading.Event()
    threads = []
    try:
        for _ in range(PROCESSES + 8):
            threads.append(threading.Thread(target=stop.wait))
            threads[-1].start()
    finally:
        stop.set()
    return f"{len(threads)} threads"

attempt("files", lambda: open(HOST_FILE).read())
attempt("network", lambda: socket.create_connection(("127.0.0.1", PORT), 1))
attempt("root", lambda: open(os.path.join(os.path.dirname(os.__file__), "planted.py"), "w"))
attempt("pid", other_processes)
attempt("uid", lambda: os.setuid(0))
attempt("capabilities", lambda: call(MOUNT, b"none", b"/tmp", b"tmpfs", 0, None))
attempt("seccomp", lambda: call(KEYCTL, 0, -3, 0))
attempt("namespaces", lambda: call(UNSHARE, 0x10000000))
attempt("memory", lambda: bytearray((MEMORY + 256) << 20))
attempt("processes", too_many_threads)
"""

_TOLD: Final = {
    "files": "a file of the host, readable by all, is not there",
    "network": "a listener on this machine cannot be reached",
    "root": "the interpreter's own folder cannot be written",
    "pid": "other processes cannot be seen",
    "uid": "it cannot become root",
    "capabilities": "it cannot mount",
    "seccomp": "the kernel's key rings are closed",
    "namespaces": "it cannot make namespaces of its own",
    "memory": "more memory than the limit is refused",
    "processes": "more threads than the limit are refused",
}

_HOST_FILE: Final = "/proc/version"

# keyctl, unshare and mount, which the jail's own table of allowed calls does not name.
_NUMBERS: Final = {"x86_64": (250, 272, 165), "aarch64": (219, 97, 40)}


def examine() -> Report:
    """Start a grader and try each layer. Takes as long as a start: a few seconds."""
    machine = (
        f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}"
    )
    if platform.system() != "Linux" or platform.machine() not in _NUMBERS:
        layer = Layer(
            "platform",
            False,
            f"{machine} is not supported",
            "Run quizapp in a Linux virtual machine or container.",
        )
        return Report("none", (layer,), machine)
    try:
        with Grader(slots=1) as grader:
            layers = (Layer("start", True, "a jail starts and seals itself"), *_try_layers(grader))
    except SandboxError as error:
        layer = Layer("start", False, str(error), remedy_for_start())
        return Report("none", (layer,), machine)
    return Report("full" if all(layer.ok for layer in layers) else "none", layers, machine)


def remedy_for_start() -> str:
    """What an operator can do when no jail can be made here."""
    if os.geteuid() == 0:
        return (
            "Namespaces are refused to root here, which is usual inside a container. "
            "Run quizapp on the host or in a virtual machine."
        )
    if _reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "This system's AppArmor refuses user namespaces to ordinary programs. Run quizapp as root, "
            "or allow them for it with an AppArmor profile that holds the rule `userns,`."
        )
    if _reads("/proc/sys/user/max_user_namespaces") == "0":
        return (
            "User namespaces are switched off. "
            "Set user.max_user_namespaces to 1000 with sysctl, or run as root."
        )
    if _reads("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return (
            "User namespaces are for root only here. "
            "Set kernel.unprivileged_userns_clone to 1 with sysctl, or run as root."
        )
    return "Run quizapp as root, or on Linux 5.14 or newer with user namespaces allowed."


def _reads(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _try_layers(grader: Grader) -> list[Layer]:
    limits = Limits()
    Path(_HOST_FILE).read_text()  # outside, the attempts succeed
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), 1).close()
        keyctl, unshare, mount = _NUMBERS[platform.machine()]
        constants = {
            "HOST_FILE": _HOST_FILE, "PORT": port, "PROCESSES": limits.processes, "MEMORY": limits.memory_mib,
            "KEYCTL": keyctl, "UNSHARE": unshare, "MOUNT": mount,
        }  # fmt: skip
        head = "".join(f"{name} = {value!r}\n" for name, value in constants.items())
        report = grader.run(head + _ATTEMPTS)
    layers = []
    seen: dict[str, list[Any]] = {}
    for line in report.output.stdout.splitlines():
        entry = json.loads(line)
        seen[entry[0]] = entry
    for name, told in _TOLD.items():
        _name, held, got = seen.get(name, [name, False, f"the attempt was not made: {report.summary}"])
        layers.append(Layer(name, held, f"{told} ({got})", "" if held else _REMEDY))
    return [*layers, _clock(grader), _residue(grader)]


def _clock(grader: Grader) -> Layer:
    report = grader.run("import time\ntime.sleep(30)\n", limits=Limits(wall_seconds=0.5, cpu_seconds=0.5))
    held = report.status is Status.TIMEOUT
    return Layer(
        "clock",
        held,
        f"a program that sleeps is stopped from outside ({report.status})",
        "" if held else _REMEDY,
    )


def _residue(grader: Grader) -> Layer:
    grader.run("open('/tmp/left', 'w').write('x'); open('/dev/shm/left', 'w').write('x')")
    report = grader.run("import os\nprint([os.path.exists(path) for path in ('/tmp/left', '/dev/shm/left')])")
    held = report.output.stdout == "[False, False]\n"
    return Layer(
        "residue", held, "the files of one program are not there for the next", "" if held else _REMEDY
    )


_REMEDY: Final = (
    "Do not run learners' code here. Please report this, with the output of `quizapp doctor --json`."
)
