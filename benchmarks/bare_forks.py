"""Forks of a process like the template, without isolation: what any source costs at the least.

Run as `python -X utf8 -m benchmarks.bare_forks` by bare.py, with the template's environment. It imports
what the template imports, warms up as it does, and gathers its memory by the same function. Asked by a line
of JSON on its input, it answers with one:
  {"source", "count"}               {"milliseconds": [of each fork, run and exit, one after the other]}
  {"source", "seconds", "at_once"}  {"per_second": forks that ended in that time, so many in flight}
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import time
from types import CodeType
from typing import Any

from graders.sandbox import template
from graders.sandbox.enter import enter
from graders.sandbox.level import Level


def main() -> None:
    """Serve until the input ends."""
    template.warm_up()
    ours, _theirs = socket.socketpair()
    with tempfile.TemporaryDirectory() as folder:
        enter(Level.PERSONAL, ours, folder)  # the level that only gathers the memory and gives up privileges
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the sources print
    for line in sys.stdin:
        asked = json.loads(line)
        code = compile(asked["source"], "bare.py", "exec", dont_inherit=True)
        print(json.dumps(answer(code, asked)), file=answers, flush=True)


def answer(code: CodeType, asked: dict[str, Any]) -> dict[str, Any]:
    """See above."""
    if "count" in asked:
        return {"milliseconds": [alone(code) for _ in range(asked["count"])]}
    return {"per_second": sustained(code, asked["seconds"], asked["at_once"])}


def alone(code: CodeType) -> float:
    """Milliseconds of one fork, from before it to after its end."""
    start = time.perf_counter()
    expect_success(os.waitpid(fork(code), 0)[1])
    return (time.perf_counter() - start) * 1000


def sustained(code: CodeType, seconds: float, at_once: int) -> float:
    """How many ended per second, the next one forked as soon as one has ended."""
    for _ in range(at_once):
        fork(code)
    ended, start = 0, time.perf_counter()
    while (now := time.perf_counter()) < start + seconds:
        expect_success(os.wait()[1])
        ended += 1
        fork(code)
    for _ in range(at_once):
        expect_success(os.wait()[1])
    return ended / (now - start)


def fork(code: CodeType) -> int:
    """Start one; returns its pid."""
    pid = os.fork()
    if pid == 0:
        try:
            exec(code, {"__name__": "__main__"})
        except BaseException:
            os._exit(1)
        os._exit(0)
    return pid


def expect_success(status: int) -> None:
    """A source that fails sooner would look fast. Raises: ChildProcessError."""
    if status:
        raise ChildProcessError(f"a bare fork ended with status {status}")


if __name__ == "__main__":
    main()
