"""Content versions: storing an item as learners see it, and the way back to it. Nothing here commits."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, defer

from quizapp.catalogue.items import Item, StoredItems
from quizapp.submissions.models import ContentVersion

_items = StoredItems()
_SEEN = (
    select(ContentVersion)
    .where(ContentVersion.hash == bindparam("hash"), ContentVersion.item_id == bindparam("item_id"))
    .options(defer(ContentVersion.body))
)


def stored_item(version: ContentVersion) -> Item:
    """The item of a content version. Raises: ValueError if it was stored by a newer quizapp."""
    return _items.get(version.hash, lambda: version.body)


def ensure_version(db: Session, item: Item) -> ContentVersion:
    """The stored version of the item as it is now, stored if it was not yet."""
    ensure_versions(db, [item])
    return db.scalars(select(ContentVersion).where(ContentVersion.hash == item.version)).one()


def missing_versions(db: Session, items: Iterable[Item]) -> list[Item]:
    """Those of the items whose version is not stored."""
    by_hash = {item.version: item for item in items}
    stored = set(db.scalars(select(ContentVersion.hash).where(ContentVersion.hash.in_(by_hash))))
    return [item for version, item in by_hash.items() if version not in stored]


def ensure_versions(db: Session, items: Iterable[Item]) -> None:
    """Store those versions that are not stored yet; whoever stores one at the same time is let win."""
    for item in missing_versions(db, items):
        version = ContentVersion(
            hash=item.version,
            item_id=item.id,
            kind=item.kind.value,
            body=item.to_json(),
            created_at=datetime.now(UTC),
        )
        try:
            with db.begin_nested():
                db.add(version)
        except IntegrityError:
            continue


def version_seen(db: Session, item_id: str, version: str) -> ContentVersion | None:
    """The version with this hash, if it is one of this item; else None. Its body is read when asked for."""
    return db.scalars(_SEEN, {"hash": version, "item_id": item_id}).one_or_none()
