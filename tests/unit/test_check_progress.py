"""A bar on a terminal, and nothing anywhere else."""

from __future__ import annotations

import io

from quizapp.catalogue.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_tells_how_far_it_is() -> None:
    terminal = Terminal()
    progress = Progress(4, terminal)
    progress.show()
    progress.step()
    assert terminal.getvalue() == "\r[........................] 0 of 4\r[######..................] 1 of 4"
    progress.clear()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_anywhere_else_it_says_nothing() -> None:
    file = io.StringIO()
    progress = Progress(4, file)
    progress.step()
    progress.clear()
    assert file.getvalue() == ""
