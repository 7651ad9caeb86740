"""Tables of people, one-time links and attempts to sign in."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from quizapp.db import Base, UtcDateTime, intpk


class Role(StrEnum):
    """What a person may do. A learner answers; a teacher also sees people and lets them in again."""

    LEARNER = "learner"
    TEACHER = "teacher"


class Person(Base):
    """Someone who answers or teaches.

    Without an email address the person is known only by a cookie in one browser; with one, but without a
    password hash, an account was made for them and they have yet to set a password.
    """

    __tablename__ = "people"
    __table_args__ = (
        CheckConstraint("role IN ('learner', 'teacher')", name="role_is_known"),
        CheckConstraint("password_hash IS NULL OR email IS NOT NULL", name="password_needs_email"),
        CheckConstraint("role = 'learner' OR email IS NOT NULL", name="teacher_has_email"),
    )

    id: Mapped[intpk]
    public_id: Mapped[UUID] = mapped_column(Uuid, unique=True, default=uuid4)
    name: Mapped[str] = mapped_column(String(80), default="")
    email: Mapped[str | None] = mapped_column(
        String(254), unique=True, comment="normalised: see rules.read_email"
    )
    password_hash: Mapped[str | None] = mapped_column(String(255))
    role: Mapped[str] = mapped_column(String(16), default=Role.LEARNER.value)
    sign_in_key: Mapped[str] = mapped_column(
        String(32), default="", comment="part of every session; a new one ends all sessions of this person"
    )
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    # What Flask-Login asks of a user.
    is_authenticated = True
    is_active = True
    is_anonymous = False

    def get_id(self) -> str:
        """What a session remembers of this person."""
        return f"{self.public_id.hex}.{self.sign_in_key}"

    @property
    def has_account(self) -> bool:
        """Whether the person can be reached by an email address, and not only by one browser's cookie."""
        return self.email is not None

    @property
    def is_teacher(self) -> bool:
        """Whether the person teaches."""
        return self.role == Role.TEACHER


class LinkPurpose(StrEnum):
    """What a one-time link is for."""

    FIRST_TEACHER = "first-teacher"  # makes the first teacher's account
    SET_PASSWORD = "set-password"  # lets one person choose a password


class OneTimeLink(Base):
    """A link that lets its holder in once. Only the SHA-256 of its token is kept."""

    __tablename__ = "one_time_links"
    __table_args__ = (
        CheckConstraint(
            "(purpose = 'first-teacher' AND person_id IS NULL)"
            " OR (purpose = 'set-password' AND person_id IS NOT NULL)",
            name="person_fits_purpose",
        ),
    )

    id: Mapped[intpk]
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    purpose: Mapped[str] = mapped_column(String(16))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    made_by_id: Mapped[int | None] = mapped_column(
        ForeignKey("people.id", ondelete="SET NULL"), comment="the teacher; null from the command line"
    )
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    voided_at: Mapped[datetime | None] = mapped_column(UtcDateTime, comment="a newer link took its place")


class SignInAttempt(Base):
    """One try to sign in. It counts as failed from its start, so that guesses made in parallel count too."""

    __tablename__ = "sign_in_attempts"
    __table_args__ = (
        Index("ix_sign_in_attempts_account_at", "account", "at"),
        Index("ix_sign_in_attempts_address_at", "address", "at"),
        Index("ix_sign_in_attempts_at", "at"),
    )

    id: Mapped[intpk]
    account: Mapped[str] = mapped_column(
        String(64), comment="SHA-256 of what was typed as the address: it may be a password in the wrong box"
    )
    address: Mapped[str] = mapped_column(String(64), comment="see rules.address_group")
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    succeeded: Mapped[bool] = mapped_column(default=False)


class SetAsideText(Base):
    """A draft that gave way to a newer one when the work of two people, who were one, was brought together.

    It is shown on the account page until its owner removes it.
    """

    __tablename__ = "set_aside_texts"

    id: Mapped[intpk]
    public_id: Mapped[UUID] = mapped_column(Uuid, unique=True, default=uuid4)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    item_id: Mapped[str] = mapped_column(String(80))
    answer: Mapped[dict[str, Any]] = mapped_column(JSON, comment="as in the draft")
    written_at: Mapped[datetime] = mapped_column(UtcDateTime)
