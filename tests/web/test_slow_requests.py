"""Requests that never end: the web server in a process of its own, with as few threads as it can have."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import Engine

from quizapp.config import Settings

PATIENCE = 60  # seconds before a test gives up
START = "from quizapp import wsgi; wsgi.REQUEST_SECONDS = 1; wsgi.main()"
HALVES = {
    "a header": b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "a form": b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 1000\r\n\r\nemail=",
}


@pytest.fixture
def address(settings: Settings, engine: Engine) -> Iterator[tuple[str, int]]:
    """Where a web server with one process and two threads answers."""
    reader, writer = os.pipe()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = subprocess.Popen(
            [sys.executable, "-c", START, "--listening", str(listening.fileno()), "--ready", str(writer)],
            env={
                **os.environ,
                "QUIZAPP_DATA": str(settings.data),
                "QUIZAPP_EXERCISES": str(settings.exercises),
                "QUIZAPP_WEB_WORKERS": "1",
                "QUIZAPP_WEB_THREADS": "2",
            },
            pass_fds=(listening.fileno(), writer),
        )
        os.close(writer)
        try:
            assert os.read(reader, 1)
            yield listening.getsockname()
        finally:
            os.close(reader)
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_half_requests_do_not_hold_the_threads_for_ever(address: tuple[str, int], half: bytes) -> None:
    with ExitStack() as open_ones:
        first, second, last = (
            open_ones.enter_context(socket.create_connection(address, PATIENCE)) for _ in range(3)
        )
        first.sendall(half)
        second.sendall(half)
        last.sendall(b"GET /sign-in HTTP/1.0\r\nHost: x\r\n\r\n")
        assert b"200 OK" in last.recv(100)
