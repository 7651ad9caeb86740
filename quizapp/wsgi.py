"""The web server: gunicorn with threads, set up in code. `quizapp serve` starts it as a child of its own."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]

from quizapp import create_app
from quizapp.config import ConfigError, Settings

GRACEFUL_SECONDS = 3  # a view waits at most a second for a verdict, so a request in its middle ends in time
REQUEST_SECONDS = 30  # for one request, from its first byte to the last of its answer


class PatientToAPoint(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Hangs up on whoever takes too long over one request, and so holds a thread.

    Gunicorn's own limits cover connections between two requests, not half a header or half a form.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._until: dict[TConn, float] = {}

    def handle(self, conn: TConn) -> Any:
        """Read and answer one request, in a thread."""
        self._until[conn] = time.monotonic() + REQUEST_SECONDS
        try:
            return super().handle(conn)
        finally:
            del self._until[conn]

    def murder_keepalived(self, *args: Any, **kwargs: Any) -> None:
        """What gunicorn does at least once a second; here also the hanging up."""
        super().murder_keepalived(*args, **kwargs)
        now = time.monotonic()
        for conn, until in self._until.copy().items():
            if until <= now:
                with suppress(OSError):  # its thread may be done with it just now
                    conn.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread, which closes it


class WebServer(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Serves the app on a socket that is already listening.

    listening, ready: descriptors of that socket, and of a pipe that gets a byte when requests are answered.
    """

    def __init__(self, settings: Settings, *, listening: int, ready: int) -> None:
        self._settings = settings
        self._listening = listening
        self._ready = ready
        super().__init__()

    def load_config(self) -> None:
        """Gunicorn's settings; nothing is read from its own files or variables."""
        for name, value in {
            "bind": f"fd://{self._listening}",
            "worker_class": PatientToAPoint,
            "workers": self._settings.web_workers,
            "threads": self._settings.web_threads,
            "preload_app": True,  # the content is loaded once, and its memory shared
            "timeout": 60,
            "graceful_timeout": GRACEFUL_SECONDS,
            "keepalive": 5,
            "loglevel": "warning",
            "proc_name": "quizapp web",
            # Heartbeats are written to a file: on a slow disk that alone can make a worker look dead.
            "worker_tmp_dir": "/dev/shm" if Path("/dev/shm").is_dir() else None,
            # Whether a proxy is believed, quizapp.security decides from the settings. Gunicorn would believe
            # anybody on this machine who says that a request came by https.
            "forwarded_allow_ips": "",
            "secure_scheme_headers": {},
            "forwarder_headers": "",
            "control_socket_disable": True,
            "post_worker_init": self._say_ready,
        }.items():
            if name in self.cfg.settings:  # older versions have no control socket
                self.cfg.set(name, value)

    def load(self) -> Flask:
        """The app that the server's processes share."""
        return create_app(self._settings)

    def _say_ready(self, _worker: Any) -> None:
        # Nobody may be listening any more when a later worker takes the place of one that died.
        with suppress(OSError):
            os.write(self._ready, b"1")


def main() -> None:
    """Run the server until SIGTERM."""
    parser = argparse.ArgumentParser(prog="python -m quizapp.wsgi", description=__doc__)
    parser.add_argument("--listening", type=int, required=True, help="descriptor of the listening socket")
    parser.add_argument("--ready", type=int, required=True, help="descriptor that is told when all is ready")
    options = parser.parse_args()
    try:
        settings = Settings.from_environ()
    except ConfigError as error:
        sys.exit(f"quizapp: {error}")
    WebServer(settings, listening=options.listening, ready=options.ready).run()


if __name__ == "__main__":
    main()
