"""The local worker: nudges, sweeps, claims, faults, stopping.

The grader is a stand-in, since a real one fails too seldom; the rows, threads and sockets are real.
"""

from __future__ import annotations

import logging
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from graders.exercise import Exercise, Limits
from graders.verdict import RunReport, Status, Verdict
from quizapp.accounts.models import Person
from quizapp.catalogue import Catalogue
from quizapp.config import Settings
from quizapp.db import begin_write
from quizapp.grading import queries as grading
from quizapp.grading import worker as worker_module
from quizapp.grading.nudge import nudge_and_wait
from quizapp.grading.queries import Job
from quizapp.grading.store import Grading
from quizapp.grading.worker import Worker, WorkerError
from quizapp.submissions import queries
from quizapp.submissions.models import FlightKind, InFlight, Run, Submission
from quizapp.submissions.rules import LEASE
from quizapp.submissions.versions import ensure_version

PATIENCE = 20.0  # seconds until a test that waits for something gives up


class StandIn:
    """Decides what it is told to, and remembers what it was asked."""

    def __init__(self, status: Status = Status.PASSED) -> None:
        self.status = status
        self.asked: list[tuple[str, str]] = []
        self.before: Callable[[], object] = lambda: None

    def grade(self, exercise: Exercise, source: str, *, seed: str | None = None) -> Verdict:
        self.asked.append((exercise.prompt, source))
        self.before()
        return Verdict(self.status, "Said the stand-in.", 0, 100, seed="0" * 32, author_log="its reason")

    def run(self, source: str, *, limits: Limits | None = None) -> RunReport:
        self.asked.append(("", source))
        self.before()
        return RunReport(self.status, "Ran.")


@pytest.fixture
def send(engine: Engine, catalogue: Catalogue) -> Callable[..., Submission]:
    """Stores one submission to `double`, as a view does."""
    numbers = iter(range(1000))

    def send(person: Person) -> Submission:
        item = catalogue.item("double")
        assert item is not None
        with Session(engine, expire_on_commit=False) as db:
            begin_write(db)
            version = ensure_version(db, item)
            sent = queries.add_submission(
                db, person, version, {"source": "y = 2.0"}, once=str(next(numbers)), address=None
            )
            db.commit()
        assert isinstance(sent, Submission)
        return sent

    return send


@pytest.fixture
def run(engine: Engine, catalogue: Catalogue) -> Callable[..., Run]:
    """Stores one run of `double`."""

    def run(person: Person) -> Run:
        item = catalogue.item("double")
        assert item is not None
        with Session(engine, expire_on_commit=False) as db:
            begin_write(db)
            version = ensure_version(db, item)
            made = queries.add_run(db, person, version, "print(1)", address=None)
            db.commit()
        assert isinstance(made, Run)
        return made

    return run


@contextmanager
def working(settings: Settings, grader: StandIn) -> Iterator[Worker]:
    """A worker in a thread; it has stopped when the block ends."""
    worker = Worker(settings, grader)
    thread = threading.Thread(target=worker.run_forever)
    thread.start()
    try:
        _until(lambda: _can_connect(settings))
        yield worker
    finally:
        worker.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def _until(true: Callable[[], bool]) -> None:
    tick = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        if true():
            return
        tick.wait(0.01)
    raise AssertionError("waited in vain")


def _can_connect(settings: Settings) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(settings.worker_socket)) == 0


def graded(db: Session, sent: Submission) -> str | None:
    db.rollback()
    found = db.scalars(select(Submission).where(Submission.id == sent.id)).one()
    return found.waits_for


class TestNudges:
    def test_a_nudge_is_answered_when_the_verdict_is_stored(
        self, settings: Settings, db: Session, ada: Person, send: Callable[..., Submission]
    ) -> None:
        with working(settings, StandIn()):
            sent = send(ada)
            assert nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, PATIENCE) is True
            found = queries.submission_for(db, ada, sent.public_id)
        assert found is not None
        assert found.verdict is not None
        assert (found.verdict.status, found.waits_for) == ("passed", None)
        assert db.scalars(select(InFlight)).all() == []

    def test_a_run_gets_its_report(
        self, settings: Settings, db: Session, ada: Person, run: Callable[..., Run]
    ) -> None:
        with working(settings, StandIn()):
            made = run(ada)
            assert nudge_and_wait(settings, FlightKind.RUN, made.id, PATIENCE) is True
            found = queries.run_for(db, ada, made.public_id)
        assert found is not None
        assert found.report is not None
        assert found.report["summary"] == "Ran."
        assert db.scalars(select(InFlight)).all() == []

    def test_without_a_worker_nobody_waits(self, settings: Settings, engine: Engine) -> None:
        assert nudge_and_wait(settings, FlightKind.SUBMISSION, 1, PATIENCE) is False

    def test_a_slow_grading_is_not_waited_for_longer_than_told(
        self, settings: Settings, ada: Person, send: Callable[..., Submission]
    ) -> None:
        grader, go_on = StandIn(), threading.Event()
        grader.before = lambda: go_on.wait(PATIENCE)
        with working(settings, grader):
            sent = send(ada)
            assert nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, 0.1) is False
            go_on.set()
            assert nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, PATIENCE) is True
        assert len(grader.asked) == 1

    def test_two_who_ask_for_the_same_are_both_answered_and_it_is_graded_once(
        self, settings: Settings, ada: Person, send: Callable[..., Submission]
    ) -> None:
        grader, begun, go_on = StandIn(), threading.Event(), threading.Event()
        grader.before = lambda: (begun.set(), go_on.wait(PATIENCE))
        with working(settings, grader):
            sent = send(ada)
            answers: list[bool] = []
            threads = [
                threading.Thread(
                    target=lambda: answers.append(
                        nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, PATIENCE)
                    )
                )
                for _ in range(3)
            ]
            for thread in threads:
                thread.start()
            assert begun.wait(PATIENCE)
            go_on.set()
            for thread in threads:
                thread.join(PATIENCE)
        assert answers == [True] * 3
        assert len(grader.asked) == 1

    @pytest.mark.parametrize(
        "line", [b"", b"\n", b"submission\n", b"verdict 1\n", b"submission 1", b"\xff" * 200, b"run -1\n"]
    )
    def test_nonsense_is_hung_up_on_and_harms_nothing(
        self, settings: Settings, ada: Person, send: Callable[..., Submission], line: bytes
    ) -> None:
        with working(settings, StandIn()):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(PATIENCE)
                connection.connect(str(settings.worker_socket))
                connection.sendall(line)
                connection.shutdown(socket.SHUT_WR)
                with suppress(ConnectionResetError):  # where it did not even read all of it
                    assert connection.recv(10) == b""
            sent = send(ada)
            assert nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, PATIENCE) is True

    def test_the_socket_is_for_this_user_alone(self, settings: Settings, engine: Engine) -> None:
        with working(settings, StandIn()):
            assert stat.S_IMODE(os.stat(settings.worker_socket).st_mode) == 0o600
        assert not settings.worker_socket.exists()

    def test_a_folder_too_deep_for_a_socket_address_works(
        self, settings: Settings, ada: Person, send: Callable[..., Submission], tmp_path: Path
    ) -> None:
        deep = tmp_path / ("d" * 90)
        settings.data.rename(deep)
        elsewhere = replace(settings, data=deep)
        worker = Worker(elsewhere, StandIn())
        thread = threading.Thread(target=worker.run_forever)
        thread.start()
        try:
            _until(elsewhere.worker_socket.exists)
            _until(lambda: nudge_and_wait(elsewhere, FlightKind.SUBMISSION, 999, 0.2) is False)
        finally:
            worker.stop()
            thread.join(PATIENCE)
        assert len(str(elsewhere.worker_socket)) > 108


class TestSweeps:
    def test_what_nobody_told_of_is_graded_at_the_start(
        self, settings: Settings, db: Session, ada: Person, send: Callable[..., Submission]
    ) -> None:
        sent = send(ada)
        with working(settings, StandIn()):
            _until(lambda: graded(db, sent) is None)

    def test_a_lost_nudge_is_made_up_for(
        self,
        settings: Settings,
        db: Session,
        ada: Person,
        send: Callable[..., Submission],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(worker_module, "SWEEP_SECONDS", 0.05)
        with working(settings, StandIn()):
            sent = send(ada)
            _until(lambda: graded(db, sent) is None)

    def test_what_a_dead_worker_held_is_graded_at_the_start(
        self, settings: Settings, engine: Engine, db: Session, ada: Person, send: Callable[..., Submission]
    ) -> None:
        sent = send(ada)
        claim(engine, sent, datetime.now(UTC), worker=worker_module.NAME)
        with working(settings, StandIn()):
            _until(lambda: graded(db, sent) is None)

    def test_anothers_claim_is_left_alone_until_its_lease_ends(
        self, engine: Engine, ada: Person, send: Callable[..., Submission]
    ) -> None:
        sent, now = send(ada), datetime.now(UTC)
        claim(engine, sent, now, worker="elsewhere")
        job = Job(FlightKind.SUBMISSION, sent.id)
        with Session(engine) as db:
            assert grading.due(db, now=now + LEASE, limit=9) == []
            assert grading.due(db, now=now + LEASE + timedelta(seconds=1), limit=9) == [job]

    def test_runs_of_yesterday_are_deleted_and_newer_ones_kept(
        self,
        settings: Settings,
        engine: Engine,
        db: Session,
        ada: Person,
        mallory: Person,
        run: Callable[..., Run],
    ) -> None:
        old, new, now = run(ada), run(mallory), datetime.now(UTC)
        for made, age in ((old, timedelta(hours=25)), (new, timedelta(hours=23))):
            with Session(engine) as writing:
                begin_write(writing)
                grading.settle_run(writing, made.id, RunReport(Status.PASSED, ""), now=now - age)
                writing.commit()
        Grading(engine, StandIn(), "local").prune()
        assert list(db.scalars(select(Run.id))) == [new.id]


def claim(engine: Engine, sent: Submission, now: datetime, *, worker: str) -> None:
    with Session(engine) as db:
        begin_write(db)
        taken = grading.claim(db, Job(FlightKind.SUBMISSION, sent.id), worker=worker, now=now)
        db.commit()
    assert taken is not None


class TestFaultsOfOurs:
    def be_due(self, engine: Engine) -> None:
        with Session(engine) as db:
            begin_write(db)
            db.execute(update(Submission).values(next_try_at=None))
            db.execute(update(Run).values(next_try_at=None))
            db.commit()

    def test_a_fault_is_tried_again_and_costs_nothing(
        self,
        engine: Engine,
        db: Session,
        ada: Person,
        send: Callable[..., Submission],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        sent, grader = send(ada), StandIn(Status.FAULT)
        worker, job = Grading(engine, grader, "local"), Job(FlightKind.SUBMISSION, sent.id)
        with caplog.at_level(logging.ERROR):
            assert worker.do(job) is False
        assert "its reason" in caplog.text
        assert str(sent.public_id) in caplog.text
        grader.status = Status.PASSED
        assert worker.do(job) is True
        state = queries.states(db, ada)["double"]
        assert (state.passed, state.attempts) == (True, 1)

    def test_after_three_the_learner_may_go_on_and_the_answer_is_kept(
        self, engine: Engine, db: Session, ada: Person, send: Callable[..., Submission]
    ) -> None:
        sent, grader = send(ada), StandIn(Status.FAULT)
        worker, job = Grading(engine, grader, "local"), Job(FlightKind.SUBMISSION, sent.id)
        for held in (True, True, False):
            self.be_due(engine)
            assert worker.do(job) is False
            db.rollback()
            assert bool(db.scalars(select(InFlight)).all()) is held
        assert isinstance(send(ada), Submission)
        found = queries.submission_for(db, ada, sent.public_id)
        assert found is not None
        assert (found.verdict, found.waits_for, found.tries) == (None, "grader", 3)
        assert queries.states(db, ada)["double"].attempts == 0
        grader.status = Status.PASSED
        assert worker.do(job) is False  # not due yet
        self.be_due(engine)
        assert worker.do(job) is True

    def test_a_grader_that_raises_is_our_fault_too(
        self, engine: Engine, db: Session, ada: Person, send: Callable[..., Submission]
    ) -> None:
        sent, grader = send(ada), StandIn()

        def fail() -> None:
            raise OSError(28, "No space left on device")

        grader.before = fail
        worker = Grading(engine, grader, "local")
        assert worker.do(Job(FlightKind.SUBMISSION, sent.id)) is False
        found = queries.submission_for(db, ada, sent.public_id)
        assert found is not None
        assert (found.verdict, found.tries, found.claimed_at) == (None, 1, None)

    def test_a_run_ends_after_three_and_says_whose_fault_it_was(
        self, engine: Engine, db: Session, ada: Person, run: Callable[..., Run]
    ) -> None:
        made = run(ada)
        worker = Grading(engine, StandIn(Status.FAULT), "local")
        for stored in (False, False, True):
            self.be_due(engine)
            assert worker.do(Job(FlightKind.RUN, made.id)) is stored
        found = queries.run_for(db, ada, made.public_id)
        assert found is not None
        assert found.report is not None
        assert found.report["status"] == "fault"
        assert "our fault" in found.report["summary"]
        assert db.scalars(select(InFlight)).all() == []

    def test_what_takes_the_worker_down_with_it_does_not_do_so_for_ever(
        self, engine: Engine, db: Session, ada: Person, send: Callable[..., Submission]
    ) -> None:
        sent = send(ada)
        worker = Grading(engine, StandIn(), "local")
        for _ in range(3):
            self.be_due(engine)
            claim(engine, sent, datetime.now(UTC), worker="local")
            assert worker.recover() == 1
        assert grading.due(db, now=datetime.now(UTC), limit=9) == []
        assert db.scalars(select(InFlight)).all() == []

    def test_a_broken_exercise_is_an_end_and_its_author_log_stays_behind(
        self,
        engine: Engine,
        db: Session,
        ada: Person,
        send: Callable[..., Submission],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        sent = send(ada)
        assert Grading(engine, StandIn(Status.BROKEN), "local").do(Job(FlightKind.SUBMISSION, sent.id))
        state = queries.states(db, ada)["double"]
        assert (state.attempts, state.best_status) == (0, Status.BROKEN)
        assert "exercise double is broken" in caplog.text


class TestStartingAndStopping:
    def test_a_second_worker_is_told_who_has_the_folder(self, settings: Settings, engine: Engine) -> None:
        with working(settings, StandIn()), pytest.raises(WorkerError, match=f"process {os.getpid()}"):
            Worker(settings, StandIn()).run_forever()

    def test_the_next_one_starts_when_the_first_has_stopped(
        self, settings: Settings, ada: Person, send: Callable[..., Submission]
    ) -> None:
        for _ in range(2):
            with working(settings, StandIn()):
                sent = send(ada)
                assert nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, PATIENCE) is True

    def test_a_socket_that_was_left_behind_is_replaced(
        self, settings: Settings, ada: Person, send: Callable[..., Submission]
    ) -> None:
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(settings.worker_socket))
        with working(settings, StandIn()):
            sent = send(ada)
            assert nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, PATIENCE) is True

    def test_what_it_is_grading_is_finished_and_the_rest_is_given_back(
        self, settings: Settings, db: Session, ada: Person, mallory: Person, send: Callable[..., Submission]
    ) -> None:
        grader, begun, go_on = StandIn(), threading.Event(), threading.Event()
        grader.before = lambda: (begun.set(), go_on.wait(PATIENCE))
        one_slot = replace(settings, grading_slots=1)
        with working(one_slot, grader) as worker:
            first, second = send(ada), send(mallory)
            nudge_and_wait(settings, FlightKind.SUBMISSION, first.id, 0)
            assert begun.wait(PATIENCE)
            nudge_and_wait(settings, FlightKind.SUBMISSION, second.id, 0)
            worker.stop()
            go_on.set()
        assert graded(db, first) is None
        assert graded(db, second) == "grader"
        waiting = db.scalars(select(Submission).where(Submission.id == second.id)).one()
        assert (waiting.claimed_at, waiting.tries) == (None, 0)

    def test_it_is_graded_against_the_version_that_was_seen(
        self,
        settings: Settings,
        ada: Person,
        send: Callable[..., Submission],
        content: Path,
    ) -> None:
        sent, grader = send(ada), StandIn()
        (content / "tiny/double/prompt.md").write_text("Make `y` thrice `x`.\n")
        with working(settings, grader):
            assert nudge_and_wait(settings, FlightKind.SUBMISSION, sent.id, PATIENCE) is True
        assert "twice" in grader.asked[0][0]


def test_an_end_that_cannot_be_stored_counts_as_a_try(
    engine: Engine, db: Session, ada: Person, send: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Verdict(Status.FAILED, "Said the stand-in.", 0, 100, seed="0" * 32, author_log=b"no text")  # type: ignore[arg-type]
    grader = StandIn()
    monkeypatch.setattr(grader, "grade", lambda *_args, **_named: odd)
    sent = send(ada)
    assert Grading(engine, grader, "local").do(Job(FlightKind.SUBMISSION, sent.id)) is False
    kept = db.scalars(select(Submission).where(Submission.id == sent.id)).one()
    assert (kept.tries, kept.waits_for, kept.claimed_at) == (1, "grader", None)
