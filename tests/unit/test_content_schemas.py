"""The schemas take what we ship and refuse what the check refuses, and those in the course are up to date."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from content_tree import FILES
from jsonschema import Draft7Validator

from quizapp.authoring.new import FILES as STARTED
from quizapp.authoring.new import START
from quizapp.authoring.schemas import KINDS, as_text, schema, write_schemas
from quizapp.config import PROJECT

EXERCISES = PROJECT / "exercises"


def kind_of(path: Path, data: dict[str, Any]) -> str:
    if path.name in {"topic.toml", "item.toml"}:
        return "topic" if path.name == "topic.toml" else "exercise"
    return str(data["kind"])


def faults(kind: str, text: str) -> list[str]:
    return [error.message for error in Draft7Validator(schema(kind)).iter_errors(tomllib.loads(text))]


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_a_schema_and_the_one_in_the_course_is_up_to_date(kind: str) -> None:
    Draft7Validator.check_schema(schema(kind))
    kept = EXERCISES / ".schemas" / f"{kind}.json"
    assert kept.read_text() == as_text(kind), f"write it anew: quizapp new writes {kept.parent}"


@pytest.mark.parametrize(
    "path", sorted(EXERCISES.glob("*/**/*.toml")), ids=lambda path: path.relative_to(EXERCISES).as_posix()
)
def test_what_we_ship_is_taken(path: Path) -> None:
    text = path.read_text()
    assert faults(kind_of(path, tomllib.loads(text)), text) == []


@pytest.mark.parametrize("name", [f"{kind}.toml" for kind in STARTED])
def test_what_is_started_is_taken(name: str) -> None:
    text = (START / name).read_text().replace("@NAME@", "mine").replace("@EXERCISE@", "branch")
    assert faults(name.removesuffix(".toml"), text) == []


@pytest.mark.parametrize(
    ("kind", "file", "old", "new"),
    [
        ("topic", "topic.toml", "title", "titel"),
        ("topic", "topic.toml", '"Graphs"', "3"),
        ("quiz", "practice.toml", "prompt =", "promt ="),
        ("quiz", "practice.toml", '"easy"', '"eassy"'),
        ("quiz", "practice.toml", 'kind = "quiz"', 'kind = "cards"'),
        ("cards", "cards.toml", "front", "fornt"),
        ("prompts", "prompts.toml", 'cue = "Branches."\n', ""),
        ("experiment", "experiment.toml", '"branch"', '"Branch Gradient"'),
        ("interview", "interview.toml", "question =", "qestion ="),
        ("exercise", "branch/item.toml", '"hard"', '"harder"'),
        ("exercise", "branch/item.toml", "[[expect]]", "[[expects]]"),
    ],
)
def test_a_slip_is_marked_in_the_editor(kind: str, file: str, old: str, new: str) -> None:
    text = FILES[file]
    assert old in text
    assert faults(kind, text) == []
    assert faults(kind, text.replace(old, new, 1)) != []


def test_they_are_written_as_files(tmp_path: Path) -> None:
    write_schemas(tmp_path / "new" / ".schemas")
    written = sorted((tmp_path / "new" / ".schemas").iterdir())
    assert [path.stem for path in written] == sorted(KINDS)
    assert all(json.loads(path.read_text())["title"] == path.stem for path in written)
