"""How far somebody is."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from quizapp.learning.rules import first_open, mark, mark_of_many, points, share, starting_place


@dataclass(frozen=True)
class State:
    passed: bool
    tried: bool = True


@dataclass(frozen=True)
class Thing:
    id: str


def test_nothing_sent_is_open() -> None:
    assert mark(None) == "open"
    assert mark(State(passed=False, tried=False)) == "open"


def test_something_sent_is_tried_until_it_passed() -> None:
    assert mark(State(passed=False)) == "tried"
    assert mark(State(passed=True)) == "done"


def test_a_set_is_done_when_all_of_it_is_and_open_when_none_is() -> None:
    assert mark_of_many(["done", "done"]) == "done"
    assert mark_of_many(["done", "open"]) == "tried"
    assert mark_of_many(["open", "tried"]) == "tried"
    assert mark_of_many(["open", "open"]) == "open"
    assert mark_of_many([]) == "open"


def test_the_share_counts_only_what_is_done() -> None:
    assert share(["done", "tried", "open", "done"]) == 0.5
    assert share([]) == 0.0


def test_what_comes_next_is_the_first_that_is_not_done() -> None:
    things = [Thing("a"), Thing("b"), Thing("c")]
    marks = {"a": "done", "b": "tried", "c": "open"}
    assert first_open(things, marks.__getitem__) == Thing("b")
    assert first_open(things, lambda _: "done") is None


@pytest.mark.parametrize(
    ("centipoints", "read"), [(0, "0"), (100, "1"), (250, "2.5"), (33, "0.33"), (1000, "10"), (105, "1.05")]
)
def test_points_are_read_without_needless_zeros(centipoints: int, read: str) -> None:
    assert points(centipoints) == read


def test_a_set_starts_where_one_asks_and_else_at_the_first_not_done() -> None:
    marks = ["done", "open", "open"]
    assert starting_place(None, marks) == 2
    assert starting_place(3, marks) == 3
    assert starting_place(1, marks) == 1


@pytest.mark.parametrize("asked", [0, 4, -1])
def test_a_place_that_does_not_exist_is_like_none(asked: int) -> None:
    assert starting_place(asked, ["done", "open", "open"]) == 2


def test_a_set_that_is_all_done_starts_again_at_the_first() -> None:
    assert starting_place(None, ["done", "done"]) == 1
