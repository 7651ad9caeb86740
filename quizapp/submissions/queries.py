"""Reading and storing submissions and runs. Every function takes the session and who asks, and none commits.

Those that store are called in a transaction that was opened with `db.begin_write`: what they count and what
they insert then belong together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import bindparam, case, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, make_transient_to_detached

import graders.verdict
from graders.verdict import Status
from quizapp.accounts.models import Person
from quizapp.catalogue.items import KEYED, Kind
from quizapp.db import table
from quizapp.submissions import rules
from quizapp.submissions.models import (
    CheckVerdict,
    ContentVersion,
    FlightKind,
    InFlight,
    Run,
    Submission,
    Verdict,
    WaitsFor,
)
from quizapp.submissions.rules import QueueLimits, Refusal

_SHOWS_KEY = frozenset(kind.value for kind in KEYED)
_LOOKS = 5  # how often to look again who was faster, before it must be another fault
# The statements of every answer are built once, and most of them on tables: making them, and the objects,
# took longer than running them.
_INSERT_SUBMISSION = insert(table(Submission)).returning(table(Submission).c.id)
_INSERT_PLACE = insert(table(InFlight))
_INSERT_VERDICT = insert(table(Verdict)).returning(table(Verdict).c.id)
_INSERT_CHECKS = insert(table(CheckVerdict))
_SENT, _DECIDED = table(Submission).c, table(Verdict).c
_WITH_VERDICT = (
    select(Submission)
    .where(Submission.public_id == bindparam("public_id"), Submission.person_id == bindparam("person_id"))
    .options(joinedload(Submission.version).defer(ContentVersion.body), joinedload(Submission.verdict))
    .execution_options(populate_existing=True)
)
_ONCE = select(Submission).where(
    Submission.person_id == bindparam("person_id"), Submission.once == bindparam("once")
)
_HIGHEST = select(func.max(_SENT.attempt_no)).where(
    _SENT.person_id == bindparam("person_id"), _SENT.item_id == bindparam("item_id")
)
_PLACE = table(InFlight).c
_QUEUE = select(
    func.count(),
    func.sum(case((_PLACE.person_id == bindparam("person_id"), 1), else_=0)),
    # Nothing is equal to an address that is null.
    func.sum(case((_PLACE.address == bindparam("address", type_=_PLACE.address.type), 1), else_=0)),
).select_from(table(InFlight))
_HISTORY = (
    select(
        _SENT.public_id,
        _SENT.attempt_no,
        _SENT.created_at,
        _DECIDED.status,
        _DECIDED.centipoints,
        _DECIDED.max_centipoints,
    )
    .outerjoin_from(table(Submission), table(Verdict), _DECIDED.submission_id == _SENT.id)
    .where(_SENT.person_id == bindparam("person_id"), _SENT.item_id == bindparam("item_id"))
    .order_by(_SENT.attempt_no.desc())
)
_COSTLY = [status.value for status in Status if status.costs_attempt]


def add_submission(
    db: Session,
    person: Person,
    version: ContentVersion,
    answer: dict[str, Any],
    *,
    once: str,
    address: str | None,
    seen: int | None = None,
    verdict: graders.verdict.Verdict | None = None,
    limits: QueueLimits | None = None,
    now: datetime | None = None,
) -> Submission | Refusal:
    """Store one answer and, where a worker has to grade it, its place in flight; or say why not.

    once: the form's id. The same form with the same answer again returns the first submission, also when both
    come at the same moment: the constraints decide that, and looking first only saves them the work.
    address: where someone without an account comes from; None for an account.
    seen: how many submissions the page knew of; None from a page that does not say.
    verdict: where the answer is graded at once; it is stored in the same transaction.
    """
    now = now or datetime.now(UTC)
    key = rules.once_key(once, answer)
    is_code = version.kind == Kind.EXERCISE
    waits_for = None if verdict else WaitsFor.GRADER if is_code else WaitsFor.LEARNER
    for look in range(1, _LOOKS + 1):
        first = _submission_once(db, person, key)
        if first is not None:
            return first
        sent = sent_count(db, person, version.item_id)
        refusal = rules.seen_refusal(seen=seen, sent=sent, key_was_shown=version.kind in _SHOWS_KEY)
        if refusal is None and waits_for is WaitsFor.GRADER:
            refusal = _place_refusal(db, person, address, limits or QueueLimits())
        if refusal is not None:
            return refusal
        values = {
            "public_id": uuid4(),
            "person_id": person.id,
            "item_id": version.item_id,
            "version_id": version.id,
            "once": key,
            "attempt_no": sent + 1,
            "answer": answer,
            "created_at": now,
            "waits_for": waits_for.value if waits_for else None,
        }
        try:
            with db.connection().begin_nested():
                values["id"] = db.execute(_INSERT_SUBMISSION, values).scalar_one()
                submission = Submission(**values)
                if waits_for is WaitsFor.GRADER:
                    _take_place(db, person, address, now, submission=submission)
        except IntegrityError:
            if look == _LOOKS:
                raise
            continue  # someone was faster: look again who, and what that means for this one
        if verdict is not None:
            add_verdict(db, submission.id, verdict, now=now)
        make_transient_to_detached(submission)  # the row is there, and the object stands for it from now on
        db.add(submission)
        return submission
    raise AssertionError("the last look returns or raises")


def add_run(
    db: Session,
    person: Person,
    version: ContentVersion,
    source: str,
    *,
    address: str | None,
    limits: QueueLimits | None = None,
    now: datetime | None = None,
) -> Run | Refusal:
    """Store one Run and its place in flight, or say why not. address: as for `add_submission`."""
    now = now or datetime.now(UTC)
    refusal = _place_refusal(db, person, address, limits or QueueLimits())
    if refusal is not None:
        return refusal
    run = Run(
        person_id=person.id, item_id=version.item_id, version_id=version.id, source=source, created_at=now
    )
    try:
        with db.begin_nested():
            db.add(run)
            db.flush()
            _take_place(db, person, address, now, run=run)
    except IntegrityError:
        return Refusal.IN_FLIGHT
    return run


def add_verdict(db: Session, submission_id: int, verdict: graders.verdict.Verdict, *, now: datetime) -> None:
    """Store a verdict with its checks. Raises: IntegrityError if the submission has one already."""
    verdict_id = db.execute(
        _INSERT_VERDICT,
        {
            "submission_id": submission_id,
            "status": verdict.status.value,
            "centipoints": verdict.centipoints,
            "max_centipoints": verdict.max_centipoints,
            "seed": verdict.seed,
            "milliseconds": verdict.milliseconds,
            "summary": verdict.summary,
            "body": verdict.to_json(),
            "graded_at": now,
        },
    ).scalar_one()
    checks = [
        {
            "verdict_id": verdict_id,
            "position": position,
            "name": check.name[:200],
            "status": check.status.value,
            "centipoints": check.centipoints,
            "max_centipoints": check.max_centipoints,
            "message": check.message,
        }
        for position, check in enumerate(verdict.checks)
    ]
    if checks:
        db.execute(_INSERT_CHECKS, checks)


def add_ticks(
    db: Session,
    submission: Submission,
    ticked: Sequence[int],
    verdict: graders.verdict.Verdict,
    *,
    now: datetime | None = None,
) -> bool:
    """Complete a prompt's answer by the ticked key points, and store its verdict. False if it was so."""
    done = db.execute(
        update(Submission)
        .where(Submission.id == submission.id, Submission.waits_for == WaitsFor.LEARNER.value)
        .values(waits_for=None, answer={**submission.answer, "ticked": list(ticked)})
        .execution_options(synchronize_session=False)
        .returning(Submission.id)
    ).one_or_none()
    if done is None:
        return False
    add_verdict(db, submission.id, verdict, now=now or datetime.now(UTC))
    return True


def submission_for(db: Session, viewer: Person, public_id: UUID) -> Submission | None:
    """The submission as stored now, with version and verdict, if `viewer` may read it; else None.

    The version's body is read from the database only if somebody looks into it: see versions.stored_item.
    """
    return db.scalars(_WITH_VERDICT, {"public_id": public_id, "person_id": viewer.id}).one_or_none()


def run_for(db: Session, viewer: Person, public_id: UUID) -> Run | None:
    """The run as it is stored now, with its version, if `viewer` may read it; else None."""
    return db.scalars(
        select(Run)
        .where(Run.public_id == public_id, Run.person_id == viewer.id)
        .options(joinedload(Run.version))
        .execution_options(populate_existing=True)
    ).one_or_none()


class Sent(NamedTuple):
    """One line of a person's history with an item. status is None until the submission is graded."""

    public_id: UUID
    attempt_no: int
    created_at: datetime
    status: str | None
    centipoints: int | None
    max_centipoints: int | None


def history(db: Session, person: Person, item_id: str) -> list[Sent]:
    """The person's submissions to the item, newest first; one query.

    There may be thousands: of each only what a list shows is read, neither answer nor what a grader said.
    """
    rows = db.execute(_HISTORY, {"person_id": person.id, "item_id": item_id})
    return [Sent(*row) for row in rows]


def latest(db: Session, person: Person, item_ids: Iterable[str]) -> dict[str, Submission]:
    """The person's last submission to each of the items, with version and verdict; one query."""
    newest = (
        select(func.max(Submission.id))
        .where(Submission.person_id == person.id, Submission.item_id.in_(list(item_ids)))
        .group_by(Submission.item_id)
    )
    found = db.scalars(
        select(Submission)
        .where(Submission.id.in_(newest))
        .options(joinedload(Submission.version), joinedload(Submission.verdict))
    )
    return {submission.item_id: submission for submission in found}


@dataclass(frozen=True)
class ItemState:
    """How one person stands with one item.

    best_status: passed if any verdict was; else the last verdict's; None before the first verdict.
    tried: something was sent. attempts: submissions whose verdict costs one.
    best_centipoints: None before the first verdict that counts.
    sent: all submissions, which is what a form's `seen` is compared with.
    """

    best_status: Status | None
    tried: bool
    passed: bool
    last_at: datetime
    attempts: int
    best_centipoints: int | None
    sent: int = 0


def states(db: Session, person: Person) -> dict[str, ItemState]:
    """How the person stands with every item that they have sent something to; one query."""
    counts = Verdict.status.in_(_COSTLY)
    last_graded = func.max(case((Verdict.id.is_not(None), Submission.attempt_no)))
    totals = (
        select(
            Submission.item_id,
            func.max(Submission.attempt_no).label("sent"),
            func.max(Submission.created_at).label("last_at"),
            func.sum(case((counts, 1), else_=0)).label("attempts"),
            func.max(case((counts, Verdict.centipoints))).label("best"),
            func.max(case((Verdict.status == Status.PASSED.value, 1), else_=0)).label("passed"),
            last_graded.label("last_graded"),
        )
        .outerjoin(Verdict, Verdict.submission_id == Submission.id)
        .where(Submission.person_id == person.id)
        .group_by(Submission.item_id)
        .subquery()
    )
    last = (
        select(Submission.item_id, Submission.attempt_no, Verdict.status)
        .join(Verdict, Verdict.submission_id == Submission.id)
        .where(Submission.person_id == person.id)
        .subquery()
    )
    rows = db.execute(
        select(totals, last.c.status).outerjoin(
            last, (last.c.item_id == totals.c.item_id) & (last.c.attempt_no == totals.c.last_graded)
        )
    )
    return {
        row.item_id: ItemState(
            best_status=Status.PASSED if row.passed else Status(row.status) if row.status else None,
            tried=True,
            passed=bool(row.passed),
            last_at=row.last_at,
            attempts=row.attempts,
            best_centipoints=row.best,
            sent=row.sent,
        )
        for row in rows
    }


def sent_count(db: Session, person: Person, item_id: str) -> int:
    """The number of the person's last submission to the item; 0 before the first."""
    # The highest number and not the count: it is the numbers that must not come twice.
    highest: int | None = db.scalar(_HIGHEST, {"person_id": person.id, "item_id": item_id})
    return highest or 0


def was_sent_last(db: Session, person: Person, item_id: str, answer: dict[str, Any]) -> bool:
    """Whether this text is that of the person's last submission to the item, or of their last run of it."""
    sent = db.scalar(
        select(Submission.answer)
        .where(Submission.person_id == person.id, Submission.item_id == item_id)
        .order_by(Submission.attempt_no.desc())
        .limit(1)
    )
    ran = db.scalar(
        select(Run.source)
        .where(Run.person_id == person.id, Run.item_id == item_id)
        .order_by(Run.id.desc())
        .limit(1)
    )
    texts = {(sent or {}).get("source"), (sent or {}).get("text"), ran} - {None}
    return (answer.get("source") or answer.get("text")) in texts


def _submission_once(db: Session, person: Person, key: str) -> Submission | None:
    return db.scalars(_ONCE, {"person_id": person.id, "once": key}).one_or_none()


def _place_refusal(db: Session, person: Person, address: str | None, limits: QueueLimits) -> Refusal | None:
    in_flight, own, near = db.execute(_QUEUE, {"person_id": person.id, "address": address}).one()
    if own:
        return Refusal.IN_FLIGHT
    return rules.queue_refusal(limits, in_flight=in_flight, from_address=near or 0)


def _take_place(
    db: Session,
    person: Person,
    address: str | None,
    now: datetime,
    *,
    submission: Submission | None = None,
    run: Run | None = None,
) -> None:
    db.execute(
        _INSERT_PLACE,
        {
            "person_id": person.id,
            "address": address,
            "kind": (FlightKind.RUN if run else FlightKind.SUBMISSION).value,
            "run_id": run.id if run else None,
            "submission_id": submission.id if submission else None,
            "created_at": now,
        },
    )
