"""A stored version is read once, and the least used are let go."""

from __future__ import annotations

from typing import Any

from quizapp.catalogue import Catalogue
from quizapp.catalogue.items import StoredItems


def test_a_version_is_read_once(catalogue: Catalogue) -> None:
    item = catalogue.item("sum")
    assert item is not None
    reads: list[str] = []

    def body() -> dict[str, Any]:
        reads.append(item.version)
        return item.to_json()

    stored = StoredItems()
    assert stored.get(item.version, body) == item
    assert stored.get(item.version, body) is stored.get(item.version, body)
    assert reads == [item.version]


def test_the_one_used_longest_ago_is_let_go(catalogue: Catalogue) -> None:
    item = catalogue.item("sum")
    assert item is not None
    reads: list[int] = []

    def read(version: int) -> None:
        stored.get(version, lambda: (reads.append(version), item.to_json())[1])

    stored = StoredItems(kept=2)
    for version in (1, 2, 1, 3, 1, 2):
        read(version)
    assert reads == [1, 2, 3, 2]
