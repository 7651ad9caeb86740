"""What people last typed, sent or not. Nothing here commits; what stores is called after `db.begin_write`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from quizapp.accounts.models import Person
from quizapp.db import table
from quizapp.submissions.models import Draft

_TABLE = table(Draft)
_DRAFT = (
    select(Draft)
    .where(Draft.person_id == bindparam("person_id"), Draft.item_id == bindparam("item_id"))
    .execution_options(populate_existing=True)
)
_CHANGE = (
    update(_TABLE)
    .where(_TABLE.c.id == bindparam("draft_id"), _TABLE.c.revision == bindparam("known"))
    .values({name: bindparam(name) for name in ("answer", "revision", "updated_at")})
    .returning(_TABLE.c.id)
)
_LOOKS = 5  # how often to look again who was faster, before it must be another fault


@dataclass(frozen=True)
class Conflict:
    """A draft was not saved because another page saved first. draft: what is stored."""

    draft: Draft


def draft(db: Session, person: Person, item_id: str) -> Draft | None:
    """What the person last typed into the item, or None."""
    return db.scalars(_DRAFT, {"person_id": person.id, "item_id": item_id}).one_or_none()


def drafts(db: Session, person: Person, item_ids: Iterable[str]) -> dict[str, Draft]:
    """The person's drafts of these items by item id; one query."""
    found = db.scalars(select(Draft).where(Draft.person_id == person.id, Draft.item_id.in_(list(item_ids))))
    return {kept.item_id: kept for kept in found}


def save_draft(
    db: Session,
    person: Person,
    item_id: str,
    answer: dict[str, Any],
    *,
    revision: int | None,
    now: datetime | None = None,
) -> Draft | Conflict:
    """Keep what was typed.

    revision: the one that the page knows, 0 if it knows of none; None overwrites whatever is there. The same
    text again changes nothing and is never a conflict.
    """
    now = now or datetime.now(UTC)
    for look in range(1, _LOOKS + 1):
        kept = draft(db, person, item_id)
        if kept is not None:
            if kept.answer == answer:
                return kept
            if revision is not None and revision != kept.revision:
                return Conflict(kept)
            values = {"answer": answer, "revision": kept.revision + 1, "updated_at": now}
            changed = db.execute(_CHANGE, {"draft_id": kept.id, "known": kept.revision, **values})
            if changed.one_or_none() is None:
                continue
            for name, value in values.items():
                set_committed_value(kept, name, value)
            return kept
        try:
            with db.begin_nested():
                kept = Draft(person_id=person.id, item_id=item_id, answer=answer, revision=1, updated_at=now)
                db.add(kept)
        except IntegrityError:
            if look == _LOOKS:
                raise
            continue
        return kept
    raise RuntimeError("other pages saved this draft again and again at the same moment")
