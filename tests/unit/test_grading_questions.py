"""Verdicts that need no sandbox."""

from __future__ import annotations

from typing import Any

import pytest

from graders.verdict import Status
from quizapp.catalogue import Catalogue
from quizapp.grading import questions


def grade(catalogue: Catalogue, item_id: str, answer: dict[str, Any]) -> tuple[Status, int, int] | None:
    item = catalogue.item(item_id)
    assert item is not None
    verdict = questions.grade(item, answer)
    return verdict and (verdict.status, verdict.centipoints, verdict.max_centipoints)


@pytest.mark.parametrize(
    ("item_id", "answer", "wanted"),
    [
        ("sum", {"option": "B"}, (Status.PASSED, 100, 100)),
        ("sum", {"option": "A"}, (Status.FAILED, 0, 100)),
        ("leaf", {"knew": True}, (Status.PASSED, 100, 100)),
        ("leaf", {"knew": False}, (Status.FAILED, 0, 100)),
        ("why", {"text": "…", "ticked": [0, 1, 2]}, (Status.PASSED, 300, 300)),
        ("why", {"text": "…", "ticked": [1]}, (Status.FAILED, 100, 300)),
        ("why", {"text": "…", "ticked": []}, (Status.FAILED, 0, 300)),
    ],
)
def test_questions_are_graded_by_key_and_by_ticks(
    catalogue: Catalogue, item_id: str, answer: dict[str, Any], wanted: tuple[Status, int, int]
) -> None:
    assert grade(catalogue, item_id, answer) == wanted


@pytest.mark.parametrize(("item_id", "answer"), [("why", {"text": "…"}), ("double", {"source": "y = 2"})])
def test_what_still_needs_ticks_or_a_worker_has_no_verdict(
    catalogue: Catalogue, item_id: str, answer: dict[str, Any]
) -> None:
    assert grade(catalogue, item_id, answer) is None


def test_a_verdict_on_a_wrong_choice_does_not_name_the_key(catalogue: Catalogue) -> None:
    item = catalogue.item("sum")
    assert item is not None
    verdict = questions.grade(item, {"option": "A"})
    assert verdict is not None
    assert "B" not in verdict.summary
