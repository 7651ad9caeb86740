"""Bare forks, asked for: the other end of bare_forks.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.faults import NotMeasured
from graders.sandbox.floor import ENVIRONMENT, SNIPPET

PROJECT = Path(__file__).resolve().parent.parent


class BareForks:
    """A process of its own that forks without isolation. Starting it takes seconds."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-m", "benchmarks.bare_forks"],
            cwd=PROJECT,
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.milliseconds(SNIPPET)  # ready once it has answered

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._process.communicate()  # it ends with its input

    def milliseconds(self, source: str) -> float:
        """Of one fork that runs the source and ends. Raises: NotMeasured, also if the source raises."""
        times: list[float] = self._ask({"source": source, "count": 1})["milliseconds"]
        return times[0]

    def per_second(self, source: str, *, seconds: float, at_once: int) -> float:
        """Forks that ended per second, with so many in flight all the time. Raises: NotMeasured."""
        rate: float = self._ask({"source": source, "seconds": seconds, "at_once": at_once})["per_second"]
        return rate

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps(question), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise NotMeasured(f"the process of bare forks ended with {self._process.wait()}; see above")
        answer: dict[str, Any] = json.loads(line)
        return answer
