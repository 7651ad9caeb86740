"""docs/checks.md: each example is graded, and the learner is told what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from forked import grade

PAGE = Path(__file__).resolve().parents[2] / "docs" / "checks.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+\.\d+")


def examples() -> list[dict[str, str]]:
    """The page's examples: blocks up to one that says what the learner is told."""
    found: list[dict[str, str]] = []
    parts: dict[str, str] = {}
    for language, body in BLOCK.findall(PAGE.read_text()):
        if language == "python":
            parts[body.partition("\n")[0].removeprefix("# ")] = body
        elif language in ("text", "error"):
            found.append({**parts, language: body.strip()})
            parts = {}
    assert parts == {}, "a block of Python without what comes of it"
    return found


@pytest.mark.parametrize("example", examples(), ids=lambda e: (e.get("text") or e["error"])[:40])
def test_the_learner_is_told_what_the_page_says(example: dict[str, str]) -> None:
    grading = grade(example["answer.py"], example["checks.py"], solution=example.get("solution.py", ""))
    first = next(check for check in grading.checks.values() if check["status"] != "passed")
    if "text" in example:
        assert first["status"] == "failed", grading
        assert without_drawn_numbers(first["message"], example) == without_drawn_numbers(
            example["text"], example
        )
    else:
        assert (first["status"], first["error"]["what"]) == ("error", example["error"])


@pytest.mark.parametrize(
    "example", [e for e in examples() if "solution.py" in e], ids=lambda e: e["text"][:40]
)
def test_the_solution_on_the_page_passes(example: dict[str, str]) -> None:
    assert grade(example["solution.py"], example["checks.py"], solution=example["solution.py"]).passed


def without_drawn_numbers(text: str, example: dict[str, str]) -> str:
    return NUMBER.sub("…", text) if "draw" in example["checks.py"] else text
