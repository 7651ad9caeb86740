"""The local grading worker: hears nudges, sweeps for what nobody told it of, and grades in a few threads."""

from __future__ import annotations

import fcntl
import logging
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue

from graders.grader import Grader
from quizapp.config import Settings
from quizapp.db import make_engine
from quizapp.grading.nudge import LATER, STORED, address_of
from quizapp.grading.queries import Job
from quizapp.grading.store import Grades, Grading
from quizapp.grading.walls import level_for
from quizapp.submissions.models import FlightKind

log = logging.getLogger(__name__)

NAME = "local"  # what its claims carry: one local worker has the data folder to itself
SWEEP_SECONDS = 2.0
PRUNE_SECONDS = 3600.0
FINISH_SECONDS = 6.0  # a stopping worker lets end what it is grading: the wall clock of most, and no longer
_LONGEST_LINE = 64
_SWEPT = 500


class WorkerError(Exception):
    """The worker cannot start; the text says why and what to do."""


class Worker:
    """One per data folder.

    grader: decides; without one the worker starts its own, with `settings.grading_slots` slots.
    """

    def __init__(self, settings: Settings, grader: Grades | None = None) -> None:
        self._settings = settings
        self._given = grader
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._waiting: dict[Job, list[socket.socket]] = {}  # queued or being graded, with who asked
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._wake_write.setblocking(False)
        self._stopping = False

    def stop(self) -> None:
        """Ask the worker to finish what it is grading and end. From any thread or signal handler."""
        self._stopping = True
        with suppress(OSError):
            self._wake_write.send(b"x")

    def run_forever(self) -> None:
        """Work until `stop`, SIGTERM or SIGINT.

        Raises: WorkerError if another worker has this data folder; SandboxError if nothing can be graded.
        """
        with ExitStack() as stack:
            stack.enter_context(_only_worker(self._settings.data))
            if threading.current_thread() is threading.main_thread():
                stack.enter_context(self._stopped_by_signals())
            listener = stack.enter_context(_bound(self._settings.worker_socket))
            grader = self._given or stack.enter_context(_grader(self._settings))
            engine = make_engine(f"sqlite:///{self._settings.database_path}")
            stack.callback(engine.dispose)
            grading = Grading(engine, grader, NAME)
            recovered = grading.recover()
            if recovered:
                log.warning("%d gradings were cut off when a worker ended; they are done again", recovered)
            listener.listen(256)  # only now: a socket that can be reached says that grading can begin
            threads = [
                threading.Thread(
                    target=self._grade_jobs, args=(grading,), name=f"grading-{slot}", daemon=True
                )
                for slot in range(self._settings.grading_slots)
            ]
            for thread in threads:
                thread.start()
            try:
                self._listen(listener, grading)
            finally:
                self._finish(threads, grading)

    def _listen(self, listener: socket.socket, grading: Grading) -> None:
        """Take nudges; sweep at once, and then every SWEEP_SECONDS."""
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(self._wake_read, selectors.EVENT_READ)
            next_sweep = next_prune = time.monotonic()
            while not self._stopping:
                now = time.monotonic()
                if now >= next_sweep:
                    self._sweep(grading)
                    next_sweep = time.monotonic() + SWEEP_SECONDS
                if now >= next_prune:
                    _prune(grading)
                    next_prune = now + PRUNE_SECONDS
                for key, _ in selector.select(max(0.0, next_sweep - time.monotonic())):
                    if key.fileobj is listener:
                        with suppress(OSError):
                            connection, _address = listener.accept()
                            connection.setblocking(False)
                            selector.register(connection, selectors.EVENT_READ)
                    elif isinstance(key.fileobj, socket.socket) and key.fileobj is not self._wake_read:
                        selector.unregister(key.fileobj)
                        self._take(key.fileobj)
            for key in list(selector.get_map().values()):
                if isinstance(key.fileobj, socket.socket) and key.fileobj is not self._wake_read:
                    key.fileobj.close()

    def _take(self, connection: socket.socket) -> None:
        """Queue what one nudge names, and keep its connection for the answer."""
        try:
            job = _parsed(connection.recv(_LONGEST_LINE))
        except OSError:
            job = None
        if job is None:
            connection.close()
            return
        self._add(job, connection)

    def _add(self, job: Job, connection: socket.socket | None = None) -> None:
        with self._lock:
            known = job in self._waiting
            asking = self._waiting.setdefault(job, [])
            if connection is not None:
                asking.append(connection)
        if not known:
            self._jobs.put(job)

    def _sweep(self, grading: Grading) -> None:
        """Queue what no nudge told of: the nudge was lost, the worker died, or the next try is due."""
        try:
            for job in grading.due(_SWEPT):
                self._add(job)
        except Exception:
            log.exception("the sweep failed; it is tried again in %.0f s", SWEEP_SECONDS)

    def _grade_jobs(self, grading: Grading) -> None:
        while (job := self._jobs.get()) is not None:
            if self._stopping:
                self._answer(job, LATER)
                continue
            try:
                stored = grading.do(job)
            except Exception:
                # The database failed us. The row waits as it did, or is claimed until its lease ends.
                log.exception("%s %d: the database could not be read or written", job.kind, job.id)
                stored = False
            self._answer(job, STORED if stored else LATER)

    def _answer(self, job: Job, word: bytes) -> None:
        with self._lock:
            asking = self._waiting.pop(job, [])
        for connection in asking:
            with connection, suppress(OSError):
                connection.send(word)

    def _finish(self, threads: list[threading.Thread], grading: Grading) -> None:
        """Let the gradings end that have begun, and give the rest back."""
        self._stopping = True
        for _ in threads:
            self._jobs.put(None)
        ends_at = time.monotonic() + FINISH_SECONDS
        for thread in threads:
            thread.join(max(0.0, ends_at - time.monotonic()))
        try:
            grading.release()
        except Exception:
            log.exception("claims could not be given back; the next start takes them over")

    @contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, lambda *_: self.stop())
            for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _grader(settings: Settings) -> Grader:
    return Grader(settings.grading_slots, level=level_for(settings), most=settings.most)


def _parsed(line: bytes) -> Job | None:
    kind, _, number = line.decode("ascii", "replace").partition(" ")
    if kind not in set(FlightKind) or not number.endswith("\n") or not number[:-1].isdigit():
        return None
    return Job(FlightKind(kind), int(number))


def _prune(grading: Grading) -> None:
    try:
        grading.prune()
    except Exception:
        log.exception("old runs could not be deleted; it is tried again later")


@contextmanager
def _only_worker(data: Path) -> Iterator[None]:
    """Hold the data folder's worker lock. The kernel lets go of it however this process ends."""
    path = data / "worker.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise WorkerError(
                f"{data} has a grading worker already (process {holder}). Stop that one first, or set"
                " QUIZAPP_DATA to another folder."
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _bound(path: Path) -> Iterator[socket.socket]:
    """A socket at `path`, for this user alone. Whoever holds the lock may replace what was left there.

    To be called before other threads make files: the mode comes from the process's umask.
    """
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        before = os.umask(0o177)
        try:
            with address_of(path) as address:
                listener.bind(address)
        finally:
            os.umask(before)
        listener.setblocking(False)
        try:
            yield listener
        finally:
            path.unlink(missing_ok=True)
