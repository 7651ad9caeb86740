"""One job from its row to its stored end: claim, grade, store. Any carrier of nudges can call this."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm import Session

from graders.exercise import Exercise, Limits
from graders.verdict import RunReport, Status, Verdict
from quizapp.catalogue.items import StoredItems
from quizapp.db import begin_write
from quizapp.grading import queries
from quizapp.grading.queries import Claimed, Job
from quizapp.submissions import rules
from quizapp.submissions.models import FlightKind

log = logging.getLogger(__name__)


class Grades(Protocol):
    """What is needed of a grader; `graders.grader.Grader` has it."""

    def grade(self, exercise: Exercise, source: str, *, seed: str | None = None) -> Verdict:
        """The verdict on the learner's source."""
        ...

    def run(self, source: str, *, limits: Limits | None = None) -> RunReport:
        """What the source does."""
        ...


class Grading:
    """Does jobs for one worker; safe to call from many threads.

    engine: of the database. grader: decides. worker: the name that claims carry.
    """

    def __init__(self, engine: Engine, grader: Grades, worker: str) -> None:
        self._engine = engine
        self._grader = grader
        self._worker = worker
        self._items = StoredItems()

    def do(self, job: Job) -> bool:
        """Do the job if it still waits. True if its verdict or report is stored when this returns.

        Never raises for what a grader does: a fault of ours is logged, and the job waits for its next try.
        """
        claimed = self._claim(job)
        if claimed is None:
            with Session(self._engine) as db:
                return queries.is_settled(db, job)
        try:
            exercise = self._exercise(claimed.version_id)
            decided: Verdict | RunReport
            if job.kind is FlightKind.SUBMISSION:
                decided = self._grader.grade(exercise, claimed.source)
            else:
                decided = self._grader.run(claimed.source, limits=exercise.limits)
        except Exception as error:
            log.exception("%s %s could not be graded", job.kind, claimed.public_id)
            decided = RunReport(Status.FAULT, f"{type(error).__name__}: {error}")
        if decided.status is Status.FAULT:
            return self._after_fault(claimed, decided)
        if decided.status is Status.BROKEN and isinstance(decided, Verdict):
            log.error(
                "exercise %s is broken, as submission %s has met: %s",
                exercise.id,
                claimed.public_id,
                decided.author_log,
            )
        try:
            return self._settle(claimed, decided)
        except DBAPIError:
            raise  # the database's trouble is no try: the row waits as it did
        except Exception as error:  # an end that cannot be stored must not come back for ever
            log.exception("the end of %s %s cannot be stored", job.kind, claimed.public_id)
            return self._after_fault(claimed, RunReport(Status.FAULT, f"{type(error).__name__}: {error}"))

    def recover(self) -> int:
        """Put back what a worker of this name held when it died; returns how much that was.

        It counts as a try: something that takes the worker down with it each time must not do so for ever.
        """
        now = datetime.now(UTC)
        with Session(self._engine) as db:
            begin_write(db)
            left = queries.claimed_by(db, self._worker)
            for job, tries in left:
                queries.put_back(db, job, tries=tries + 1, next_try_at=rules.next_try(tries + 1, now))
            db.commit()
        return len(left)

    def release(self) -> None:
        """Give back what this worker has claimed and will not finish; it costs no try."""
        with Session(self._engine) as db:
            begin_write(db)
            queries.release(db, self._worker)
            db.commit()

    def due(self, limit: int) -> list[Job]:
        """Jobs that wait and that nobody works on."""
        with Session(self._engine) as db:
            return queries.due(db, now=datetime.now(UTC), limit=limit)

    def prune(self) -> None:
        """Delete old runs."""
        with Session(self._engine) as db:
            begin_write(db)
            queries.prune_runs(db, finished_before=datetime.now(UTC) - rules.KEPT_RUNS)
            db.commit()

    def _claim(self, job: Job) -> Claimed | None:
        with Session(self._engine) as db:
            begin_write(db)
            claimed = queries.claim(db, job, worker=self._worker, now=datetime.now(UTC))
            db.commit()
            return claimed

    def _exercise(self, version_id: int) -> Exercise:
        """The exercise of a stored version."""

        def body() -> dict[str, Any]:
            with Session(self._engine) as db:
                return queries.version_body(db, version_id)

        content = self._items.get(version_id, body).content
        if not isinstance(content, Exercise):
            raise TypeError(f"content version {version_id} is no exercise")
        return content

    def _settle(self, claimed: Claimed, decided: Verdict | RunReport) -> bool:
        """Store the end. A second verdict is dropped: the first one stands."""
        now = datetime.now(UTC)
        with Session(self._engine) as db:
            begin_write(db)
            try:
                if isinstance(decided, Verdict):
                    stored = queries.settle_submission(db, claimed.job.id, decided, now=now)
                else:
                    stored = queries.settle_run(db, claimed.job.id, decided, now=now)
            except IntegrityError:
                db.rollback()
                stored = False
            else:
                db.commit()
        if not stored:
            log.warning("%s %s had its end already; this one is dropped", claimed.job.kind, claimed.public_id)
        return True

    def _after_fault(self, claimed: Claimed, decided: Verdict | RunReport) -> bool:
        """Let the job wait for its next try. A run, which is only a look, ends with it after some."""
        tries, now = claimed.tries + 1, datetime.now(UTC)
        reason = decided.author_log if isinstance(decided, Verdict) else ""
        log.error(
            "%s %s: try %d ended in a fault of ours: %s",
            claimed.job.kind,
            claimed.public_id,
            tries,
            reason or decided.summary,
        )
        if claimed.job.kind is FlightKind.RUN and not rules.keeps_place(tries):
            return self._settle(
                claimed,
                RunReport(
                    Status.FAULT, "Your code could not be run, which is our fault. Try it again in a minute."
                ),
            )
        with Session(self._engine) as db:
            begin_write(db)
            queries.put_back(db, claimed.job, tries=tries, next_try_at=rules.next_try(tries, now))
            db.commit()
        return False
