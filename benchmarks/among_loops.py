"""An honest grading while four that loop and sleep are under way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from benchmarks.sustained import graded
from graders.exercise import Exercise
from graders.grader import Grader

AT_ONCE: Final = 4
SLOTS: Final = AT_ONCE + 2
_HOSTILE: Final = ("while True: pass\n", "import time\ntime.sleep(60)\n")
_UNDER_WAY_SECONDS: Final = 0.5


def gradings(
    grader: Grader, exercise: Exercise, count: int, calmly: Callable[[int, Callable[[], float]], list[float]]
) -> list[float]:
    """Milliseconds of `count` honest gradings, while two programs that loop and two that sleep are graded.

    Each is sent again as soon as it has been stopped. grader: with SLOTS slots.
    """
    stop = threading.Event()

    def send(source: str) -> None:
        while not stop.is_set():
            grader.grade(exercise, source)

    threads = [
        threading.Thread(target=send, args=(_HOSTILE[number % 2],), daemon=True) for number in range(AT_ONCE)
    ]
    for thread in threads:
        thread.start()
    time.sleep(_UNDER_WAY_SECONDS)
    try:
        return calmly(count, lambda: graded(grader, exercise))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
