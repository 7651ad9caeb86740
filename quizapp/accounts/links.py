"""Tokens of one-time links: made here, given out once, kept only as a hash."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from quizapp.accounts import queries, rules
from quizapp.accounts.models import LinkPurpose, OneTimeLink, Person


def fingerprint(token: str) -> str:
    """What is stored of a token. A token is 256 random bits, so a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def make_first_teacher_link(db: Session, *, now: datetime) -> str:
    """The token of a new link for the first teacher; older ones stop working.

    The caller commits.
    """
    queries.void_links(db, LinkPurpose.FIRST_TEACHER, None, now=now)
    return _add(
        db, LinkPurpose.FIRST_TEACHER, person=None, made_by=None, hours=rules.FIRST_LINK_HOURS, now=now
    )


def make_password_link(db: Session, person: Person, *, made_by: Person | None, now: datetime) -> str:
    """The token of a new link that sets the person's password; older ones stop working.

    The caller commits.
    """
    queries.void_links(db, LinkPurpose.SET_PASSWORD, person, now=now)
    return _add(
        db, LinkPurpose.SET_PASSWORD, person=person, made_by=made_by, hours=rules.PASSWORD_LINK_HOURS, now=now
    )


def open_link(db: Session, token: str, *, now: datetime) -> OneTimeLink | None:
    """The link of this token, if it still lets in; otherwise None."""
    link = queries.link(db, fingerprint(token))
    if link is None or not rules.link_is_open(
        expires_at=link.expires_at, used_at=link.used_at, voided_at=link.voided_at, now=now
    ):
        return None
    if link.purpose == LinkPurpose.FIRST_TEACHER and queries.a_teacher_exists(db):
        return None
    return link


def _add(
    db: Session,
    purpose: LinkPurpose,
    *,
    person: Person | None,
    made_by: Person | None,
    hours: int,
    now: datetime,
) -> str:
    token = secrets.token_urlsafe(32)
    db.add(
        OneTimeLink(
            token_sha256=fingerprint(token),
            purpose=purpose.value,
            person_id=person.id if person else None,
            made_by_id=made_by.id if made_by else None,
            created_at=now,
            expires_at=now + timedelta(hours=hours),
        )
    )
    db.flush()
    return token
