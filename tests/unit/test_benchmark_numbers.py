"""What a benchmark makes of its times. The times themselves are no test: a machine may be slow."""

from __future__ import annotations

import pytest

from benchmarks.numbers import percentile, summary


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
    assert summary([1.0, 1.0, 100.0]) == {"n": 3, "p50_ms": 1, "p95_ms": 100, "min_ms": 1, "max_ms": 100}
