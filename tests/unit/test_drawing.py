"""Drawn inputs: spread, exact, clear of edges, and the same again for the same seed."""

from __future__ import annotations

import struct
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graders.checks import Draw
from graders.checks.faults import AuthorError

seeds = st.integers(0, 2**128 - 1)


@given(seeds, st.floats(-1e4, 1e4), st.floats(0.1, 1e6), st.integers(1, 12))
def test_floats_lie_in_the_range_one_in_each_part_and_are_exact_in_float32(
    seed: int, low: float, width: float, n: int
) -> None:
    high = low + width
    drawn = sorted(Draw(seed).floats(low, high, n))
    assert len(drawn) == n
    for part, number in enumerate(drawn):
        slack = width * 1e-9  # of the parts' own edges, which are computed here once more
        assert low + width * part / n - slack <= number <= low + width * (part + 1) / n + slack
        assert struct.unpack("f", struct.pack("f", number))[0] == number


@given(seeds)
def test_every_piece_between_edges_gets_a_number_and_none_comes_near_an_edge(seed: int) -> None:
    drawn = Draw(seed).floats(-2, 2, n=3, clear_of=(0.75, -1), margin=0.1)
    pieces = [(-2, -1.1), (-0.9, 0.65), (0.85, 2)]
    assert all(any(low <= x <= high for x in drawn) for low, high in pieces)
    assert all(abs(x - edge) >= 0.1 for x in drawn for edge in (0.75, -1))


@pytest.mark.parametrize(
    "ask",
    [
        lambda d: d.floats(1, 1),
        lambda d: d.floats(0, float("inf")),
        lambda d: d.floats(0, 1, clear_of=[0.5], margin=0.6),
        lambda d: d.floats(0, 1, n=1, clear_of=[0.5]),
        lambda d: d.floats(1e30, 1e30 + 1e15, n=3),
        lambda d: d.integers(2, 1),
    ],
    ids=[
        "empty",
        "endless",
        "all near an edge",
        "fewer numbers than pieces",
        "no float32 there",
        "no integers",
    ],
)
def test_what_cannot_be_drawn_is_the_authors_mistake(ask) -> None:
    with pytest.raises(AuthorError, match=r"draw\."):
        ask(Draw(1))


def test_the_same_seed_and_check_draw_the_same_and_others_do_not() -> None:
    def sample(seed: int, name: str) -> list[object]:
        draw = Draw(seed, name)
        return [
            draw.floats(0, 1),
            draw.tensor(3).tolist(),
            draw.integers(0, 10**9),
            draw.choice(range(10**9)),
        ]

    assert sample(1, "a") == sample(1, "a")
    assert sample(1, "a") != sample(2, "a")
    assert sample(1, "a") != sample(1, "b")


def test_drawing_leaves_the_global_generators_alone() -> None:
    torch.manual_seed(0)
    before = torch.rand(1)
    torch.manual_seed(0)
    Draw(1).tensor(5)
    assert torch.rand(1) == before


@given(seeds)
def test_integers_differ_as_long_as_there_are_enough(seed: int) -> None:
    assert sorted(Draw(seed).integers(1, 4, n=4)) == [1, 2, 3, 4]
    more = Draw(seed).integers(1, 2, n=5)
    assert set(more) == {1, 2}
    assert len(more) == 5


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [(torch.float32, -2.0, 3.0), (torch.float64, 0.0, 1.0), (torch.int64, 0.0, 5.0), (torch.bool, 0.0, 1.0)],
)
def test_tensors_have_the_shape_dtype_and_range_asked_for(
    dtype: torch.dtype, low: float, high: float
) -> None:
    drawn = Draw(3).tensor(50, 4, dtype=dtype, low=low, high=high)
    assert (drawn.shape, drawn.dtype) == ((50, 4), dtype)
    values = drawn.double()
    assert ((values >= low) & (values <= high)).all()
    assert len(values.unique()) > 1
    assert all(a != b for a, b in pairwise([drawn.tolist(), Draw(4).tensor(50, 4, dtype=dtype).tolist()]))


def test_a_tensor_can_require_a_gradient() -> None:
    drawn = Draw(3).tensor(2, requires_grad=True)
    assert drawn.requires_grad
    assert drawn.is_leaf


def test_shuffling_keeps_every_entry_and_leaves_the_given_list() -> None:
    given_list = [1, 2, 2, 3]
    assert sorted(Draw(5).shuffled(given_list)) == given_list
    assert given_list == [1, 2, 2, 3]
