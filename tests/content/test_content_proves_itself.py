"""The course that we ship: every file loads without a complaint, and every claim in it has been run."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from graders.exercise import Exercise
from graders.grader import Grader
from graders.proving import Proof
from quizapp.catalogue import Catalogue, Kind, item_from_json
from quizapp.catalogue.content import ChoiceContent
from quizapp.catalogue.proving import jobs, prove
from quizapp.catalogue.selecting import Selection, select
from quizapp.catalogue.wording import complaints
from quizapp.config import PROJECT

EXERCISES = PROJECT / "exercises"
CATALOGUE = Catalogue(EXERCISES)


def test_every_file_loads_without_a_complaint() -> None:
    assert [str(problem) for problem in CATALOGUE.problems()] == []


def test_no_question_gives_itself_away_and_no_hint_repeats_another() -> None:
    assert [str(problem) for problem in complaints(CATALOGUE.items())] == []


def test_the_first_topic_is_whole() -> None:
    items = [item for item in CATALOGUE.items() if item.topic_id == "dynamic-graphs"]
    kinds = {kind: {item.id for item in items if item.kind is kind} for kind in Kind}
    assert kinds[Kind.CHOICE] >= {f"{name}-{n}" for name in ("practice", "quick") for n in range(1, 6)}
    assert kinds[Kind.CARD] == {f"card-{n}" for n in range(1, 6)}
    assert kinds[Kind.PROMPT] == {"prompt-1", "prompt-2"}
    assert kinds[Kind.EXPERIMENT] == {"experiment"}
    assert kinds[Kind.INTERVIEW] == {"interview"}
    assert kinds[Kind.EXERCISE] == {
        "branch-gradient",
        "missing-requires-grad",
        "tracked-addition",
        "dynamic-model",
        "padded-batch",
    }


def test_the_keys_are_those_of_the_source() -> None:
    keys = {
        item.id: item.content.key for item in CATALOGUE.items() if isinstance(item.content, ChoiceContent)
    }
    assert "".join(keys[f"practice-{n}"] for n in range(1, 6)) == "ADBAC"
    assert "".join(keys[f"quick-{n}"] for n in range(1, 6)) == "ADCAB"


@pytest.mark.parametrize("item", CATALOGUE.items(), ids=lambda item: item.id)
def test_a_stored_version_of_an_item_is_the_item(item) -> None:
    stored = item_from_json(json.loads(json.dumps(item.to_json())))
    assert stored == item
    assert stored.version == item.version


@pytest.mark.parametrize("item_id", ["branch-gradient", "missing-requires-grad", "tracked-addition"])
def test_a_constant_written_into_grad_is_among_the_known_wrong_answers(item_id: str) -> None:
    item = CATALOGUE.item(item_id)
    assert item is not None
    assert isinstance(item.content, Exercise)
    assert "planted_grad.py" in {wrong.filename for wrong in item.content.wrong}


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(slots=1) as grader:
        yield grader


def failures(selection: Selection, grader: Grader) -> tuple[list[str], list[Proof]]:
    proofs = [proof for made in prove(jobs(selection), grader, at_once=1) for proof in made]
    return [f"{one.item}, {one.proof}: {one.remedy} ({one.evidence})" for one in proofs if not one.ok], proofs


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "name",
    sorted(
        path.relative_to(EXERCISES).as_posix()
        for topic in CATALOGUE.topics()
        for path in topic.folder.iterdir()
        if path.name != "topic.toml" and (path.suffix in {".toml", ".md"} or (path / "item.toml").is_file())
    ),
)
def test_every_claim_is_true(name: str, grader: Grader) -> None:
    failed, _ = failures(select(EXERCISES / name), grader)
    assert failed == []


@pytest.mark.sandbox
@pytest.mark.parametrize(("item_id", "at_least"), [("practice-2", 4), ("practice-3", 4), ("practice-4", 1)])
def test_a_question_about_code_has_proofs(item_id: str, at_least: int, grader: Grader) -> None:
    item = CATALOGUE.item(item_id)
    assert item is not None
    _, proofs = failures(Selection(items=(item,)), grader)
    assert len(proofs) >= at_least
