"""Numbers in a program's text: where they stand, and what is put in their place."""

from __future__ import annotations

from typing import Any

import pytest

from graders.checks import Draw
from graders.checks.faults import AuthorError
from graders.inside import literals
from graders.inside.replacing import _drawn

SEEDS = range(200)


def drawn(seed: int, literal: float, low: float, high: float, *edges: float) -> list[float]:
    row: dict[str, Any] = {"name": "it", "literal": literal, "low": low, "high": high, "clear_of": [*edges]}
    return list(_drawn(row, Draw(seed, "it")))


def test_whole_numbers_stay_whole_and_are_never_the_one_of_the_task() -> None:
    found = {number for seed in SEEDS for number in drawn(seed, 3, 1.0, 5.0)}
    assert found == {1, 2, 4, 5}
    assert {type(number) for number in found} == {int}


def test_each_side_of_every_edge_gets_a_whole_number_and_no_edge_is_drawn() -> None:
    for seed in SEEDS:
        below, between, above = sorted(drawn(seed, 3, 1.0, 9.0, 4, 6.5))
        assert below in (1, 2)
        assert between in (5, 6)
        assert above in (7, 8, 9)


def test_the_same_seed_draws_the_same() -> None:
    assert drawn(7, 3, 1.0, 90.0, 40) == drawn(7, 3, 1.0, 90.0, 40)


def test_a_float_is_never_the_one_of_the_task() -> None:
    narrow = (0.5, 0.5 + 2**-24)  # two numbers of float32
    assert {number for seed in SEEDS for number in drawn(seed, 0.5, *narrow)} == {narrow[1]}


def test_a_range_that_holds_only_the_number_of_the_task_is_the_authors_fault() -> None:
    with pytest.raises(AuthorError, match=r"holds no number other than 0\.5"):
        drawn(1, 0.5, 0.5, 0.5 + 2**-25)


@pytest.mark.parametrize(
    ("low", "high", "edges", "pieces"),
    [
        (1, 5, [], [(1, 5)]),
        (0.5, 5.5, [], [(1, 5)]),
        (-3, 3, [0], [(-3, -1), (1, 3)]),
        (1, 5, [2.5, 2.5, 9], [(1, 2), (3, 5)]),
        (1, 5, [1, 5], [(2, 4)]),
        (0.2, 0.4, [], [(1, 0)]),
    ],
)
def test_edges_cut_a_range_into_pieces_of_whole_numbers(
    low: float, high: float, edges: list[float], pieces: list[tuple[int, int]]
) -> None:
    assert literals.whole_pieces(low, high, edges) == pieces


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("x = 1.0\n", "x = 7\n"),
        ("x = t( 1 )\n", "x = t( 7 )\n"),
        ("x: float = 1.0\n", "x: float = 7\n"),
        ("é = 'é'; x = 1.0\n", "é = 'é'; x = 7\n"),
        ("\ufeffx = 1.0\r\ny = 1.0\r\n", "x = 7\ny = 1.0\n"),
        ("y = 1.0\nx = [\n    2,\n    1.0,\n]\n", "y = 1.0\nx = [\n    2,\n    7,\n]\n"),
    ],
)
def test_the_number_is_changed_at_its_exact_place(source: str, changed: str) -> None:
    found = literals.find(source, "x", 1.0)
    assert found is not None
    assert literals.replace(source, found, 7) == changed


@pytest.mark.parametrize(
    "source", ["y = 1.0\n", "x = True\n", "x = '1.0'\n", "x = 2\n", "x = (\n", "x.y = 1.0\n", "w[x] = 1.0\n"]
)
def test_where_no_such_number_makes_the_name_there_is_none(source: str) -> None:
    assert literals.find(source, "x", 1.0) is None
