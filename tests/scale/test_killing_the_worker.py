"""Killing the worker in the middle loses nothing: the next one grades what was waiting, each exactly once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from graders.verdict import Status
from quizapp.accounts.models import Person
from quizapp.catalogue import Catalogue
from quizapp.config import Settings
from quizapp.db import begin_write
from quizapp.submissions import queries
from quizapp.submissions.models import InFlight, Submission, Verdict
from quizapp.submissions.rules import QueueLimits
from quizapp.submissions.versions import ensure_version

SUBMISSIONS = 200
PATIENCE = 180.0  # seconds until the test gives up on a slow machine
SOURCES = {
    Status.PASSED: "x = 1.0\ny = 2.0\n",
    Status.FAILED: "x = 1.0\ny = 3.0\n",
    Status.ERROR: "x = 1.0\ny = x / 0\n",
    Status.CRASHED: "import os\nos._exit(0)\n",
}

pytestmark = pytest.mark.sandbox


class Workers:
    """Starts worker processes on one data folder, one after the other."""

    def __init__(self, settings: Settings, log: Path) -> None:
        self.settings, self.log = settings, log
        self.running: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        environ = {
            **os.environ,
            "QUIZAPP_DATA": str(self.settings.data),
            "QUIZAPP_EXERCISES": str(self.settings.exercises),
        }
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(
                [sys.executable, "-c", "from quizapp.cli import main; main()", "worker"],
                env=environ,
                stderr=log,
                stdout=log,
            )
        return self.running

    def end(self, number: signal.Signals) -> int:
        assert self.running is not None
        self.running.send_signal(number)
        return self.running.wait(PATIENCE)


@pytest.fixture
def workers(settings: Settings, tmp_path: Path) -> Iterator[Workers]:
    workers = Workers(settings, tmp_path / "worker.log")
    yield workers
    if workers.running is not None and workers.running.poll() is None:
        workers.end(signal.SIGKILL)


def send_many(db: Session, catalogue: Catalogue) -> dict[int, Status]:
    """One submission each of as many people; which status each has to end with, by its id."""
    item = catalogue.item("double")
    assert item is not None
    wanted: dict[int, Status] = {}
    begin_write(db)
    version = ensure_version(db, item)
    for number in range(SUBMISSIONS):
        person = Person(created_at=datetime.now(UTC))
        db.add(person)
        db.flush()
        status = list(SOURCES)[number % len(SOURCES)]
        sent = queries.add_submission(
            db,
            person,
            version,
            {"source": SOURCES[status]},
            once="form",
            address=None,
            limits=QueueLimits(people=SUBMISSIONS),
        )
        assert isinstance(sent, Submission)
        wanted[sent.id] = status
    db.commit()
    return wanted


def wait_for_verdicts(engine: Engine, count: int, workers: Workers) -> int:
    """Wait until at least `count` verdicts are stored; returns how many are."""
    ends_at = time.monotonic() + PATIENCE
    while time.monotonic() < ends_at:
        with Session(engine) as db:
            stored = db.scalar(select(func.count()).select_from(Verdict)) or 0
        if stored >= count:
            return stored
        assert workers.running is not None
        assert workers.running.poll() is None, workers.log.read_text()
        time.sleep(0.02)
    raise AssertionError(f"{stored} of {count} verdicts in {PATIENCE} s\n{workers.log.read_text()}")


def test_killing_it_twice_loses_nothing_and_grades_nothing_twice(
    engine: Engine, db: Session, catalogue: Catalogue, workers: Workers
) -> None:
    wanted = send_many(db, catalogue)
    for part in (SUBMISSIONS // 4, SUBMISSIONS // 2):
        workers.start()
        stored = wait_for_verdicts(engine, part, workers)
        assert workers.end(signal.SIGKILL) == -signal.SIGKILL
        assert stored < SUBMISSIONS, "it was not killed in the middle"
    workers.start()
    wait_for_verdicts(engine, SUBMISSIONS, workers)
    assert workers.end(signal.SIGTERM) == 0

    rows = db.execute(
        select(Submission.id, Verdict.status, Submission.person_id, Submission.attempt_no).join(
            Verdict, Verdict.submission_id == Submission.id
        )
    ).all()
    assert {row.id: Status(row.status) for row in rows} == wanted
    assert len(rows) == SUBMISSIONS
    assert {row.attempt_no for row in rows} == {1}
    for person in db.scalars(select(Person)):
        assert queries.states(db, person)["double"].attempts == 1
    assert db.scalars(select(Submission).where(Submission.waits_for.is_not(None))).all() == []
    assert db.scalar(select(func.count()).select_from(InFlight)) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_asked_to_stop_finishes_and_gives_the_rest_back(
    engine: Engine, db: Session, catalogue: Catalogue, workers: Workers, number: signal.Signals
) -> None:
    send_many(db, catalogue)
    workers.start()
    wait_for_verdicts(engine, SUBMISSIONS // 4, workers)
    assert workers.end(number) == 0
    assert not workers.settings.worker_socket.exists()
    waiting = db.scalars(select(Submission).where(Submission.waits_for.is_not(None))).all()
    assert waiting
    assert {(one.claimed_at, one.tries) for one in waiting} == {(None, 0)}


def test_the_worker_process_does_not_load_torch() -> None:
    code = "import quizapp.grading.worker, sys; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
