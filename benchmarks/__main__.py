"""How long a verdict takes, against the least and the most that it could take, all in one run.

    python -m benchmarks [--peers]

Prints one JSON object a line, and on the error output a table of the ratios; docs/developing.md says what
each measure is. Each round goes through all measures, so that a machine that slows down is slow for all of
them: trust the ratios.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import among_loops, memory, sustained
from benchmarks.bare import PROJECT, BareForks
from benchmarks.faults import NotMeasured
from benchmarks.numbers import summary
from benchmarks.peers import tools
from benchmarks.ratios import BARE, LIBRARY, PEER, ratios, table
from benchmarks.server import Learner, running
from graders.exercise import Exercise, load_exercise
from graders.grader import Grader
from graders.sandbox.floor import SNIPPET
from graders.sandbox.syscalls import SandboxError

COURSE = PROJECT / "exercises" / "dynamic-graphs"
EXERCISE = COURSE / "branch-gradient"
OTHERS = (
    COURSE / "missing-requires-grad",
    COURSE / "tracked-addition",
    COURSE / "dynamic-model",
    COURSE / "padded-batch",
    PROJECT / "benchmarks" / "exercises" / "fit-a-line",  # the course has none with an optimizer
)
ROUNDS = 8
SAMPLES = 30  # of floor and library in each round: enough for a 99th percentile in seven rounds
HTTP_SAMPLES = 10
OTHER_SAMPLES = 3
LOOPS_SAMPLES = 60
PEER_ROUNDS = (0, 2, 4, 6)  # in which the peers grade too, once each
PAUSE_SECONDS = 0.05  # between two samples: a light load, under which jails are made ready in the background
FLOOR_SECONDS, SUSTAINED_SECONDS = 0.6, 1.5  # of each round, without a pause
BUDGET_SECONDS = 190  # no round begins later than this, so that all of it stays within about four minutes

Times = dict[str, list[float]]


def main() -> int:
    """Measure and print. Returns the exit code: 2 if something could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--peers", action="store_true", help="only what other graders are compared with")
    peers_only: bool = parser.parse_args().peers
    times: Times = defaultdict(list)
    rates: Times = defaultdict(list)  # per second
    try:
        if peers_only:
            measure_peers(times)
        else:
            measure_all(times, rates)
    except (NotMeasured, SandboxError) as problem:
        print(problem, file=sys.stderr)
        return 2
    for name, samples in times.items():
        show({"measure": name, **summary(samples)})
    for name, samples in rates.items():
        show({"measure": f"{name} per second, two at a time", "rounds": [round(rate, 1) for rate in samples]})
    found = ratios(times, rates)
    for ratio in found:
        show(ratio.to_json())
    print(f"\n{table(found)}", file=sys.stderr)
    return 0


def show(line: dict[str, Any]) -> None:
    """One line of the output, at once."""
    print(json.dumps(line), flush=True)


def measure_all(times: Times, rates: Times) -> None:
    """Everything. A first round warms caches and is not counted."""
    exercise, others = load_exercise(EXERCISE), [load_exercise(folder) for folder in OTHERS]
    show(memory.template_start())
    show(memory.in_flight(exercise))
    end = time.monotonic() + BUDGET_SECONDS
    with Grader(among_loops.SLOTS) as grader:
        count = LOOPS_SAMPLES
        times["library"] += calmly(count, lambda: sustained.graded(grader, exercise))[count // 2 :]
        times["library, among loops"] += among_loops.gradings(grader, exercise, count, calmly)
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as port,
        BareForks() as bare,
        Grader() as grader,
        tempfile.TemporaryDirectory() as peers_folder,
    ):
        learner, peers = Learner(port), ready_peers(Path(peers_folder), exercise)
        for number in range(-1, ROUNDS):
            if time.monotonic() > end:
                show({"measure": "rounds", "n": number, "note": f"of {ROUNDS}: this machine is slow"})
                return
            found = light_load(bare, grader, learner, exercise, others)
            floor_rate, stretch = full_load(bare, grader, exercise)
            found["library, two at a time"] = stretch.milliseconds
            if number in PEER_ROUNDS:
                found |= {f"{PEER}{peer.name}": [tools.graded(peer, exercise)] for peer in peers}
            if number >= 0:
                for name, samples in found.items():
                    times[name] += samples
                rates["floor"].append(floor_rate)
                rates["library"].append(stretch.per_second)


def light_load(
    bare: BareForks, grader: Grader, learner: Learner, exercise: Exercise, others: list[Exercise]
) -> Times:
    """One round of all that is measured one at a time, with a pause before each. Milliseconds by measure."""
    found = {
        "floor": calmly(SAMPLES, lambda: grader.floor_sample(1)[0]),
        "library": calmly(SAMPLES, lambda: sustained.graded(grader, exercise)),
        "http": calmly(HTTP_SAMPLES, lambda: learner.submit(exercise.id, exercise.solution)),
        "bare floor": calmly(OTHER_SAMPLES, lambda: bare.milliseconds(SNIPPET)),
    }
    for other in others:
        found[f"{BARE}{other.id}"] = calmly(OTHER_SAMPLES, partial(bare.milliseconds, other.solution))
        found[f"{LIBRARY}{other.id}"] = calmly(OTHER_SAMPLES, partial(sustained.graded, grader, other))
    return found


def full_load(bare: BareForks, grader: Grader, exercise: Exercise) -> tuple[float, sustained.Sustained]:
    """One round of two at a time: what the floor does per second, and a stretch of gradings."""
    rate = bare.per_second(SNIPPET, seconds=FLOOR_SECONDS, at_once=sustained.AT_ONCE)
    return rate, sustained.gradings(grader, exercise, seconds=SUSTAINED_SECONDS)


def measure_peers(times: Times) -> None:
    """The library under light load and its peers, in turn."""
    exercise = load_exercise(EXERCISE)
    with tempfile.TemporaryDirectory() as folder, Grader() as grader:
        peers = ready_peers(Path(folder), exercise)
        calmly(SAMPLES, lambda: sustained.graded(grader, exercise))  # warms caches
        for _ in PEER_ROUNDS:
            times["library"] += calmly(SAMPLES, lambda: sustained.graded(grader, exercise))
            for peer in peers:
                times[f"{PEER}{peer.name}"].append(tools.graded(peer, exercise))


def ready_peers(folder: Path, exercise: Exercise) -> list[tools.Tool]:
    """Those that work here; a line of output for each that is skipped."""
    peers, skipped = tools.ready(folder, exercise)
    for name, why in skipped.items():
        show({"measure": f"{PEER}{name}", "skipped": why})
    return peers


def calmly(count: int, sample: Callable[[], float]) -> list[float]:
    """So many samples, with a pause before each."""
    samples = []
    for _ in range(count):
        time.sleep(PAUSE_SECONDS)
        samples.append(sample())
    return samples


if __name__ == "__main__":
    sys.exit(main())
