"""Claiming what waits, and what to grade of it. No function commits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, delete, or_, select, update
from sqlalchemy.orm import Session

import graders.verdict
from quizapp.db import UtcDateTime, table
from quizapp.submissions import rules
from quizapp.submissions.models import ContentVersion, FlightKind, InFlight, Run, Submission, WaitsFor
from quizapp.submissions.queries import add_verdict

# The statements of every grading are built once, and on tables: making them, and the objects, took as long as
# running them.
_NOW = bindparam("now", type_=UtcDateTime)
_LEASED_BEFORE = bindparam("leased_before", type_=UtcDateTime)
_SUBMISSION, _RUN, _IN_FLIGHT = table(Submission).c, table(Run).c, table(InFlight).c
_WAITING_SUBMISSION = (
    _SUBMISSION.waits_for == WaitsFor.GRADER.value,
    or_(_SUBMISSION.next_try_at.is_(None), _SUBMISSION.next_try_at <= _NOW),
    or_(_SUBMISSION.claimed_at.is_(None), _SUBMISSION.claimed_at < _LEASED_BEFORE),
)
_WAITING_RUN = (
    _RUN.finished_at.is_(None),
    or_(_RUN.next_try_at.is_(None), _RUN.next_try_at <= _NOW),
    or_(_RUN.claimed_at.is_(None), _RUN.claimed_at < _LEASED_BEFORE),
)
_CLAIM_SUBMISSION = (
    update(table(Submission))
    .where(_SUBMISSION.id == bindparam("job_id"), *_WAITING_SUBMISSION)
    .values(claimed_at=_NOW, claimed_by=bindparam("worker"))
    .returning(_SUBMISSION.public_id, _SUBMISSION.version_id, _SUBMISSION.answer, _SUBMISSION.tries)
)
_CLAIM_RUN = (
    update(table(Run))
    .where(_RUN.id == bindparam("job_id"), *_WAITING_RUN)
    .values(claimed_at=_NOW, claimed_by=bindparam("worker"))
    .returning(_RUN.public_id, _RUN.version_id, _RUN.source, _RUN.tries)
)
_SETTLE_SUBMISSION = (
    update(table(Submission))
    .where(_SUBMISSION.id == bindparam("job_id"), _SUBMISSION.waits_for == WaitsFor.GRADER.value)
    .values(waits_for=None, claimed_at=None, claimed_by=None, next_try_at=None)
    .returning(_SUBMISSION.id)
)
_FREE_PLACE = {
    FlightKind.SUBMISSION: delete(table(InFlight)).where(_IN_FLIGHT.submission_id == bindparam("job_id")),
    FlightKind.RUN: delete(table(InFlight)).where(_IN_FLIGHT.run_id == bindparam("job_id")),
}


@dataclass(frozen=True)
class Job:
    """What a worker does next: grade the submission, or make the run, with this id."""

    kind: FlightKind
    id: int


@dataclass(frozen=True)
class Claimed:
    """A job that this worker alone may do until its lease ends."""

    job: Job
    public_id: UUID
    version_id: int
    source: str
    tries: int


def due(db: Session, *, now: datetime, limit: int) -> list[Job]:
    """Jobs that wait and nobody works on, oldest first, submissions before runs; up to `limit` of each."""
    submissions = select(Submission.id).where(*_WAITING_SUBMISSION).order_by(Submission.id).limit(limit)
    runs = select(Run.id).where(*_WAITING_RUN).order_by(Run.id).limit(limit)
    times = {"now": now, "leased_before": now - rules.LEASE}
    return [Job(FlightKind.SUBMISSION, id_) for id_ in db.scalars(submissions, times)] + [
        Job(FlightKind.RUN, id_) for id_ in db.scalars(runs, times)
    ]


def claim(db: Session, job: Job, *, worker: str, now: datetime) -> Claimed | None:
    """Take the job, or None if it is done, not due yet, or another worker's."""
    values = {"job_id": job.id, "worker": worker, "now": now, "leased_before": now - rules.LEASE}
    if job.kind is FlightKind.SUBMISSION:
        row = db.execute(_CLAIM_SUBMISSION, values).one_or_none()
        if row is None:
            return None
        return Claimed(job, row.public_id, row.version_id, row.answer["source"], row.tries)
    run = db.execute(_CLAIM_RUN, values).one_or_none()
    if run is None:
        return None
    return Claimed(job, run.public_id, run.version_id, run.source, run.tries)


def version_body(db: Session, version_id: int) -> dict[str, Any]:
    """The stored item. Raises: NoResultFound if there is no such version."""
    body: dict[str, Any] = db.scalars(
        select(ContentVersion.body).where(ContentVersion.id == version_id)
    ).one()
    return body


def is_settled(db: Session, job: Job) -> bool:
    """Whether the job's verdict or report is stored. A job that does not exist is not."""
    if job.kind is FlightKind.SUBMISSION:
        query = select(Submission.id).where(Submission.id == job.id, Submission.waits_for.is_(None))
    else:
        query = select(Run.id).where(Run.id == job.id, Run.finished_at.is_not(None))
    return db.scalar(query) is not None


def settle_submission(
    db: Session, submission_id: int, verdict: graders.verdict.Verdict, *, now: datetime
) -> bool:
    """Store the verdict and free the place in flight. False, and nothing stored, if there is a verdict.

    Raises: IntegrityError if another worker stores one at the same moment.
    """
    if db.execute(_SETTLE_SUBMISSION, {"job_id": submission_id}).one_or_none() is None:
        return False
    add_verdict(db, submission_id, verdict, now=now)
    _free_place(db, Job(FlightKind.SUBMISSION, submission_id))
    return True


def settle_run(db: Session, run_id: int, report: graders.verdict.RunReport, *, now: datetime) -> bool:
    """Store the report and free the place in flight. False, and nothing stored, if there is a report."""
    waited = db.execute(
        update(Run)
        .where(Run.id == run_id, Run.finished_at.is_(None))
        .values(report=report.to_json(), finished_at=now, claimed_at=None, claimed_by=None, next_try_at=None)
        .execution_options(synchronize_session=False)
        .returning(Run.id)
    ).one_or_none()
    if waited is None:
        return False
    _free_place(db, Job(FlightKind.RUN, run_id))
    return True


def put_back(db: Session, job: Job, *, tries: int, next_try_at: datetime) -> None:
    """Let the job wait for its next try after a fault of ours; after some, its person may go on meanwhile."""
    model, waits = (
        (Submission, Submission.waits_for == WaitsFor.GRADER.value)
        if job.kind is FlightKind.SUBMISSION
        else (Run, Run.finished_at.is_(None))
    )
    db.execute(
        update(model)
        .where(model.id == job.id, waits)
        .values(tries=tries, next_try_at=next_try_at, claimed_at=None, claimed_by=None)
        .execution_options(synchronize_session=False)
    )
    if not rules.keeps_place(tries):
        _free_place(db, job)


def claimed_by(db: Session, worker: str) -> list[tuple[Job, int]]:
    """The jobs that are claimed under this name, with their tries so far."""
    submissions = select(Submission.id, Submission.tries).where(
        Submission.claimed_by == worker, Submission.waits_for == WaitsFor.GRADER.value
    )
    runs = select(Run.id, Run.tries).where(Run.claimed_by == worker, Run.finished_at.is_(None))
    return [(Job(FlightKind.SUBMISSION, id_), tries) for id_, tries in db.execute(submissions)] + [
        (Job(FlightKind.RUN, id_), tries) for id_, tries in db.execute(runs)
    ]


def release(db: Session, worker: str) -> None:
    """Give back, at no cost, what is claimed under this name."""
    for model in (Submission, Run):
        db.execute(
            update(model)
            .where(model.claimed_by == worker)
            .values(claimed_at=None, claimed_by=None)
            .execution_options(synchronize_session=False)
        )


def prune_runs(db: Session, *, finished_before: datetime) -> None:
    """Delete the runs that ended before this instant."""
    db.execute(
        delete(Run).where(Run.finished_at < finished_before).execution_options(synchronize_session=False)
    )


def _free_place(db: Session, job: Job) -> None:
    db.execute(_FREE_PLACE[job.kind], {"job_id": job.id})
