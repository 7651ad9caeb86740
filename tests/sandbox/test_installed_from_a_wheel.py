"""quizapp as a teacher's repository has it: installed from a wheel, with no checkout in reach."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
BUILT_FROM = ("quizapp", "graders", "migrations", "pyproject.toml", "setup.py", "README.md", "LICENSE")
OFFLINE = ("--no-deps", "--no-index", "--quiet", "--disable-pip-version-check")

ITEM = """\
id = "{name}"
title = "Double it"
difficulty = "easy"
hints = ["Twice one is two."]
explanation = "Twice."

[[expect]]
name = "y is 2.0"
expect = "y == 2.0"
hint = "Twice one."
"""

pytestmark = pytest.mark.sandbox


class Installation:
    """An environment with the wheel in it, and a teacher's repository beside it."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "venv" / "bin"
        self.repository = folder / "repository"

    def run(self, program: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the repository; QUIZAPP_* are those given and no others."""
        return subprocess.run(
            [str(self.bin / "python"), "-m", program, *arguments],
            cwd=self.repository,
            env=self.environ(**environ),
            capture_output=True,
            text=True,
            check=False,
        )

    def environ(self, **given: str) -> dict[str, str]:
        around = {
            key: value for key, value in os.environ.items() if not key.startswith(("QUIZAPP_", "PYTHON"))
        }
        return around | {"PYTHONDONTWRITEBYTECODE": "1"} | given

    def quizapp(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return self.run("quizapp.cli", *arguments, **environ)


@pytest.fixture(scope="module")
def installed() -> Iterator[Installation]:
    """The wheel, built from a copy. What it depends on comes from the environment of this test."""
    # Not below pytest's own folder, which its owner alone may enter: jails run as users of their own.
    folder = Path(tempfile.mkdtemp(prefix="quizapp-wheel-"))
    folder.chmod(0o755)
    try:
        _copy(folder / "source")
        _pip("wheel", *OFFLINE, "--no-build-isolation", "-w", str(folder), str(folder / "source"))
        shutil.rmtree(folder / "source")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        [wheel] = folder.glob("*.whl")
        _pip("--python", str(folder / "venv/bin/python"), "install", *OFFLINE, str(wheel))
        [packages] = (folder / "venv").glob("lib/python*/site-packages")
        # Comes after the environment's own packages. Links to checkouts are not followed from there.
        (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        installation = Installation(folder)
        _repository(installation.repository)
        yield installation
    finally:
        shutil.rmtree(folder)


def fence(language: str) -> str:
    """The first block in this language in the page that authors read."""
    return (PROJECT / "docs" / "ci.md").read_text().split(f"```{language}\n")[1].split("```")[0]


def _copy(to: Path) -> None:
    for name in BUILT_FROM:
        if (PROJECT / name).is_dir():
            shutil.copytree(PROJECT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(PROJECT / name, to)
    (to / "exercises").mkdir()
    shutil.copy(PROJECT / "exercises" / "LICENSE", to / "exercises")


def _pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _repository(folder: Path) -> None:
    for name in ("double", "unsound"):
        exercise = folder / "exercises" / name
        (exercise / "wrong").mkdir(parents=True)
        (exercise / "item.toml").write_text(ITEM.format(name=name))
        (exercise / "prompt.md").write_text("Make `y` twice `x`.\n")
        (exercise / "starter.py").write_text("x = 1.0\ny = 0.0\n")
        (exercise / "solution.py").write_text("import torch\nx = 1.0\ny = float(torch.tensor(x) * 2)\n")
        (exercise / "wrong" / "adds.py").write_text('# expect: failed, "y is 2.0", "3.0"\nx = 1.0\ny = 3.0\n')
    (folder / "exercises/unsound/solution.py").write_text('print("\\x1b[2J")\nx = 1.0\ny = 2.5\n')
    (folder / "tests").mkdir()
    (folder / "tests" / "test_mine.py").write_text(
        "import graders\n\n\n"
        "def test_it_is_the_installed_one():\n    assert 'site-packages' in graders.__file__\n\n\n"
        + fence("python")
    )
    (folder / "answer.py").write_text("x = 1.0\ny = 3.0\n")


def test_pytest_tests_the_exercises_of_a_repository(installed: Installation) -> None:
    *_, command = fence("sh").splitlines()
    program, *arguments = command.split()
    assert program == ".venv/bin/pytest"
    done = installed.run("pytest", *arguments, "-p", "no:cacheprovider")
    assert done.returncode == 1, done.stdout + done.stderr
    cases = ET.parse(installed.repository / "report.xml").getroot().iter("testcase")
    ends = {
        (case.get("classname", ""), case.get("name", "")): [child.tag for child in case] for case in cases
    }
    sound, unsound = "exercises.double.item.toml", "exercises.unsound.item.toml"
    solutions = [f"solution[{how}]" for how in ("1", "2", "3", "backwards", "2 threads")]
    assert ends == {
        **{(sound, name): [] for name in (*solutions, "starter", "wrong/adds.py", "mutants")},
        **{(unsound, name): ["failure"] for name in solutions},
        **{(unsound, name): [] for name in ("starter", "wrong/adds.py", "mutants")},
        ("tests.test_mine", "test_it_is_the_installed_one"): [],
        ("tests.test_mine", "test_adding_is_explained"): [],
    }
    assert "exercises/unsound/solution.py: not so: solution.py passes, seed 1" in done.stdout
    assert "mend solution.py or the checks: " in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_the_commands_work_and_their_help_needs_nothing(installed: Installation) -> None:
    assert "quizapp serve" in installed.quizapp("--help").stdout
    assert (installed.bin / "quizapp").is_file()
    graded = installed.quizapp("grade", "exercises/double", "answer.py", "--junit", "graded.xml")
    assert (graded.returncode, graded.stderr) == (1, "")
    assert ET.parse(installed.repository / "graded.xml").getroot().get("failures") == "1"
    assert "Double it: failed, 0 of 1 points" in graded.stdout
    checked = installed.quizapp("check", "exercises/double")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "9 proofs, 0 of them failed" in checked.stdout


def test_the_course_that_is_named_is_served(installed: Installation, content: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    data = tmp_path / "var"
    served = subprocess.Popen(
        [str(installed.bin / "quizapp"), "serve"],
        env=installed.environ(QUIZAPP_DATA=str(data), QUIZAPP_EXERCISES=str(content), PORT=port),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert served.stdout is not None
        said = ""
        for line in served.stdout:  # ends when the server does
            said += line
            if "quizapp runs at" in line:
                break
        assert "quizapp runs at" in said, said
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
            text = page.read().decode()
        assert "A tiny topic" in text
        [style] = re.findall(r'href="(/static/[^"]*base\.css[^"]*)"', text)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{style}") as sheet:
            assert b"{" in sheet.read()
    finally:
        served.terminate()
        served.communicate()
    assert served.returncode == 0
    assert (data / "quizapp.sqlite3").is_file()
