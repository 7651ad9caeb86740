"""`quizapp serve` as a user starts it: a process on a free port, a data folder of its own."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.sandbox

QUIZAPP = str(Path(sys.executable).parent / "quizapp")
PATIENCE = 120  # seconds before a test gives up; nothing here is timed


class Served:
    """One started `quizapp serve` and what it printed so far."""

    def __init__(self, folder: Path, content: Path, port: int, **environ: str) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.data = folder / "var"
        self.process = subprocess.Popen(
            [QUIZAPP, "serve"],
            cwd=folder,
            env={
                **os.environ,
                "QUIZAPP_DATA": str(self.data),
                "QUIZAPP_EXERCISES": str(content),
                "PORT": str(port),
                **environ,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._printed: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._printed.append(line)

    @property
    def printed(self) -> str:
        return "".join(self._printed)

    def wait_until(self, is_so: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < until, (
                f"{what}: not after {PATIENCE} s. Printed so far:\n{self.printed}"
            )
            time.sleep(0.1)

    def wait_for_line(self, part: str) -> None:
        self.wait_until(lambda: part in self.printed or self.process.poll() is not None, part)
        assert part in self.printed, self.printed

    def end(self) -> tuple[int, str]:
        """The exit code, and all that was printed."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code, self.printed


@pytest.fixture
def port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@pytest.fixture
def start(tmp_path: Path, content: Path, port: int) -> Iterator[Callable[..., Served]]:
    started: list[Served] = []

    def start_one(**environ: str) -> Served:
        started.append(Served(tmp_path, content, port, **environ))
        return started[-1]

    yield start_one
    for served in started:
        if served.process.poll() is None:
            served.process.send_signal(signal.SIGTERM)
        served.process.wait(PATIENCE)


def get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def children(pid: int, module: str) -> list[int]:
    """Pids of the process's own children that run this module."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            command = (path / "cmdline").read_bytes().decode().split("\0")
        except (OSError, IndexError):
            continue
        if parent == pid and module in command:
            found.append(int(path.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class TestALifeOfAServer:
    def test_it_starts_serves_replaces_a_dead_worker_and_stops_on_ctrl_c(
        self, start: Callable[..., Served], tmp_path: Path
    ) -> None:
        (tmp_path / "quizapp").mkdir()  # a folder of that name where we are started is not taken for us
        served = start()
        served.wait_for_line("/links/")
        status, page = get(served.address + "/")
        assert status == 200
        assert "A tiny topic" in page

        link = re.search(r"http://\S+/links/\S+", served.printed)
        assert link is not None
        for _ in range(2):  # looking at it does not use it up
            status, page = get(link.group())
            assert status == 200
            assert "The first teacher" in page

        (worker,) = children(served.process.pid, "quizapp.cli")
        (web,) = children(served.process.pid, "quizapp.wsgi")
        os.kill(worker, signal.SIGKILL)
        served.wait_for_line("the grading worker ended (signal SIGKILL)")
        served.wait_until(
            lambda: children(served.process.pid, "quizapp.cli") not in ([], [worker]), "a new worker"
        )
        assert get(served.address + "/")[0] == 200, "the web server goes on meanwhile"

        served.process.send_signal(signal.SIGINT)
        code, _ = served.end()
        assert code == 0
        assert not is_alive(web)
        assert not children(served.process.pid, "quizapp.cli")

    def test_one_that_others_reach_warns_and_its_children_end_when_it_is_killed(
        self, start: Callable[..., Served]
    ) -> None:
        served = start(QUIZAPP_HOST="0.0.0.0")
        served.wait_for_line("Warning: 0.0.0.0 can be reached by others")
        pids = [
            pid for module in ("quizapp.cli", "quizapp.wsgi") for pid in children(served.process.pid, module)
        ]
        assert len(pids) == 2
        served.process.kill()
        served.wait_until(lambda: not any(is_alive(pid) for pid in pids), "the children's end")


class TestWhatKeepsItFromStarting:
    def test_a_port_in_use(self, start: Callable[..., Served], port: int) -> None:
        with socket.create_server(("127.0.0.1", port)):
            code, printed = start().end()
        assert code == 2
        assert printed == (
            f"quizapp: port {port} at 127.0.0.1 is in use. Stop what uses it, or choose another one:"
            f" PORT={port + 1}.\n"
        )

    def test_a_data_folder_that_cannot_be(self, start: Callable[..., Served], tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        code, printed = start(QUIZAPP_DATA=str(tmp_path / "file" / "var")).end()
        assert code == 2
        assert "QUIZAPP_DATA" in printed
        assert printed.count("\n") == 1

    def test_a_database_that_is_none(self, start: Callable[..., Served], tmp_path: Path) -> None:
        (tmp_path / "var").mkdir()
        (tmp_path / "var" / "quizapp.sqlite3").write_text(
            "no database at all, and long enough to be seen as none"
        )
        code, printed = start().end()
        assert code == 2
        assert "file is not a database" in printed
        assert printed.count("\n") == 1

    def test_a_worker_that_has_the_data_folder_already(
        self, start: Callable[..., Served], tmp_path: Path
    ) -> None:
        (tmp_path / "var").mkdir()
        with (tmp_path / "var" / "worker.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            code, printed = start().end()
        assert code == 2
        assert "has a grading worker already" in printed
