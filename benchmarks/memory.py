"""What a template and the two jails of a grading hold in memory, and how long a template takes to start.

Read from /proc/PID/smaps_rollup, which is root's to read. A page that n processes share counts 1/n for each
of them in the proportional set size (PSS); what is private to one is what would be free without it.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.faults import NotMeasured
from benchmarks.numbers import median
from graders.exercise import Exercise
from graders.grading import grade
from graders.sandbox.jail import Jail
from graders.sandbox.level import choose
from graders.sandbox.nursery import Nursery
from graders.sandbox.policy import MIB, Policy
from graders.sandbox.warm import Capacity, Role, Template
from graders.verdict import Status

_CAPACITY = Capacity(4096 * MIB, 256)  # roomy: nothing here comes near it
_STARTS = 3
_GRADINGS = 3
_REST_SECONDS = 1.0

# The checker ends as soon as the last check has: so one more, during which both sides have done their work.
_REST = f"""

@check("a rest")
def rest():
    import time
    time.sleep({_REST_SECONDS})
"""


def template_start() -> dict[str, Any]:
    """Seconds from starting a template until it is ready, the median of a few, and its own memory in MiB."""
    level, seconds, memory = choose(), [], []
    for _ in range(_STARTS):
        start = time.perf_counter()
        template = Template(level, _CAPACITY)
        seconds.append(time.perf_counter() - start)
        try:
            if os.geteuid() == 0 and template.pidfd is not None:
                memory.append(_memory(template.pidfd))
        finally:
            template.close()
    line: dict[str, Any] = {"measure": "template", "n": _STARTS, "start_s": round(median(seconds), 2)}
    return line | (
        {name: median([one[name] for one in memory]) for name in memory[0]} if memory else _unread()
    )


def in_flight(exercise: Exercise) -> dict[str, Any]:
    """The memory of the two jails of one grading after all its checks, the median of a few, in MiB.

    Raises: NotMeasured if the solution does not pass.
    """
    if os.geteuid() != 0:
        return {"measure": "memory in flight", **_unread()}
    resting = replace(exercise, checks=exercise.checks + _REST)
    nursery = _Watched(2)
    found: list[dict[Role, dict[str, float]]] = []
    try:
        for _ in range(_GRADINGS):
            with ThreadPoolExecutor(1) as other:
                grading = other.submit(grade, nursery, resting, exercise.solution, seed="0" * 32)
                time.sleep(_REST_SECONDS / 2)
                found.append({role: _memory(jail.pidfd) for role, jail in nursery.in_use.items()})
                verdict = grading.result()
            if verdict.status is not Status.PASSED:
                raise NotMeasured(f"the solution of {exercise.id} got {verdict.status}: {verdict.summary}")
    finally:
        nursery.close()
    line: dict[str, Any] = {"measure": "memory in flight", "n": _GRADINGS}
    for role in ("learner", "checker"):
        line |= {f"{role}_{name}": median([one[role][name] for one in found]) for name in found[0][role]}
    both = [one["learner"]["pss_mib"] + one["checker"]["pss_mib"] for one in found]
    return line | {"both_pss_mib": round(median(both), 1)}


class _Watched(Nursery):
    """Remembers which of its jails were taken last."""

    def __init__(self, ready: int) -> None:
        self.in_use: dict[Role, Jail] = {}
        super().__init__(ready, choose(), _CAPACITY)

    def take(self, role: Role, policy: Policy) -> Jail:
        """As any nursery's."""
        self.in_use[role] = super().take(role, policy)
        return self.in_use[role]


def _memory(pidfd: int) -> dict[str, float]:
    """Proportional and private memory of the process behind a pidfd, in MiB."""
    fdinfo = Path(f"/proc/self/fdinfo/{pidfd}").read_text()
    pid = next(line.split()[1] for line in fdinfo.splitlines() if line.startswith("Pid:"))
    kib = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        kib[name] = int(rest.split()[0])
    private = kib["Private_Clean"] + kib["Private_Dirty"]
    return {"pss_mib": round(kib["Pss"] / 1024, 1), "private_mib": round(private / 1024, 1)}


def _unread() -> dict[str, str]:
    return {"skipped": "the memory of jails is root's to read"}
