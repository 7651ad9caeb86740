"""How far a long check is, on a terminal: one line that is written over again and again."""

from __future__ import annotations

from typing import Final, TextIO

_BAR: Final = 24  # signs


class Progress:
    """A bar on `stream`; nothing at all where that is no terminal."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._done = 0
        self._stream = stream if stream.isatty() else None

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        self.show()

    def show(self) -> None:
        """Write the bar below what has been printed."""
        if self._stream is not None:
            full = _BAR * self._done // max(1, self._total)
            self._stream.write(f"\r[{'#' * full}{'.' * (_BAR - full)}] {self._done} of {self._total}")
            self._stream.flush()

    def clear(self) -> None:
        """Take the bar away, so that something can be printed in its place."""
        if self._stream is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
