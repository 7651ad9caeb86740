"""What a list of times comes down to."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` of all samples do not exceed (nearest rank).

    share: above 0, at most 1; 0.5 is the median, of an even number of samples the lower one.
    Raises: ValueError without samples, or for a share out of range.
    """
    if not samples or not 0 < share <= 1:
        raise ValueError(f"no percentile {share} of {len(samples)} samples")
    return sorted(samples)[math.ceil(share * len(samples)) - 1]


def median(samples: Sequence[float]) -> float:
    """The 50th percentile."""
    return percentile(samples, 0.5)


def summary(samples: Sequence[float]) -> dict[str, float]:
    """Count, median, 95th and 99th percentile and extremes of times in milliseconds, to the microsecond.

    Of fewer than 100 samples the 99th percentile is the slowest one.
    """
    return {
        "n": len(samples),
        "p50_ms": round(median(samples), 3),
        "p95_ms": round(percentile(samples, 0.95), 3),
        "p99_ms": round(percentile(samples, 0.99), 3),
        "min_ms": round(min(samples), 3),
        "max_ms": round(max(samples), 3),
    }
