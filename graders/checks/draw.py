"""Inputs that nobody knew beforehand, drawn from the grading's seed: the same for the same seed and check."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TypeVar

import torch

from graders.checks.faults import AuthorError

Item = TypeVar("Item")

_GRID = 256  # a stratum is cut into at least so many steps


class Draw:
    """A stream of random inputs for one check."""

    def __init__(self, seed: int, name: str = "") -> None:
        self._random = random.Random(f"{seed}/{name}")
        self._generator = torch.Generator()
        self._generator.manual_seed(self._random.getrandbits(63))

    def floats(
        self, low: float, high: float, n: int = 4, *, clear_of: Sequence[float] = (), margin: float = 0.05
    ) -> list[float]:
        """`n` numbers within [low, high]: one in each of n parts of equal length, in random order.

        clear_of: edges that no number comes within `margin` of (both in the unit of the numbers). They cut
        the range into pieces, and every piece gets at least one number, under every seed. Each number is
        exact in float32 (and so in float64): the learner's tensor holds what the check holds. Raises:
        AuthorError if the range is empty, not finite, or n is too small for the pieces.
        """
        pieces = _pieces(low, high, clear_of, margin)
        if not pieces:
            raise AuthorError(f"draw.floats({low}, {high}): nothing is left of this range")
        if n < len(pieces):
            raise AuthorError(
                f"draw.floats: n is {n}, and {len(pieces)} pieces need at least one number each"
            )
        numbers = [
            self._within(start + (end - start) * part / count, start + (end - start) * (part + 1) / count)
            for (start, end), count in zip(pieces, _shares(pieces, n), strict=True)
            for part in range(count)
        ]
        self._random.shuffle(numbers)
        return numbers

    def integers(self, low: int, high: int, n: int = 4) -> list[int]:
        """`n` whole numbers within [low, high], both included; different ones as long as there are enough."""
        if high < low:
            raise AuthorError(f"draw.integers({low}, {high}): the range is empty")
        many = range(low, high + 1)
        numbers = self._random.sample(many, min(n, len(many)))
        return numbers + [self._random.randint(low, high) for _ in range(n - len(numbers))]

    def tensor(
        self,
        *shape: int,
        dtype: torch.dtype = torch.float32,
        low: float = -1.0,
        high: float = 1.0,
        requires_grad: bool = False,
    ) -> torch.Tensor:
        """A new tensor, its elements uniform in [low, high); whole numbers for an integer dtype."""
        if dtype == torch.bool:
            return torch.randint(0, 2, shape, generator=self._generator).bool()
        if dtype.is_floating_point or dtype.is_complex:
            drawn = torch.rand(shape, generator=self._generator, dtype=dtype) * (high - low) + low
            return drawn.requires_grad_(requires_grad)
        return torch.randint(math.ceil(low), math.ceil(high), shape, generator=self._generator, dtype=dtype)

    def choice(self, items: Sequence[Item]) -> Item:
        """One of `items`."""
        return self._random.choice(items)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All of `items` in random order, in a new list."""
        return self._random.sample(list(items), len(items))

    def _within(self, low: float, high: float) -> float:
        """A number of [low, high] on a grid of powers of two that is coarse enough for float32."""
        _, exponent = math.frexp(max(abs(low), abs(high)))
        finest = max(exponent - 24, -149)  # what float32 tells apart at this size, and at any
        step = 2.0 ** max(math.floor(math.log2((high - low) / _GRID)), finest)
        first, last = math.ceil(low / step), math.floor(high / step)
        if first > last:
            raise AuthorError(f"draw.floats: float32 has no number to draw between {low} and {high}")
        return self._random.randint(first, last) * step


def _pieces(low: float, high: float, edges: Sequence[float], margin: float) -> list[tuple[float, float]]:
    if not (math.isfinite(low) and math.isfinite(high) and low < high and margin >= 0):
        raise AuthorError(
            f"draw.floats({low}, {high}): low must be less than high, both finite, the margin not negative"
        )
    pieces, start = [], low
    for edge in sorted(edges):
        if low < edge + margin and edge - margin < high:
            pieces.append((start, edge - margin))
            start = edge + margin
    pieces.append((start, high))
    return [(first, last) for first, last in pieces if first < last]


def _shares(pieces: list[tuple[float, float]], n: int) -> list[int]:
    """How many of n numbers each piece gets: one, the rest where the stretches are longest."""
    counts = [1] * len(pieces)
    for _ in range(n - len(pieces)):
        longest = max(range(len(pieces)), key=lambda i: (pieces[i][1] - pieces[i][0]) / counts[i])
        counts[longest] += 1
    return counts
