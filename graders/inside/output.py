"""The learner's standard streams: UTF-8, line by line, and remembered as far as a check may ask for it."""

from __future__ import annotations

import io
import sys
from typing import Any

from graders.inside.own import keep_builtins

keep_builtins(globals())

MAX_KEPT = 64 * 1024  # bytes of printed output that a check can see, inclusive


class _Recorder(io.FileIO):
    """Descriptor 1, with a memory of its first MAX_KEPT bytes.

    What is written to the descriptor directly is not seen.
    """

    def __init__(self) -> None:
        super().__init__(1, "w", closefd=False)
        self.kept = bytearray()

    def write(self, data: Any) -> int:
        room = MAX_KEPT - len(self.kept)
        if room > 0:
            self.kept += bytes(data[:room])
        done = 0
        view = memoryview(data).cast("B")
        while done < len(view):
            done += super().write(view[done:]) or 0  # a pipe may take a part only
        return done


class Streams:
    """Fresh text streams in `sys`, held on to whatever the learner's code puts there later."""

    def __init__(self) -> None:
        self._recorder = _Recorder()
        buffered = io.BufferedWriter(self._recorder, 8192)
        self.stdout = io.TextIOWrapper(buffered, encoding="utf-8", errors="replace", line_buffering=True)
        raw = io.FileIO(2, "w", closefd=False)
        self.stderr = io.TextIOWrapper(
            io.BufferedWriter(raw, 8192), encoding="utf-8", errors="replace", line_buffering=True
        )
        sys.stdout = sys.__stdout__ = self.stdout  # type: ignore[misc]
        sys.stderr = sys.__stderr__ = self.stderr  # type: ignore[misc]

    def flush(self) -> None:
        """Send on what is buffered, also in a stream of the learner's own making."""
        for stream in (sys.stdout, sys.stderr, self.stdout, self.stderr):
            try:
                stream.flush()
            except (
                BaseException
            ):  # closed, replaced by anything, or raising on purpose: the text is theirs to lose
                continue

    def printed(self, since: int = 0) -> str:
        """What has been printed from byte `since` on, as far as it is kept."""
        return self._recorder.kept[since:].decode("utf-8", "replace")

    @property
    def position(self) -> int:
        """How many bytes of printed output are kept so far."""
        return len(self._recorder.kept)
