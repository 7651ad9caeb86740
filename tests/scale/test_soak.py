"""Many gradings, honest and hostile mixed: afterwards the grader is what it was before.

A short form runs with the suite. `make soak` grades 5,000 honest and 500 hostile answers and prints what it
measured (QUIZAPP_SOAK=HONEST,HOSTILE).
"""

from __future__ import annotations

import gc
import os
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from graders.exercise import Exercise, Limits, load_exercise
from graders.grader import Grader
from graders.verdict import Status

pytestmark = pytest.mark.sandbox

HERE = Path(__file__).resolve().parent
EXERCISE = HERE.parents[1] / "exercises" / "dynamic-graphs" / "branch-gradient"
HONEST, HOSTILE = map(int, os.environ.get("QUIZAPP_SOAK", "150,20").split(","))
QUICK = Limits(cpu_seconds=1, wall_seconds=1.5, memory_mib=128)
GROWTH_MIB = 24  # what caches and the allocator may keep, however many gradings there were

ATTACKS = {
    "loops": "while True: pass\n",
    "sleeps": "import time\ntime.sleep(60)\n",
    "forks": "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n",
    "daemon": (
        "import os, time\ntry:\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(60)\n"
        "except OSError:\n    pass\nraise SystemExit\n"
    ),
    "memory": "held = [bytearray(1 << 20) for _ in range(10_000)]\n",
    "output": "while True: print('x' * 10_000)\n",
    "files": (
        "import tempfile\nfor n in range(100_000):\n"
        "    open(f'{tempfile.gettempdir()}/{n}', 'wb').write(bytes(4096))\n"
    ),
    "ends": "import os\nos._exit(0)\n",
    "crashes": "import ctypes\nctypes.string_at(0)\n",
    "descriptors": "held = [open('/dev/null') for _ in range(1000)]\n",
    "channel": "import os\nos.write(3, b'\\xff' * 1000)\n",
    "closes": "import os\nos.closerange(0, 1000)\nwhile True: pass\n",
}


@dataclass(frozen=True)
class Seen:
    """What a grader holds on to. Memory in MiB."""

    own_mib: float
    template_mib: float
    descriptors: int
    processes: Counter[str]
    folders: int


def test_a_grader_is_after_a_soak_what_it_was_before(capsys: pytest.CaptureFixture[str]) -> None:
    exercise = replace(load_exercise(EXERCISE), limits=QUICK)
    draw = random.Random(1)
    jobs = [exercise.solution] * HONEST + [draw.choice(list(ATTACKS.values())) for _ in range(HOSTILE)]
    draw.shuffle(jobs)
    with Grader(slots=4) as grader:
        _grade_all(grader, exercise, jobs[: len(jobs) // 10])  # caches fill
        before = _settled(grader)
        start = time.monotonic()
        ended = _grade_all(grader, exercise, jobs)
        seconds = time.monotonic() - start
        after = _settled(grader)
        last = grader.grade(exercise, exercise.solution)

    with capsys.disabled():
        print(
            f"\n{len(jobs)} gradings in {seconds:.0f} s, ended as {dict(ended)}"
            f"\nbefore {before}\nafter  {after}"
        )
    assert last.status is Status.PASSED
    assert ended[Status.PASSED] == HONEST
    assert ended[Status.BROKEN] == ended[Status.FAULT] == 0
    assert after.descriptors == before.descriptors
    assert after.processes == before.processes
    assert after.folders == before.folders
    assert after.own_mib < before.own_mib + GROWTH_MIB
    assert after.template_mib < before.template_mib + GROWTH_MIB


def _grade_all(grader: Grader, exercise: Exercise, sources: list[str]) -> Counter[Status]:
    with ThreadPoolExecutor(4) as pool:
        return Counter(pool.map(lambda source: grader.grade(exercise, source).status, sources))


def _settled(grader: Grader) -> Seen:
    """Once what was used has been cleared away, and what waits ready has been made."""
    nursery = grader._nursery
    end = time.monotonic() + 60
    while time.monotonic() < end:
        full = all(len(waiting) == nursery._wanted for waiting in nursery._ready.values())
        if full and not nursery._retired and not nursery._leaving and nursery._successor is None:
            break
        time.sleep(0.1)
    time.sleep(1)
    gc.collect()
    pidfd, folder = nursery._template.pidfd, nursery._template._folder
    assert pidfd is not None
    fdinfo = Path(f"/proc/self/fdinfo/{pidfd}").read_text()
    template = int(fdinfo.split("Pid:")[1].split()[0])
    return Seen(
        _resident_mib(os.getpid()),
        _resident_mib(template),
        len(os.listdir("/proc/self/fd")),
        _processes_below({os.getpid(), template}),
        len(os.listdir(folder)) if os.path.isdir(folder) else 0,
    )


def _resident_mib(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"process {pid} has no memory")


def _processes_below(roots: set[int]) -> Counter[str]:
    """How many processes there are below these, themselves included."""
    parents, states = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            states[int(entry.name)], parents[int(entry.name)] = fields[0], int(fields[1])
    below = set(roots)
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return Counter("zombie" if states[child] == "Z" else "alive" for child in below)
