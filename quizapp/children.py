"""Child processes that live as long as we do: started, watched, started again, and ended with us."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 60.0  # after this long alive, the next end is a new story and not the same fault again


def pause_before_restart(last: float, lived: float) -> float:
    """Seconds to wait before a child is started again.

    last: the pause before its latest start, 0 for its first. lived: seconds that it ran; from STEADY_SECONDS
    on the pauses begin again with the shortest.
    """
    if last <= 0 or lived >= STEADY_SECONDS:
        return FIRST_PAUSE_SECONDS
    return min(2 * last, LONGEST_PAUSE_SECONDS)


@dataclass
class Child:
    """One child process. `name` is what people read of it, as in "the web server"."""

    name: str
    command: Sequence[str]
    inherits: Sequence[int] = ()
    process: subprocess.Popen[bytes] | None = None
    start_at: float | None = None  # when to start it again, on the monotonic clock; None while it runs
    _started: float = field(default=0.0, repr=False)
    _pause: float = field(default=0.0, repr=False)

    def start(self) -> None:
        """Start it in a session of its own: a Ctrl-C in the terminal reaches us, and we end it in order."""
        parent = os.getpid()

        def end_with_parent() -> None:
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != parent:  # it died before the line above
                os._exit(1)

        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.DEVNULL,
            pass_fds=self.inherits,
            start_new_session=True,
            preexec_fn=end_with_parent,  # noqa: PLW1509  # we start no threads
        )
        self._started = time.monotonic()
        self.start_at = None

    @property
    def pid(self) -> int | None:
        """Its process id, or None if it does not run."""
        return self.process.pid if self.process is not None and self.process.poll() is None else None

    def ended(self) -> str | None:
        """How it ended, in words; None while it runs, and once its next start is planned."""
        if self.process is None or self.start_at is not None or self.process.poll() is None:
            return None
        self._kill_what_is_left()
        code = self.process.returncode
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def start_later(self) -> float:
        """Plan its next start; returns the seconds until then."""
        now = time.monotonic()
        self._pause = pause_before_restart(self._pause, now - self._started)
        self.start_at = now + self._pause
        return self._pause

    def ask_to_end(self) -> None:
        """Send SIGTERM."""
        if self.pid is not None and self.process is not None:
            self.process.terminate()

    def wait(self, until: float) -> None:
        """Wait for its end, until `until` on the monotonic clock; then end it and all it started by force."""
        if self.process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, until - time.monotonic()))
        self._kill_what_is_left()
        self.process.wait()

    def _kill_what_is_left(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
