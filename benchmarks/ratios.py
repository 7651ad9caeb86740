"""What is divided by what, what it should come to, and the table that a person reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.numbers import median, percentile

# How the names of measures begin: another grader, another exercise, its solution in a bare fork.
PEER: Final = "peer "
LIBRARY: Final = "library "
BARE: Final = "alone "

_HEAD: Final = "ratio, within this run"


@dataclass(frozen=True)
class Ratio:
    """One ratio within a run. aim: what it should be at most, or at least; None where it is only reported."""

    name: str
    value: float
    aim: float | None = None
    at_most: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the aim is met, which the aim itself does; None without an aim."""
        if self.aim is None:
            return None
        return self.value <= self.aim if self.at_most else self.value >= self.aim

    def to_json(self) -> dict[str, Any]:
        """As one line of the benchmark's output."""
        line: dict[str, Any] = {"measure": "ratio", "name": self.name, "value": round(self.value, 3)}
        if self.aim is not None:
            line |= {"aim": f"{'at most' if self.at_most else 'at least'} {self.aim:g}", "met": self.met}
        return line


def ratios(times: Mapping[str, Sequence[float]], rates: Mapping[str, Sequence[float]]) -> list[Ratio]:
    """The ratios of those measures that are there.

    times: milliseconds by measure; a peer's begins with PEER, that of another exercise with LIBRARY, and that
    of its solution alone with BARE. rates: of "floor" and "library" per second, a number for each round.
    """
    library = median(times["library"])
    found = []
    if "floor" in times:
        floor = median(times["floor"])
        found += [
            Ratio("library p50 / floor p50", library / floor, 1.5),
            Ratio("library p99 / floor p50", percentile(times["library"], 0.99) / floor, 4),
            Ratio("HTTP p50 / floor p50", median(times["http"]) / floor, 4),
            Ratio("bare fork of our own / floor p50", median(times["bare floor"]) / floor),
        ]
    if "floor" in rates:
        pairs = zip(rates["library"], rates["floor"], strict=True)
        busy = times["library, two at a time"]
        found += [
            Ratio(
                "two at a time: library/s / floor/s",
                median([ours / most for ours, most in pairs]),
                0.45,
                False,
            ),
            Ratio("two at a time: slowest / median", max(busy) / median(busy), 10),
        ]
    if "library, among loops" in times:
        found.append(
            Ratio(
                "among four that loop and sleep: p50 / p50",
                median(times["library, among loops"]) / library,
                5,
            )
        )
    for name in (name.removeprefix(BARE) for name in times if name.startswith(BARE)):
        ours, alone = median(times[f"{LIBRARY}{name}"]), median(times[f"{BARE}{name}"])
        found.append(Ratio(f"{name}: library p50 / its solution alone", ours / alone))
    peers = [
        Ratio(f"{name.removeprefix(PEER)} / library p50", median(samples) / library)
        for name, samples in times.items()
        if name.startswith(PEER)
    ]
    if peers:
        peers.sort(key=lambda peer: peer.value)
        found += [*peers, Ratio("soonest of these / library p50", peers[0].value, 100, False)]
    return found


def table(rows: Sequence[Ratio]) -> str:
    """Names, values, aims and whether they are met, in columns."""
    width = max(len(name) for name in (_HEAD, *(row.name for row in rows)))
    lines = [f"{_HEAD:{width}}  measured  aim"]
    for row in rows:
        line = f"{row.name:{width}}  {row.value:8.2f}"
        if row.aim is not None:
            line += (
                f"  {'at most' if row.at_most else 'at least'} {row.aim:g}: {'met' if row.met else 'MISSED'}"
            )
        lines.append(line)
    return "\n".join(lines)
