"""`quizapp serve`: migrate, load the content, start web server and grading worker, keep both running."""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from graders.grader import Level, SandboxError
from quizapp.accounts import links, queries
from quizapp.accounts.rules import FIRST_LINK_HOURS
from quizapp.addresses import is_loopback, local_address
from quizapp.catalogue import Catalogue
from quizapp.children import Child
from quizapp.config import Settings
from quizapp.db import make_engine
from quizapp.grading.nudge import address_of
from quizapp.grading.walls import NOTICE, is_reached_by_others, level_for
from quizapp.migrate import MigrationError, upgrade

START_SECONDS = 120  # importing torch from a cold disk takes its time
STOP_SECONDS = 8
_CANNOT_START = 2


class ServeError(Exception):
    """It cannot start; the text says why and what to do."""


def serve(settings: Settings) -> int:
    """Serve until SIGINT or SIGTERM, then return 0; 2 if it could not start, which it has said by then.

    settings: those of the environment, which the children read again.
    """
    with _signals() as signals:
        try:
            level = _prepare(settings)
            listening = _listen(settings.host, settings.port)
        except ServeError as error:
            _say(f"quizapp: {error}")
            return _CANNOT_START
        with listening:
            _say("quizapp starts; the grader imports PyTorch, which takes some seconds")
            if level is Level.PERSONAL:
                _say(NOTICE)
            return _Server(settings, listening, signals).run()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _prepare(settings: Settings) -> Level:
    """Bring the database up to date, and name what is wrong with the content. Returns the sandbox's level."""
    if settings.author and is_reached_by_others(settings):
        raise ServeError(
            "--author shows solutions, so it serves on this machine alone: leave QUIZAPP_HOST and "
            "QUIZAPP_TRUSTED_PROXIES out"
        )
    try:
        level = level_for(settings)
    except SandboxError as error:
        raise ServeError(
            f"nothing can be graded: {error}. `quizapp doctor` says what is missing and what to do."
        ) from error
    try:
        upgrade(settings)
    except MigrationError as error:
        raise ServeError(str(error)) from error
    except (OSError, SQLAlchemyError) as error:
        cause = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise ServeError(
            f"the database {settings.database_path} cannot be used ({cause}). Set QUIZAPP_DATA to a folder of"
            " your own, or make this one writable for the user who runs quizapp."
        ) from error
    for problem in Catalogue(settings.exercises).problems():
        _say(f"content: {problem}")
    return level


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket. It is ours and not the web server's: that one may be restarted behind it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise ServeError(
            f"QUIZAPP_HOST is {host!r}, which is no address of this machine ({error.strerror})."
        ) from error
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(512)
    except OSError as error:
        listening.close()
        raise ServeError(_why_not_bound(error, host, port)) from error
    return listening


def _why_not_bound(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} at {host} is in use. Stop what uses it, or choose another one: PORT={port + 1}."
    if error.errno == errno.EACCES:
        return f"port {port} needs rights that this user has not. Choose one from 1024 on, such as PORT=5000."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this machine. Set QUIZAPP_HOST to one that is, such as 127.0.0.1."
    return (
        f"nothing can listen at {host}, port {port} ({error.strerror}). Set QUIZAPP_HOST and PORT to others."
    )


@dataclass
class _Signals:
    """What we were told by signals; `wake` becomes readable with each."""

    wake: socket.socket
    stops: int = 0


@contextmanager
def _signals() -> Iterator[_Signals]:
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        state = _Signals(reader)

        def note(number: int, _frame: FrameType | None) -> None:
            if number != signal.SIGCHLD:
                state.stops += 1

        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
        before = {number: signal.signal(number, note) for number in numbers}
        old = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield state
        finally:
            signal.set_wakeup_fd(old)
            for number, handler in before.items():
                signal.signal(number, handler)


class _Server:
    """The two children and the story of their lives."""

    def __init__(self, settings: Settings, listening: socket.socket, signals: _Signals) -> None:
        self._settings = settings
        self._signals = signals
        self._ready, ready_write = os.pipe()
        # -P: a folder "quizapp" that happens to be where we are started is not imported instead of us.
        module = (sys.executable, "-P", "-m")
        fds = (listening.fileno(), ready_write)
        self._web = Child(
            "the web server",
            [*module, "quizapp.wsgi", "--listening", str(fds[0]), "--ready", str(fds[1])],
            inherits=fds,
        )
        self._worker = Child("the grading worker", [*module, "quizapp.cli", "worker"])
        self._children = (self._worker, self._web)

    def run(self) -> int:
        """Start, watch, stop."""
        try:
            for child in self._children:
                child.start()
            failed = self._wait_until_ready()
            if failed is not None:
                if failed:
                    _say(failed)
                return _CANNOT_START
            if not self._signals.stops:
                self._welcome()
            while not self._signals.stops:
                self._keep_running()
            return 0
        finally:
            self._stop()

    def _wait_until_ready(self) -> str | None:
        """Wait for both. Returns what went wrong, empty if the child said it, or None; also at a signal."""
        until = time.monotonic() + START_SECONDS
        web = worker = False
        while not self._signals.stops:
            for child in self._children:
                how = child.ended()
                if how == f"exit code {_CANNOT_START}":
                    return ""
                if how is not None:
                    return f"quizapp: {child.name} could not start ({how}); what it said is above."
            web = web or self._pause(0.1)
            worker = worker or self._worker_listens()
            if web and worker:
                return None
            if time.monotonic() > until:
                late = self._worker if web else self._web
                return f"quizapp: {late.name} is not ready after {START_SECONDS} s. Run quizapp doctor."
        return None

    def _pause(self, seconds: float) -> bool:
        """Sleep until something happens, or `seconds` long; True if the web server says that it is ready."""
        wake = self._signals.wake.fileno()
        readable, _, _ = select.select([wake, self._ready], [], [], max(0.0, seconds))
        if wake in readable:
            with suppress(BlockingIOError):
                self._signals.wake.recv(4096)
        return self._ready in readable and bool(os.read(self._ready, 4096))

    def _worker_listens(self) -> bool:
        """Whether our worker, and not one that somebody else has started, takes nudges."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, suppress(OSError):
            with address_of(self._settings.worker_socket) as address:
                probe.connect(address)
            peer: tuple[int, int, int] = struct.unpack(
                "3i", probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            )
            return peer[0] == self._worker.pid
        return False

    def _welcome(self) -> None:
        address = local_address(self._settings)
        print(f"quizapp runs at {address}  (Ctrl-C stops it)", flush=True)
        if not is_loopback(self._settings.host) and not self._settings.trusted_proxies:
            _say(
                f"Warning: {self._settings.host} can be reached by others, and without https passwords travel"
                " in the clear. Put a proxy with https in front and set QUIZAPP_TRUSTED_PROXIES=1."
            )
        token = _first_teacher_token(self._settings)
        if token is not None:
            print(
                "There is no teacher yet. Whoever opens this link can become the first one; it works once,"
                f" within {FIRST_LINK_HOURS} hours:\n  {address}/links/{token}",
                flush=True,
            )

    def _keep_running(self) -> None:
        now = time.monotonic()
        for child in self._children:
            how = child.ended()
            if how is not None:
                pause = child.start_later()
                _say(f"quizapp: {child.name} ended ({how}); it is started again in {pause:g} s.")
            elif child.start_at is not None and now >= child.start_at:
                child.start()
        starts = [child.start_at for child in self._children if child.start_at is not None]
        self._pause(min((start - now for start in starts), default=3600.0))

    def _stop(self) -> None:
        for child in self._children:
            child.ask_to_end()
        until = time.monotonic() + STOP_SECONDS
        for child in self._children:
            child.wait(until)


def _first_teacher_token(settings: Settings) -> str | None:
    """The token of a new link for the first teacher, or None where somebody teaches already."""
    engine = make_engine(f"sqlite:///{settings.database_path}")
    try:
        with Session(engine) as db:
            if queries.a_teacher_exists(db):
                return None
            db.commit()
            token = links.make_first_teacher_link(db, now=datetime.now(UTC))
            db.commit()
            return token
    finally:
        engine.dispose()
