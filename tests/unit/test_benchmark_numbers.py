"""What a benchmark makes of its times. The times themselves are no test: a machine may be slow."""

from __future__ import annotations

from typing import ClassVar

import pytest

from benchmarks.numbers import percentile, summary
from benchmarks.ratios import Ratio, ratios, table


@pytest.mark.parametrize(
    ("samples", "share", "expected"),
    [
        ([7.0], 0.95, 7.0),
        ([1.0, 2.0], 0.5, 1.0),
        ([3.0, 1.0, 2.0], 0.5, 2.0),
        (list(range(1, 101)), 0.95, 95),
        (list(range(1, 101)), 1, 100),
        (list(range(1, 21)), 0.95, 19),
        (list(range(1, 22)), 0.95, 20),
    ],
)
def test_a_percentile_is_a_sample_that_so_many_do_not_exceed(
    samples: list[float], share: float, expected: float
) -> None:
    assert percentile(samples, share) == expected


@pytest.mark.parametrize(("samples", "share"), [([], 0.5), ([1.0], 0), ([1.0], 1.01)])
def test_there_is_no_percentile_of_nothing_or_beyond_all(samples: list[float], share: float) -> None:
    with pytest.raises(ValueError, match="no percentile"):
        percentile(samples, share)


def test_a_summary_tells_the_median_from_the_mean() -> None:
    assert summary([1.0, 1.0, 100.0]) == {
        "n": 3,
        "p50_ms": 1,
        "p95_ms": 100,
        "p99_ms": 100,
        "min_ms": 1,
        "max_ms": 100,
    }


@pytest.mark.parametrize(
    ("value", "aim", "at_most", "met"),
    [
        (1.5, 1.5, True, True),
        (1.51, 1.5, True, False),
        (0.45, 0.45, False, True),
        (0.44, 0.45, False, False),
        (7.0, None, True, None),
    ],
)
def test_a_ratio_at_its_aim_meets_it(
    value: float, aim: float | None, at_most: bool, met: bool | None
) -> None:
    assert Ratio("library p50 / floor p50", value, aim, at_most).met is met


class TestRatios:
    times: ClassVar = {
        "library": [4.0, 6.0, 30.0],
        "floor": [5.0, 5.0, 5.0],
        "http": [15.0],
        "bare floor": [5.0],
        "library, two at a time": [10.0, 10.0, 50.0],
        "library fit-a-line": [8.0],
        "alone fit-a-line": [4.0],
        "peer otter run": [6000.0],
        "peer pytest on a file": [900.0, 1200.0, 60000.0],
    }
    rates: ClassVar = {"floor": [200.0, 100.0, 50.0], "library": [100.0, 40.0, 10.0]}

    def test_divide_medians_and_what_was_measured_in_one_round(self) -> None:
        assert {ratio.name: ratio.value for ratio in ratios(self.times, self.rates)} == {
            "library p50 / floor p50": 1.2,
            "library p99 / floor p50": 6.0,
            "HTTP p50 / floor p50": 3.0,
            "bare fork of our own / floor p50": 1.0,
            "two at a time: library/s / floor/s": 0.4,
            "two at a time: slowest / median": 5.0,
            "fit-a-line: library p50 / its solution alone": 2.0,
            "pytest on a file / library p50": 200.0,
            "otter run / library p50": 1000.0,
            "soonest of these / library p50": 200.0,
        }

    def test_of_peers_alone_need_no_floor(self) -> None:
        names = [ratio.name for ratio in ratios({"library": [5.0], "peer otter run": [10.0]}, {})]
        assert names == ["otter run / library p50", "soonest of these / library p50"]

    def test_without_a_peer_compare_with_none(self) -> None:
        assert ratios({"library": [5.0]}, {}) == []

    def test_are_shown_with_the_aim_beside_them(self) -> None:
        missed, reported = Ratio("two at a time", 0.2, 0.45, at_most=False), Ratio("other", 12.345)
        assert table([missed, reported]).splitlines()[1:] == [
            "two at a time               0.20  at least 0.45: MISSED",
            "other                      12.35",
        ]
