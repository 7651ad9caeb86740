"""docs/authoring.md, step by step, as a newcomer would follow it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.config import PROJECT

pytestmark = pytest.mark.sandbox

PAGE = (PROJECT / "docs" / "authoring.md").read_text()
QUIZAPP = Path(sys.executable).parent / "quizapp"


class Newcomer:
    """Someone in an empty folder, with the page before them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.exercise = folder / "course" / "slopes" / "cube"

    def types(self, command: str) -> tuple[int, str]:
        """Run a command of the page; its exit code and all that it printed."""
        assert command in PAGE, f"the page does not say: {command}"
        program, *arguments = re.findall(r'"[^"]*"|\S+', command)
        assert program == "quizapp"
        environ = {key: value for key, value in os.environ.items() if not key.startswith("QUIZAPP_")}
        done = subprocess.run(
            [QUIZAPP, *(argument.strip('"') for argument in arguments)],
            cwd=self.folder,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def changes(self, name: str, old: str, new: str) -> None:
        """Change a file as the page says; `new` stands on the page."""
        assert " ".join(new.split()) in " ".join(PAGE.split()), f"the page does not say: {new}"
        self.rewrites(name, old, new)

    def rewrites(self, name: str, old: str, new: str) -> None:
        """Change a file in words of their own."""
        path = self.folder / "course" / "slopes" / name
        text = path.read_text()
        assert old in text, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new))


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    return Newcomer(tmp_path)


def test_the_page_leads_to_a_proved_exercise(newcomer: Newcomer) -> None:
    # 1. A topic
    assert newcomer.types('quizapp new topic course/slopes --title "Slopes"')[0] == 0
    assert (newcomer.folder / "course" / ".schemas" / "topic.json").is_file()

    # 2. An exercise that already holds
    assert newcomer.types("quizapp new exercise course/slopes/cube")[0] == 0
    code, told = newcomer.types("quizapp check course/slopes/cube")
    assert code == 1
    assert " 0 of them failed" in told
    complaints = [line for line in told.splitlines() if line.startswith("course/")]
    assert complaints
    assert all("TODO" in line or "is not listed" in line for line in complaints), told

    # 3. Make it yours
    newcomer.changes("cube/solution.py", "(x * x).backward()", "(x ** 3).backward()")
    newcomer.changes(
        "cube/checks.py",
        'assert close(answer.call("slope", value), 2 * value)',
        'assert close(answer.call("slope", value), 3 * value**2)',
    )
    newcomer.changes("cube/checks.py", '"the slope is that of x²"', '"the slope is that of x³"')
    newcomer.changes("cube/checks.py", "value * value", "value**3")
    newcomer.changes(
        "cube/checks.py",
        "That is the value of x², not its slope.",
        "That is the value of x³, not its slope.",
    )
    wrong = next(
        block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "# expect" in block
    )
    path = newcomer.exercise / "wrong" / "value_for_slope.py"
    path.write_text("\n".join(line.removeprefix("  ") for line in wrong.splitlines()) + "\n")
    code, told = newcomer.types("quizapp check course/slopes/cube")
    assert " 0 of them failed" in told, told

    # 4. Write what says TODO
    newcomer.rewrites("cube/item.toml", "TODO: what to look at first.", "Make a tensor that requires grad.")
    newcomer.rewrites(
        "cube/item.toml", "TODO: one step further, and still not the answer.", "Which method goes back?"
    )
    newcomer.rewrites("cube/item.toml", "TODO: what often goes wrong here, and why.", "Returning the value.")
    newcomer.rewrites("cube/item.toml", "TODO: the worked solution, step by step.", "The slope is 3x².")
    newcomer.rewrites("cube/prompt.md", "TODO: say", "Say")
    code, told = newcomer.types("quizapp check course/slopes/cube")
    assert code == 0, told
    assert "0 of them failed; 0 problems in the files" in told
    assert "0 of them failed; 0 problems in the files" in PAGE

    # 5. Let learners meet it
    newcomer.changes("topic.toml", "exercises = []", 'exercises = ["cube"]')
    newcomer.rewrites("topic.toml", "TODO: in one sentence, what this is about", "How steep a curve is")
    newcomer.rewrites("chapter.md", "TODO: the first heading", "How steep?")
    newcomer.rewrites("chapter.md", "TODO: what somebody learns", "\n::item cube\n\nWhat somebody learns")
    code, told = newcomer.types("quizapp check course")
    assert code == 0, told


@pytest.mark.parametrize("kind", ["quiz", "cards", "prompts", "interview"])
def test_what_is_started_holds_but_for_what_says_todo(newcomer: Newcomer, kind: str) -> None:
    newcomer.types('quizapp new topic course/slopes --title "Slopes"')
    made = subprocess.run(
        [QUIZAPP, "new", kind, "course/slopes/warm-up"], cwd=newcomer.folder, check=True, capture_output=True
    )
    assert b"wrote course/slopes/warm-up.toml" in made.stdout
    newcomer.rewrites("topic.toml", "files = []", 'files = ["warm-up.toml"]')
    word = "item" if kind == "interview" else "set"
    newcomer.rewrites("chapter.md", "TODO: what", f"::{word} warm-up\n\nTODO: what")
    code, told = newcomer.types("quizapp check course")
    assert (code, " 0 of them failed" in told) == (1, True), told
    complaints = [line for line in told.splitlines() if line.startswith("course/")]
    assert complaints
    assert all("still says" in line and "TODO" in line for line in complaints), told
