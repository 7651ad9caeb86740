"""How long a verdict takes, against the least and the most that it could take, all in one run.

    python -m benchmarks

Prints one JSON object a line; docs/developing.md says what each measure is. Each round goes through all
measures, so that a machine that slows down is slow for all of them: trust the ratios.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.numbers import percentile, summary
from benchmarks.server import Learner, NoVerdict, running
from graders.exercise import Exercise, load_exercise
from graders.grader import Grader
from graders.sandbox.syscalls import SandboxError
from graders.verdict import Status

EXERCISE = Path(__file__).resolve().parent.parent / "exercises" / "dynamic-graphs" / "branch-gradient"
ROUNDS = 12
EACH_ROUND = 8  # floors, gradings and submissions; a cold Python is started once a round
PAUSE_SECONDS = 0.05  # between two samples: a light load, under which jails are made ready in the background
BUDGET_SECONDS = 80  # no round begins later than this, so that all of it stays within two minutes

# The same snippet that the floor runs in a fork (graders/sandbox/template.py), as a program of its own.
SNIPPET = """
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
if y.item() > 1.5:
    z = y * 3
else:
    z = y * 4
z.backward()
print(x.grad.item())
"""


def main() -> int:
    """Measure and print. Returns the exit code: 2 if something could not be measured."""
    exercise = load_exercise(EXERCISE)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            running(Path(folder)) as port,
            Grader(slots=1) as grader,
        ):
            times = measure(grader, exercise, Learner(port))
    except (NoVerdict, SandboxError) as problem:
        print(problem, file=sys.stderr)
        return 2
    for name, samples in times.items():
        print(json.dumps({"measure": name, **summary(samples)}))
    print(json.dumps({"measure": "ratios", **ratios(times)}))
    return 0


def measure(grader: Grader, exercise: Exercise, learner: Learner) -> dict[str, list[float]]:
    """Milliseconds of each measure. A first round warms caches and is not counted."""
    times: dict[str, list[float]] = {"floor": [], "library": [], "http": [], "cold": []}
    end = time.monotonic() + BUDGET_SECONDS
    for number in range(-1, ROUNDS):
        if time.monotonic() > end:
            break
        one_round = {
            "floor": calmly(lambda: grader.floor_sample(1)[0]),
            "library": calmly(lambda: through_the_library(grader, exercise)),
            "http": calmly(lambda: learner.submit(exercise.id, exercise.solution)),
            "cold": [cold()],
        }
        if number >= 0:
            for name, samples in one_round.items():
                times[name] += samples
    return times


def calmly(sample: Callable[[], float]) -> list[float]:
    """One round's samples, with a pause before each."""
    samples = []
    for _ in range(EACH_ROUND):
        time.sleep(PAUSE_SECONDS)
        samples.append(sample())
    return samples


def through_the_library(grader: Grader, exercise: Exercise) -> float:
    """Milliseconds from the source to its verdict. Raises: NoVerdict unless it passes."""
    start = time.perf_counter()
    verdict = grader.grade(exercise, exercise.solution)
    milliseconds = (time.perf_counter() - start) * 1000
    if verdict.status is not Status.PASSED:
        raise NoVerdict(f"the solution of {exercise.id} got {verdict.status}: {verdict.summary}")
    return milliseconds


def cold() -> float:
    """Milliseconds of a new Python that imports torch, runs the snippet and ends."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", SNIPPET], check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def ratios(times: dict[str, list[float]]) -> dict[str, float]:
    """The medians against each other."""
    median = {name: percentile(samples, 0.5) for name, samples in times.items()}
    return {
        "library_over_floor": round(median["library"] / median["floor"], 2),
        "http_over_floor": round(median["http"] / median["floor"], 2),
        "cold_over_library": round(median["cold"] / median["library"], 1),
        "cold_over_http": round(median["cold"] / median["http"], 1),
    }


if __name__ == "__main__":
    sys.exit(main())
