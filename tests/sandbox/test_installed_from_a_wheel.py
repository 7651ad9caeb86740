"""quizapp as a teacher's repository has it: installed from a wheel, with no checkout in reach."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
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
explanation = "Twice."

[[expect]]
name = "y is 2.0"
expect = "y == 2.0"
"""

pytestmark = pytest.mark.sandbox


class Installation:
    """An environment with the wheel in it, and a teacher's repository beside it."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "venv" / "bin"
        self.repository = folder / "repository"

    def run(self, program: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the repository; QUIZAPP_* are those given and no others."""
        around = {
            key: value for key, value in os.environ.items() if not key.startswith(("QUIZAPP_", "PYTHON"))
        }
        return subprocess.run(
            [str(self.bin / "python"), "-m", program, *arguments],
            cwd=self.repository,
            env=around | {"PYTHONDONTWRITEBYTECODE": "1"} | environ,
            capture_output=True,
            text=True,
            check=False,
        )

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
    for name in ("sound", "unsound"):
        exercise = folder / "exercises" / name
        (exercise / "wrong").mkdir(parents=True)
        (exercise / "item.toml").write_text(ITEM.format(name=name))
        (exercise / "prompt.md").write_text("Make `y` twice `x`.\n")
        (exercise / "starter.py").write_text("x = 1.0\ny = 0.0\n")
        (exercise / "solution.py").write_text("import torch\nx = 1.0\ny = float(torch.tensor(x) * 2)\n")
        (exercise / "wrong" / "adds.py").write_text('# expect: failed, "y is 2.0", "3.0"\nx = 1.0\ny = 3.0\n')
    (folder / "exercises/unsound/solution.py").write_text('print("\\x1b[2J")\nx = 1.0\ny = 2.5\n')
    (folder / "test_mine.py").write_text(
        "import graders\n\n"
        "def test_it_is_the_installed_one():\n    assert 'site-packages' in graders.__file__\n\n"
        "def test_four_is_wrong(grade):\n"
        "    assert grade('exercises/sound', 'x = 1.0\\ny = 4.0').status == 'failed'\n"
    )
    (folder / "answer.py").write_text("x = 1.0\ny = 3.0\n")


def test_pytest_tests_the_exercises_of_a_repository(installed: Installation) -> None:
    done = installed.run("pytest", "-q", "--junitxml", "report.xml", "-p", "no:cacheprovider")
    assert done.returncode == 1, done.stdout + done.stderr
    cases = ET.parse(installed.repository / "report.xml").getroot().iter("testcase")
    ends = {
        (case.get("classname", ""), case.get("name", "")): [child.tag for child in case] for case in cases
    }
    sound, unsound = "exercises.sound.item.toml", "exercises.unsound.item.toml"
    solutions = [f"solution[{number}]" for number in (1, 2, 3)]
    assert ends == {
        **{(sound, name): [] for name in (*solutions, "starter", "wrong/adds.py")},
        **{(unsound, name): ["failure"] for name in solutions},
        **{(unsound, name): [] for name in ("starter", "wrong/adds.py")},
        ("test_mine", "test_it_is_the_installed_one"): [],
        ("test_mine", "test_four_is_wrong"): [],
    }
    assert "exercises/unsound/solution.py: not so: solution.py passes, seed 1" in done.stdout
    assert "mend solution.py or the checks: " in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_the_commands_work_and_their_help_needs_nothing(installed: Installation) -> None:
    assert "quizapp serve" in installed.quizapp("--help").stdout
    assert (installed.bin / "quizapp").is_file()
    graded = installed.quizapp("grade", "exercises/sound", "answer.py")
    assert (graded.returncode, graded.stderr) == (1, "")
    assert "Double it: failed, 0 of 1 points" in graded.stdout
    checked = installed.quizapp("check", "exercises/sound")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "5 proofs, 0 of them failed" in checked.stdout


def test_the_database_can_be_made(installed: Installation) -> None:
    data = installed.repository.parent / "data"
    made = installed.quizapp(
        "user", "add", "--email", "grace@example.org", "--name", "Grace", QUIZAPP_DATA=str(data)
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert (data / "quizapp.sqlite3").is_file()
