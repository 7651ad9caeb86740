"""Reading and changing people, links and attempts to sign in; bringing work along. Nothing here commits."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import Select, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from quizapp.accounts import rules
from quizapp.accounts.models import LinkPurpose, OneTimeLink, Person, Role, SetAsideText, SignInAttempt
from quizapp.db import begin_write
from quizapp.submissions.models import Draft, InFlight, Run, Submission

PEOPLE_ON_A_PAGE = 200

# Each request asks one of these; building the statement anew takes longer than running it.
_ACCOUNT = select(Person).where(Person.public_id == bindparam("public_id"), Person.email.is_not(None))
_ANONYMOUS = select(Person).where(Person.public_id == bindparam("public_id"), Person.email.is_(None))


@dataclass(frozen=True)
class Work:
    """How much a person has stored."""

    submissions: int
    drafts: int

    def __bool__(self) -> bool:
        return self.submissions + self.drafts > 0


class Joined(StrEnum):
    """How bringing the work ended."""

    DONE = "done"
    IN_FLIGHT = "in-flight"  # something of it is being graded; nothing was moved
    NOT_POSSIBLE = "not-possible"  # the one has an account, or the other has none


def account(db: Session, public_id: UUID) -> Person | None:
    """The person of this id if they have an account, otherwise None."""
    return db.scalars(_ACCOUNT, {"public_id": public_id}).one_or_none()


def anonymous(db: Session, public_id: UUID) -> Person | None:
    """The person of this id if they have no account, otherwise None: a cookie never opens an account."""
    return db.scalars(_ANONYMOUS, {"public_id": public_id}).one_or_none()


def add_anonymous(db: Session, public_id: UUID, *, now: datetime) -> Person:
    """The learner without an account of this id, made if there is none; another id if an account has it."""
    begin_write(db)
    known = db.scalars(select(Person).where(Person.public_id == public_id)).one_or_none()
    if known is not None and not known.has_account:
        return known
    person = Person(public_id=public_id if known is None else uuid4(), created_at=now)
    db.add(person)
    db.flush()
    return person


def by_email(db: Session, email: str) -> Person | None:
    """The person with this address, which rules.read_email has read, or None."""
    return db.scalars(select(Person).where(Person.email == email)).one_or_none()


def make_account(
    db: Session,
    person: Person | None,
    *,
    email: str,
    name: str,
    role: Role,
    password_hash: str | None,
    now: datetime,
) -> Person | None:
    """Give `person`, or a new one, an account; None if the address is taken. In a transaction that writes.

    person: a learner without an account; if that has become one meanwhile, or is gone, a new person is made.
    """
    if by_email(db, email) is not None:
        return None
    if person is not None:
        person = db.get(Person, person.id, populate_existing=True)
    if person is None or person.has_account:
        person = Person(created_at=now)
        db.add(person)
    person.email, person.name, person.role = email, name, role.value
    set_password(person, password_hash)
    db.flush()
    return person


def set_password(person: Person, password_hash: str | None) -> None:
    """Change the password; every session that was signed in with the old one ends."""
    person.password_hash = password_hash
    end_sessions(person)


def end_sessions(person: Person) -> None:
    """End every session of this person: the cookies that are out, and any copy of them, no longer let in."""
    person.sign_in_key = secrets.token_hex(16)


def a_teacher_exists(db: Session) -> bool:
    """Whether anybody teaches here."""
    return bool(db.scalar(select(exists().where(Person.role == Role.TEACHER.value))))


def people(db: Session, viewer: Person, search: str) -> Sequence[Person]:
    """Accounts that a teacher sees, by name, at most PEOPLE_ON_A_PAGE; to anybody else there are none.

    search: part of a name or address; empty finds all.
    """
    if not viewer.is_teacher:
        return ()
    found = select(Person).where(Person.email.is_not(None)).order_by(Person.name, Person.email)
    if search:
        found = found.where(
            or_(
                Person.name.icontains(search, autoescape=True),
                Person.email.icontains(search, autoescape=True),
            )
        )
    return db.scalars(found.limit(PEOPLE_ON_A_PAGE)).all()


def person_for(db: Session, viewer: Person, public_id: UUID) -> Person | None:
    """The account of this id, if `viewer` teaches; otherwise None, as if it did not exist."""
    return account(db, public_id) if viewer.is_teacher else None


def link(db: Session, token_sha256: str) -> OneTimeLink | None:
    """The link with this fingerprint, open or not, or None."""
    return db.scalars(select(OneTimeLink).where(OneTimeLink.token_sha256 == token_sha256)).one_or_none()


def person_of_link(db: Session, one_time: OneTimeLink) -> Person | None:
    """Whose password the link sets; None for the first teacher's link."""
    return None if one_time.person_id is None else db.get(Person, one_time.person_id)


def void_links(db: Session, purpose: LinkPurpose, person: Person | None, *, now: datetime) -> None:
    """Stop all open links of this purpose, and of this person where one is given."""
    change = update(OneTimeLink).where(
        OneTimeLink.purpose == purpose.value, OneTimeLink.used_at.is_(None), OneTimeLink.voided_at.is_(None)
    )
    if person is not None:
        change = change.where(OneTimeLink.person_id == person.id)
    db.execute(change.values(voided_at=now))


def begin_attempt(
    db: Session, typed_email: str, address: str | None, *, now: datetime
) -> SignInAttempt | datetime:
    """Note that somebody tries to sign in, before the password is looked at; or when they may try again.

    It counts and inserts in one transaction, which it begins and the caller commits: of a hundred guesses at
    once no more get through than of a hundred in a row. The attempt is a failure until the caller marks it.
    """
    begin_write(db)
    group = rules.address_group(address)
    typed = hashlib.sha256(
        (rules.read_email(typed_email) or typed_email).encode("utf-8", "replace")
    ).hexdigest()
    since = now - rules.ATTEMPT_WINDOW
    db.execute(delete(SignInAttempt).where(SignInAttempt.at <= since))
    until = rules.may_try_again_at(
        account=_attempts(db, select(SignInAttempt).where(SignInAttempt.account == typed)),
        address=_attempts(db, select(SignInAttempt).where(SignInAttempt.address == group)),
        now=now,
    )
    if until is not None:
        return until
    attempt = SignInAttempt(account=typed, address=group, at=now)
    db.add(attempt)
    db.flush()
    return attempt


def _attempts(db: Session, which: Select[SignInAttempt]) -> list[rules.Attempt]:
    return [rules.Attempt(at=row.at, succeeded=row.succeeded) for row in db.scalars(which)]


def forgive_failures(db: Session, email: str) -> None:
    """Let the account of this address be tried again at once: its owner has come in by a one-time link."""
    typed = hashlib.sha256(email.encode()).hexdigest()
    db.execute(delete(SignInAttempt).where(SignInAttempt.account == typed))


def set_aside_texts(db: Session, person: Person) -> Sequence[SetAsideText]:
    """The person's texts that gave way to newer ones, newest first."""
    return db.scalars(
        select(SetAsideText)
        .where(SetAsideText.person_id == person.id)
        .order_by(SetAsideText.written_at.desc(), SetAsideText.id.desc())
    ).all()


def remove_set_aside_text(db: Session, person: Person, public_id: UUID) -> bool:
    """Remove one of the person's own texts; False if they have none of this id."""
    removed = db.scalars(
        delete(SetAsideText)
        .where(SetAsideText.person_id == person.id, SetAsideText.public_id == public_id)
        .returning(SetAsideText.id)
    )
    return removed.one_or_none() is not None


def work_of(db: Session, person: Person) -> Work:
    """How many submissions and drafts the person has."""
    submissions = select(func.count()).select_from(Submission).where(Submission.person_id == person.id)
    drafts = select(func.count()).select_from(Draft).where(Draft.person_id == person.id)
    return Work(submissions=db.scalar(submissions) or 0, drafts=db.scalar(drafts) or 0)


def join_work(db: Session, anonymous: Person, into: Person) -> Joined:
    """Give all that `anonymous` has stored to the account `into`, and remove `anonymous`. The caller commits.

    Submissions follow after the account's own, in their order. Of two drafts of one item the newer one stays
    in the form; the older one, if it says something else, is set aside where its owner can read it. It begins
    the transaction itself, as one that writes.
    """
    begin_write(db)
    # Read again inside the transaction: another tab may have made an account of it, or brought it, meanwhile.
    rows = db.execute(select(Person.id, Person.email).where(Person.id.in_((anonymous.id, into.id)))).all()
    emails = {row.id: row.email for row in rows}
    if len(emails) != 2 or emails[anonymous.id] is not None or emails[into.id] is None:
        return Joined.NOT_POSSIBLE
    if db.scalar(select(exists().where(InFlight.person_id == anonymous.id))):
        return Joined.IN_FLIGHT
    _move_submissions(db, anonymous, into)
    _move_drafts(db, anonymous, into)
    db.execute(update(Run).where(Run.person_id == anonymous.id).values(person_id=into.id))
    db.flush()
    db.delete(anonymous)
    db.flush()
    return Joined.DONE


def _move_submissions(db: Session, anonymous: Person, into: Person) -> None:
    own: dict[str, list[int]] = {}
    once_taken: set[str] = set()
    for item_id, attempt_no, once in db.execute(
        select(Submission.item_id, Submission.attempt_no, Submission.once).where(
            Submission.person_id == into.id
        )
    ):
        own.setdefault(item_id, []).append(attempt_no)
        once_taken.add(once)
    brought: dict[str, list[Submission]] = {}
    for submission in db.scalars(
        select(Submission)
        .where(Submission.person_id == anonymous.id)
        .order_by(Submission.item_id, Submission.attempt_no)
    ):
        brought.setdefault(submission.item_id, []).append(submission)
    for item_id, submissions in brought.items():
        numbers = rules.next_numbers(own.get(item_id, ()), len(submissions))
        for submission, number in zip(submissions, numbers, strict=True):
            submission.person_id, submission.attempt_no = into.id, number
            if (
                submission.once in once_taken
            ):  # one form was sent before signing in and again after it: two rows
                submission.once = hashlib.sha256(
                    f"{submission.once} {submission.public_id}".encode()
                ).hexdigest()
    db.flush()


def _move_drafts(db: Session, anonymous: Person, into: Person) -> None:
    own = {draft.item_id: draft for draft in db.scalars(select(Draft).where(Draft.person_id == into.id))}
    for brought in db.scalars(select(Draft).where(Draft.person_id == anonymous.id)).all():
        kept = own.get(brought.item_id)
        if kept is None:
            brought.person_id = into.id
            continue
        newer, older = (kept, brought) if kept.updated_at >= brought.updated_at else (brought, kept)
        if older.answer != newer.answer:
            db.add(
                SetAsideText(
                    person_id=into.id, item_id=older.item_id, answer=older.answer, written_at=older.updated_at
                )
            )
        if newer is brought:
            kept.answer, kept.updated_at = brought.answer, brought.updated_at
            # A page that shows the older text must not take itself for up to date.
            kept.revision = max(kept.revision, brought.revision) + 1
        db.delete(brought)
    db.flush()
