"""Other ways to grade one answer: each is prepared in a folder of its own, and then run as its users run it.

A tool counts as working here if it passes the solution and does not pass the starter; one that passes
whatever it is given would be fast for nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.bare import PROJECT
from benchmarks.faults import NotMeasured
from benchmarks.peers.exercise import OTTER_FILE, PYTEST_FILE, notebook, program
from graders.exercise import Exercise

ENVIRONMENT: Final = PROJECT / "build" / "peers-venv"  # made by `make bench-peers`
_PATIENCE_SECONDS: Final = 120
_NOT_INSTALLED: Final = "not installed; make bench-peers installs it"


class Skipped(Exception):  # noqa: N818 -- an answer, not an error
    """This tool is not here, or cannot run here; the text says why."""


class Tool(ABC):
    """One tool, ready to be run in its folder. Making one raises Skipped where it is not installed."""

    name: str

    def __init__(self, folder: Path) -> None:
        self._folder = folder / self.name.split()[0]
        self._home = self._folder / "home"
        self._home.mkdir(parents=True)
        self._find()

    @abstractmethod
    def _find(self) -> None:
        """Set up what is done once for all answers. Raises: Skipped."""

    @abstractmethod
    def _put(self, answer: str) -> None:
        """Put an answer where the tool looks for it."""

    @abstractmethod
    def _command(self) -> list[str]:
        """What grades it."""

    @abstractmethod
    def _passed(self, exit_code: int) -> bool:
        """Whether the tool found both checks to hold."""

    def grade(self, answer: str) -> tuple[bool, float]:
        """Whether the answer passed, and how many milliseconds the command took."""
        self._put(answer)
        start = time.perf_counter()
        exit_code = self._run(self._command()).returncode
        return self._passed(exit_code), (time.perf_counter() - start) * 1000

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run it in the tool's folder, with what its own environment has first. Raises: NotMeasured."""
        environment = {
            "HOME": str(self._home),
            "PATH": os.pathsep.join([str(Path(command[0]).parent), os.environ.get("PATH", os.defpath)]),
            "LANG": "C.UTF-8",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # what else is installed here must not slow it down
        }
        try:
            return subprocess.run(
                command,
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NotMeasured(f"{self.name} did not end within {_PATIENCE_SECONDS} s") from None

    def _prepared(self, command: list[str]) -> None:
        done = self._run(command)
        if done.returncode:
            raise NotMeasured(f"{' '.join(command)} failed:\n{done.stdout}")


class Pytest(Tool):
    """Two tests in a file that imports the answer. No isolation."""

    name = "pytest on a file"

    def _find(self) -> None:
        for python in (ENVIRONMENT / "bin" / "python", Path(sys.executable)):
            if python.exists() and not self._run([str(python), "-c", "import pytest, torch"]).returncode:
                self._python = str(python)
                break
        else:
            raise Skipped(_NOT_INSTALLED)
        (self._folder / "test_answer.py").write_text(PYTEST_FILE)

    def _put(self, answer: str) -> None:
        (self._folder / "answer.py").write_text(answer)

    def _command(self) -> list[str]:
        return [self._python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_answer.py"]

    def _passed(self, exit_code: int) -> bool:
        return exit_code == 0


class _ColdPython(Tool):
    """A new Python in new namespaces, for one script that holds answer and checks."""

    _walls: list[str]

    def _find(self) -> None:
        if not self._walls or self._run([*self._walls, sys.executable, "-c", ""]).returncode:
            raise Skipped("not installed, or refused by this machine")

    def _put(self, answer: str) -> None:
        (self._folder / "program.py").write_text(program(answer))

    def _command(self) -> list[str]:
        return [*self._walls, sys.executable, "-B", "program.py"]

    def _passed(self, exit_code: int) -> bool:
        return exit_code == 0


class Bubblewrap(_ColdPython):
    """In a jail of bubblewrap: all namespaces, the host read-only but for one folder in memory."""

    name = "bwrap with a new python"

    def _find(self) -> None:
        bwrap = shutil.which("bwrap")
        jail = [
            "--unshare-all",
            "--die-with-parent",
            "--ro-bind",
            "/",
            "/",
            "--proc",
            "/proc",
            "--dev",
            "/dev",
        ]
        self._walls = [bwrap, *jail, "--tmpfs", str(self._home)] if bwrap else []
        super()._find()


class Unshare(_ColdPython):
    """In new namespaces of every kind, and nothing more: less than a jail, and so a little sooner."""

    name = "unshare with a new python"

    def _find(self) -> None:
        unshare = shutil.which("unshare")
        kinds = ["user", "map-root-user", "mount", "pid", "net", "ipc", "uts", "cgroup", "fork", "kill-child"]
        self._walls = [unshare, *(f"--{kind}" for kind in kinds), "--"] if unshare else []
        super()._find()


class Nbgrader(Tool):
    """`nbgrader autograde` of one student's notebook. No isolation."""

    name = "nbgrader autograde"

    def _find(self) -> None:
        self._program = str(_installed("nbgrader"))
        source = self._folder / "source" / "ps1"
        source.mkdir(parents=True)
        (source / "p1.ipynb").write_text(notebook("", checks=True))
        self._prepared([self._program, "generate_assignment", "ps1", "--force"])

    def _put(self, answer: str) -> None:
        submitted = self._folder / "submitted" / "ada" / "ps1"
        submitted.mkdir(parents=True, exist_ok=True)
        (submitted / "p1.ipynb").write_text(notebook(answer, checks=True))

    def _command(self) -> list[str]:
        return [self._program, "autograde", "ps1", "--student", "ada", "--force"]

    def _passed(self, exit_code: int) -> bool:
        with closing(sqlite3.connect(self._folder / "gradebook.db")) as book:
            points = book.execute("SELECT SUM(auto_score) FROM grade").fetchone()[0]
        return exit_code == 0 and bool(points == 3)


class Otter(Tool):
    """`otter run` of one notebook. No isolation: that one is `otter grade`, in a container, and slower."""

    name = "otter run"

    def _find(self) -> None:
        self._program = str(_installed("otter"))
        (self._folder / "tests").mkdir()
        (self._folder / "out").mkdir()
        (self._folder / "tests" / "branch-gradient.py").write_text(OTTER_FILE)
        plain = ["--no-environment", "--no-requirements"]
        self._prepared([self._program, "generate", "-t", "tests", "-o", "autograder.zip", *plain])

    def _put(self, answer: str) -> None:
        (self._folder / "answer.ipynb").write_text(notebook(answer, checks=False))
        (self._folder / "out" / "results.json").unlink(missing_ok=True)

    def _command(self) -> list[str]:
        return [self._program, "run", "-a", "autograder.zip", "-o", "out", "answer.ipynb"]

    def _passed(self, exit_code: int) -> bool:
        if exit_code:
            return False
        tests = json.loads((self._folder / "out" / "results.json").read_text())["tests"]
        return bool(sum(test.get("score", 0) for test in tests) == 3)


def _installed(program: str) -> Path:
    path = ENVIRONMENT / "bin" / program
    if not path.exists():
        raise Skipped(_NOT_INSTALLED)
    return path


TOOLS: Final[tuple[type[Tool], ...]] = (Pytest, Bubblewrap, Unshare, Nbgrader, Otter)


def ready(folder: Path, exercise: Exercise) -> tuple[list[Tool], dict[str, str]]:
    """The tools that work here, tried on the starter, and by name why others are skipped.

    Raises: NotMeasured if one is here and does not work.
    """
    tools, skipped = [], {}
    for kind in TOOLS:
        try:
            tool = kind(folder)
        except Skipped as why:
            skipped[kind.name] = str(why)
            continue
        if tool.grade(exercise.starter)[0]:
            raise NotMeasured(f"{tool.name} passes the starter of {exercise.id}")
        tools.append(tool)
    return tools, skipped


def graded(tool: Tool, exercise: Exercise) -> float:
    """Milliseconds in which the tool passes the solution. Raises: NotMeasured if it does not."""
    passed, milliseconds = tool.grade(exercise.solution)
    if not passed:
        raise NotMeasured(f"{tool.name} does not pass the solution of {exercise.id}")
    return milliseconds
