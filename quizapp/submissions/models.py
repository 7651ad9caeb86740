"""Tables of answers: content versions, submissions, verdicts, drafts, runs and what is in flight."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column, relationship

from graders.verdict import Status
from quizapp.accounts.models import Person
from quizapp.db import Base, UtcDateTime, intpk

_STATUSES = ", ".join(f"'{status.value}'" for status in Status if status.is_final)


class WaitsFor(StrEnum):
    """Whose move it is before a submission can have its verdict."""

    GRADER = "grader"  # a worker has to grade it
    LEARNER = "learner"  # the learner has to tick the key points that they covered


class FlightKind(StrEnum):
    """What a person has in flight."""

    SUBMISSION = "submission"
    RUN = "run"


class ContentVersion(Base):
    """One item exactly as learners saw it, kept whole, so that its answers can be graded again for ever."""

    __tablename__ = "content_versions"

    id: Mapped[intpk]
    hash: Mapped[str] = mapped_column(
        String(64), unique=True, comment="SHA-256 of the canonical JSON, in hex"
    )
    item_id: Mapped[str] = mapped_column(String(80), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    body: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Submission(Base):
    """One answer to one item. The answer never changes; a regrade replaces only the verdict."""

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("person_id", "once"),
        UniqueConstraint("person_id", "item_id", "attempt_no"),
        CheckConstraint("attempt_no >= 1", name="attempts_count_from_one"),
        CheckConstraint("waits_for IN ('grader', 'learner')", name="waits_for_is_known"),
        CheckConstraint("tries >= 0", name="tries_not_negative"),
        Index("ix_submissions_waits_for_next_try_at", "waits_for", "next_try_at"),
    )

    id: Mapped[intpk]
    public_id: Mapped[UUID] = mapped_column(Uuid, unique=True, default=uuid4)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    item_id: Mapped[str] = mapped_column(String(80), index=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("content_versions.id"), index=True)
    once: Mapped[str] = mapped_column(
        String(64), comment="the form's id with this answer, hashed: the same form sent twice is one row"
    )
    attempt_no: Mapped[int] = mapped_column(comment="counts this person's submissions to this item from 1")
    answer: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    waits_for: Mapped[str | None] = mapped_column(String(8), comment="null once the verdict is stored")
    claimed_at: Mapped[datetime | None] = mapped_column(UtcDateTime, comment="when a worker took it; a lease")
    claimed_by: Mapped[str | None] = mapped_column(String(40))
    tries: Mapped[int] = mapped_column(default=0, comment="gradings that ended in a fault of ours")
    next_try_at: Mapped[datetime | None] = mapped_column(UtcDateTime, comment="null: at once")

    person: Mapped[Person] = relationship(lazy="raise")
    version: Mapped[ContentVersion] = relationship(lazy="raise")
    verdict: Mapped[Verdict | None] = relationship(back_populates="submission", lazy="raise", uselist=False)


class Verdict(Base):
    """What a grader decided about one submission; the database holds at most one for each."""

    __tablename__ = "verdicts"
    __table_args__ = (
        CheckConstraint(f"status IN ({_STATUSES})", name="status_is_final"),
        CheckConstraint("centipoints BETWEEN 0 AND max_centipoints", name="centipoints_within_maximum"),
    )

    id: Mapped[intpk]
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id", ondelete="CASCADE"), unique=True)
    status: Mapped[str] = mapped_column(String(20))
    centipoints: Mapped[int] = mapped_column(comment="hundredths of a point, so that sums are exact")
    max_centipoints: Mapped[int]
    seed: Mapped[str] = mapped_column(
        String(32), comment="with the content version it repeats the grading; empty where nothing is drawn"
    )
    milliseconds: Mapped[float]
    summary: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, Any]] = mapped_column(JSON, comment="graders.verdict.Verdict.to_json()")
    graded_at: Mapped[datetime] = mapped_column(UtcDateTime)

    submission: Mapped[Submission] = relationship(back_populates="verdict", lazy="raise")


class CheckVerdict(Base):
    """One check's part of a verdict, as a row, so that a class's checks can be counted."""

    __tablename__ = "check_verdicts"
    __table_args__ = (
        UniqueConstraint("verdict_id", "position"),
        CheckConstraint("centipoints BETWEEN 0 AND max_centipoints", name="centipoints_within_maximum"),
    )

    id: Mapped[intpk]
    verdict_id: Mapped[int] = mapped_column(ForeignKey("verdicts.id", ondelete="CASCADE"))
    position: Mapped[int] = mapped_column(comment="counts from 0 in the author's order")
    name: Mapped[str] = mapped_column(String(200))
    status: Mapped[str] = mapped_column(String(20))
    centipoints: Mapped[int]
    max_centipoints: Mapped[int]
    message: Mapped[str] = mapped_column(Text, default="")


class Draft(Base):
    """What a person last typed into one item, sent or not."""

    __tablename__ = "drafts"
    __table_args__ = (UniqueConstraint("person_id", "item_id"),)

    id: Mapped[intpk]
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"))
    item_id: Mapped[str] = mapped_column(String(80))
    answer: Mapped[dict[str, Any]] = mapped_column(JSON)
    revision: Mapped[int] = mapped_column(
        comment="counts from 1; a page that knows an older one may not overwrite"
    )
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Run(Base):
    """Code that was run to see what it does, and not graded. Kept for a day."""

    __tablename__ = "runs"
    __table_args__ = (Index("ix_runs_finished_at_next_try_at", "finished_at", "next_try_at"),)

    id: Mapped[intpk]
    public_id: Mapped[UUID] = mapped_column(Uuid, unique=True, default=uuid4)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    item_id: Mapped[str] = mapped_column(String(80))
    version_id: Mapped[int] = mapped_column(ForeignKey("content_versions.id"), index=True)
    source: Mapped[str] = mapped_column(Text)
    report: Mapped[dict[str, Any] | None] = mapped_column(
        JSON(none_as_null=True), comment="graders.verdict.RunReport.to_json(); null while it waits"
    )
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    claimed_at: Mapped[datetime | None] = mapped_column(UtcDateTime, comment="when a worker took it; a lease")
    claimed_by: Mapped[str | None] = mapped_column(String(40))
    tries: Mapped[int] = mapped_column(default=0, comment="runs that ended in a fault of ours")
    next_try_at: Mapped[datetime | None] = mapped_column(UtcDateTime, comment="null: at once")

    version: Mapped[ContentVersion] = relationship(lazy="raise")


class InFlight(Base):
    """A Run or Submit that waits for a worker. The primary key allows one per person."""

    __tablename__ = "in_flight"
    __table_args__ = (
        CheckConstraint(
            "(kind = 'run' AND run_id IS NOT NULL AND submission_id IS NULL)"
            " OR (kind = 'submission' AND submission_id IS NOT NULL AND run_id IS NULL)",
            name="one_thing_of_its_kind",
        ),
    )

    person_id: Mapped[int] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    address: Mapped[str | None] = mapped_column(
        String(64), index=True, comment="where someone without an account came from; null for accounts"
    )
    kind: Mapped[str] = mapped_column(String(10))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), unique=True)
    submission_id: Mapped[int | None] = mapped_column(
        ForeignKey("submissions.id", ondelete="CASCADE"), unique=True
    )
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
