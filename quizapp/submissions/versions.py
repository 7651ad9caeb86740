"""From a stored content version to the item that the learner saw."""

from __future__ import annotations

from quizapp.catalogue.items import Item, StoredItems
from quizapp.submissions.models import ContentVersion

_items = StoredItems()


def stored_item(version: ContentVersion) -> Item:
    """The item of a content version. Raises: ValueError if it was stored by a newer quizapp."""
    return _items.get(version.hash, lambda: version.body)
