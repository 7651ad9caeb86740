"""Run the sandbox's tests at every level and as both users: `python scripts/test_sandbox.py [-- OPTIONS]`.

As root: the full level and the level container as root, the full level and the level personal as an ordinary
user; each in the place (in_place.py) where it is the best that can be had, or demanded there. As an ordinary
user: what this user can have. Prints, of the corpus in tests/sandbox/attacks, a table by class; --page writes
that and what `quizapp doctor` finds into docs/security.md, and --check compares.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import security_page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from graders.sandbox.level import Level, probe

PROJECT: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Run:
    """One run of the tests: as whom, where, and at which level."""

    user: str
    place: str | None
    level: Level

    @property
    def command(self) -> list[str]:
        """What puts a Python into its place."""
        if self.place is None:
            return [sys.executable]
        return [sys.executable, str(PROJECT / "scripts" / "in_place.py"), self.place, sys.executable]


AS_ROOT: Final = (
    Run("root", "root", Level.FULL),
    Run("root", "container", Level.CONTAINER),
    Run("ordinary user", "user", Level.FULL),
    Run("ordinary user", "desktop", Level.PERSONAL),
)


def main() -> int:
    """Run all, print the table. Returns the worst exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="write docs/security.md from what was found")
    parser.add_argument("--check", action="store_true", help="fail if docs/security.md says something else")
    parser.add_argument("arguments", nargs="*", help="handed on to pytest")
    chosen = parser.parse_args()
    worst = 0
    found: list[security_page.Found] = []
    for run in _runs():
        print(f"\n== Level {run.level}, as {run.user}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            record = Path(folder, "corpus")
            worst = max(worst, _test(run, record, chosen.arguments))
            found.append(security_page.Found(run.level, run.user, _corpus(record), _doctor(run)))
    print("\n" + security_page.corpus_table(found))
    if chosen.page:
        security_page.write(found)
    if len(found) < len(AS_ROOT):
        print("\ndocs/security.md shows what all runs as root find, and is not compared.")
    elif chosen.check and (difference := security_page.difference(found)):
        print(f"\ndocs/security.md is not what was found here: {difference}. Run make security-page.")
        worst = max(worst, 1)
    return worst


def _runs() -> tuple[Run, ...]:
    if os.geteuid() == 0:
        return AS_ROOT
    print("As root the levels of root are tested too; here only those of this user.")
    return tuple(Run("ordinary user", None, level) for level in probe().levels())


def _test(run: Run, record: Path, arguments: list[str]) -> int:
    options = [
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-p",
        "no:cacheprovider",
        "tests/sandbox",
    ]
    own = [f"--level={run.level}", f"--corpus-record={record}"]
    return subprocess.run([*run.command, *options, *own, *arguments], cwd=PROJECT, check=False).returncode


def _corpus(record: Path) -> list[dict[str, Any]]:
    """What the corpus's tests have noted of each program: the last word counts."""
    lines = record.read_text().splitlines() if record.exists() else []
    entries = [json.loads(line) for line in lines]
    return list({entry["program"]: entry for entry in entries}.values())


def _doctor(run: Run) -> dict[str, Any]:
    command = [*run.command, "-m", "quizapp.cli", "doctor", "--json", f"--level={run.level}"]
    done = subprocess.run(command, cwd=PROJECT, check=False, capture_output=True, text=True)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


if __name__ == "__main__":
    sys.exit(main())
