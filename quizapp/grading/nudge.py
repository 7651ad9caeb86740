"""A word to the grading worker, over its socket: this row waits.

The row is the truth; a lost word costs a few seconds.

One line each way: "submission 42\n", and back "stored\n" when its verdict is stored, or "later\n".
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quizapp.config import Settings
from quizapp.submissions.models import FlightKind

STORED = b"stored\n"
LATER = b"later\n"
_LONGEST_PATH = 100  # sockaddr_un holds 108 bytes


@contextmanager
def address_of(path: Path) -> Iterator[str]:
    """A name for the socket at `path` that fits a socket address, however deep the folder is."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def nudge_and_wait(settings: Settings, kind: FlightKind, id_: int, seconds: float) -> bool:
    """Tell the worker about a committed row and wait up to `seconds` for its end; 0 tells and does not wait.

    Returns: whether the verdict or report is stored. False as well where no worker listens: the row waits.
    """
    ends_at = time.monotonic() + seconds
    try:
        with (
            socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection,
            address_of(settings.worker_socket) as address,
        ):
            # A listening worker takes a connection at once; one whose backlog is full is not waited for.
            connection.settimeout(max(seconds, 0.05))
            connection.connect(address)
            connection.sendall(f"{FlightKind(kind).value} {id_}\n".encode())
            left = ends_at - time.monotonic()
            if left <= 0:
                return False
            connection.settimeout(left)
            return connection.recv(len(STORED)) == STORED
    except OSError:
        return False
