"""The page that authors work from tells the truth: what it shows loads as it stands there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from graders.exercise import Limits, load_exercise
from quizapp.catalogue import Catalogue
from quizapp.config import PROJECT

PAGE = (PROJECT / "docs" / "content-format.md").read_text()


def fences(language: str) -> list[str]:
    """The examples in one language, in the order of the page."""
    return re.findall(rf"^```+{language}\n(.*?)^```+$", PAGE, re.MULTILINE | re.DOTALL)


def example(holding: str) -> str:
    """The one TOML example with this text in it."""
    (found,) = [text for text in fences("toml") if holding in text]
    return found


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    """A topic of nothing but the page's own examples."""
    folder = tmp_path / "exercises" / "dynamic-graphs"
    files = {
        "practice.toml": example('kind = "quiz"'),
        "cards.toml": example('kind = "cards"'),
        "prompts.toml": example('kind = "prompts"'),
        "experiment.toml": example('kind = "experiment"'),
        "interview.toml": example('kind = "interview"'),
        "chapter.md": "::set practice\n::set cards\n::set prompts\n::item experiment\n::item interview\n"
        "::item branch-gradient\n",
    }
    exercise = example("[limits]") + example("[[excuse]]")
    checks, wrong = fences("python")[:2]
    for folder_name in ("branch-gradient", "dynamic-model", "padded-batch"):
        files |= {
            f"{folder_name}/item.toml": exercise.replace('id = "branch-gradient"', f'id = "{folder_name}"'),
            f"{folder_name}/prompt.md": "Do it.\n",
            f"{folder_name}/starter.py": "x = 1\n",
            f"{folder_name}/solution.py": "x = 1.0\n",
            f"{folder_name}/checks.py": checks,
            f"{folder_name}/wrong/constant.py": wrong,
        }
    listed = 'files = ["practice.toml", "cards.toml", "prompts.toml", "experiment.toml", "interview.toml"]'
    described = re.sub(r"files = .*", listed, example('chapter = "chapter.md"'))
    files["topic.toml"] = re.sub(
        r"exercises = .*", 'exercises = ["branch-gradient", "dynamic-model", "padded-batch"]', described
    )
    # The experiment's example names a question that the page has no room to show.
    files["experiment.toml"] = files["experiment.toml"].replace('"experiment-1"', '"practice-3"')
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_every_example_loads_without_a_complaint(topic: Path) -> None:
    catalogue = Catalogue(topic.parent)
    assert [str(problem) for problem in catalogue.problems()] == []
    assert {item.id for item in catalogue.items()} >= {"practice-3", "card-1", "prompt-1", "experiment"}


def test_the_kinds_of_questions_load_as_they_are_shown(topic: Path) -> None:
    head = 'id = "kinds"\ntitle = "Kinds"\nkind = "quiz"\n\n'
    (topic / "practice.toml").write_text(head + example('kind = "true-false"') + example('kind = "line"'))
    (topic / "chapter.md").write_text("::set kinds\n")
    questions = [item for item in Catalogue(topic.parent).items() if item.set_id == "kinds"]
    assert [str(item.kind) for item in questions] == [
        "choice",
        "multiple",
        "numeric",
        "text",
        "output",
        "line",
        "order",
        "match",
        "gaps",
    ]


def test_the_limits_that_it_gives_are_those_that_hold_without_any(topic: Path) -> None:
    assert load_exercise(topic / "branch-gradient").limits == Limits()


def test_every_toml_example_is_toml() -> None:
    examples = fences("toml")
    assert len(examples) == 10
    for text in examples:
        tomllib.loads(text)
