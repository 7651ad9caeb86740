"""docs/security.md: its text, which is docs/security.md.in, with tables of what was tried and found."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from graders.sandbox.level import Level
from graders.sandbox.policy import MOST, Policy
from graders.sandbox.seal import LAYERS
from graders.wire import MAX_FRAME

PROJECT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = PROJECT / "docs" / "security.md"
TEXT: Final = PROJECT / "docs" / "security.md.in"

_ANYWAY: Final = " (the machine refuses it anyway)"


@dataclass(frozen=True)
class Found:
    """What one run found.

    corpus: a dict for each program, with its class, its status, and whether it was contained.
    doctor: the report of `quizapp doctor --json`.
    """

    level: Level
    user: str
    corpus: list[dict[str, Any]]
    doctor: dict[str, Any]

    @property
    def title(self) -> str:
        """How a column is headed."""
        return f"{self.level}, {self.user}"


def corpus_table(found: list[Found]) -> str:
    """Class, number of programs, and of each run how many were contained and how they ended."""
    rows = [["class", "programs", *(f"contained at {run.title}" for run in found), "they ended as"]]
    for name in sorted({entry["class"] for run in found for entry in run.corpus}):
        of_class = [[entry for entry in run.corpus if entry["class"] == name] for run in found]
        ended = Counter(entry["status"] for entries in of_class for entry in entries)
        rows.append(
            [
                name,
                str(max(len(entries) for entries in of_class)),
                *(str(sum(entry["contained"] for entry in entries)) for entries in of_class),
                ", ".join(status for status, _count in ended.most_common()),
            ]
        )
    return _table(rows)


def layers_table() -> str:
    """Which layers a jail puts on at each level, in their order, from their own descriptions."""
    order = list(LAYERS[Level.FULL])
    for level in Level:
        for layer in LAYERS[level]:
            if layer not in order:
                order.insert(order.index(LAYERS[level][LAYERS[level].index(layer) - 1]) + 1, layer)
    rows = [["layer", "what it does", *Level]]
    for layer in order:
        told = " ".join((layer.__doc__ or "").split())
        rows.append(
            [layer.__name__.replace("_", " "), told, *("yes" if layer in LAYERS[at] else "" for at in Level)]
        )
    return _table(rows)


def limits_table() -> str:
    """Every limit, its usual value, and the most that an exercise may ask for."""
    usual = Policy()
    rows = [
        ["limit", "usual", "an exercise may ask for", "what the learner's code ends as"],
        ["wall clock", f"{usual.wall_seconds:g} s", f"{MOST.wall_seconds:g} s", "timeout"],
        ["processor time of a process", f"{usual.cpu_seconds} s", f"{MOST.cpu_seconds:g} s", "timeout"],
        ["memory of all its processes", f"{usual.memory_mib} MiB", f"{MOST.memory_mib} MiB", "memory"],
        ["processes and threads", f"{usual.processes}", f"{MOST.processes}", "too-many-processes"],
        [
            "output",
            f"{usual.output_bytes >> 20} MiB, of which {usual.kept_output_bytes >> 10} KiB are kept",
            f"{2 * MOST.output_kib} KiB, of which half is kept",
            "output-limit",
        ],
        ["open files", f"{usual.open_files}", f"{MOST.open_files}", "forbidden"],
        ["one file", f"{usual.file_mib} MiB", f"{MOST.disk_mib} MiB", "forbidden"],
        [
            "all temporary files",
            f"{usual.temporary_mib} MiB, {usual.temporary_files:,} files",
            f"{MOST.disk_mib} MiB",
            "forbidden",
        ],
        ["one message between the processes", f"{MAX_FRAME >> 20} MiB", "", "a failed check, in words"],
    ]
    return _table(rows)


def walls_table(found: list[Found]) -> str:
    """Each attempt of the doctor: what stopped it at each level, and whether it succeeded without that."""
    attempts = list(dict.fromkeys(wall["attempt"] for run in found for wall in run.doctor["walls"]))
    rows = [["an attempt to", *(run.title for run in found)]]
    for attempt in attempts:
        cells = []
        for run in found:
            wall = next((wall for wall in run.doctor["walls"] if wall["attempt"] == attempt), None)
            cells.append("" if wall is None else _cell(wall))
        rows.append([attempt, *cells])
    return _table(rows)


def _cell(wall: dict[str, Any]) -> str:
    if not wall["ok"]:
        return "**not stopped**"
    return str(wall["layer"]) + ("" if wall["proved"] else _ANYWAY)


def _tables(found: list[Found]) -> dict[str, str]:
    return {
        "LAYERS": layers_table(),
        "LIMITS": limits_table(),
        "WALLS": walls_table(found),
        "CORPUS": corpus_table(found),
    }


def write(found: list[Found]) -> None:
    """Write the page anew."""
    text = TEXT.read_text()
    for name, table in _tables(found).items():
        text = text.replace(f"@{name}@\n", table + "\n")
    PAGE.write_text(text)


def difference(found: list[Found]) -> str:
    """The first row that was found and that the page does not hold; "" if there is none.

    How the programs of a class ended may vary, and what a machine refuses anyway differs between machines.
    """
    page = {_comparable(line) for line in PAGE.read_text().splitlines()}
    rows = (line for table in _tables(found).values() for line in table.splitlines())
    return next((row for row in rows if _comparable(row) not in page), "")


def _comparable(row: str) -> str:
    return re.sub(r"^(\| \w+ \| \d+ \|.*\|)[^|]*\|$", r"\1", row.replace(_ANYWAY, ""))


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines) + "\n"
