"""Items, sets of items and topics, as the rest of the application sees them."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Lock
from typing import Any

from graders.exercise import Exercise
from quizapp.catalogue.content import (
    CardContent,
    ChoiceContent,
    Content,
    ExperimentContent,
    GapsContent,
    InterviewContent,
    LineContent,
    MatchContent,
    MultipleContent,
    NumericContent,
    OrderContent,
    OutputContent,
    PromptContent,
    TextContent,
)

FORMAT = 1
"""The form of an item's JSON. A change that older stored ones do not fit takes a new number and a reader."""


class Kind(StrEnum):
    """What sort of thing a learner answers."""

    CHOICE = "choice"
    MULTIPLE = "multiple"
    NUMERIC = "numeric"
    TEXT = "text"
    OUTPUT = "output"
    LINE = "line"
    ORDER = "order"
    MATCH = "match"
    GAPS = "gaps"
    CARD = "card"
    PROMPT = "prompt"
    EXPERIMENT = "experiment"
    INTERVIEW = "interview"
    EXERCISE = "exercise"


KEYED = frozenset(Kind) - {Kind.CARD, Kind.PROMPT, Kind.EXPERIMENT, Kind.INTERVIEW, Kind.EXERCISE}
"""The kinds whose key is shown as soon as the answer is stored."""
TYPED = frozenset({Kind.NUMERIC, Kind.TEXT, Kind.OUTPUT})
"""Of these, the kinds whose answer is typed."""

_MODELS: dict[
    Kind,
    type[ChoiceContent]
    | type[MultipleContent]
    | type[NumericContent]
    | type[TextContent]
    | type[OutputContent]
    | type[LineContent]
    | type[OrderContent]
    | type[MatchContent]
    | type[GapsContent]
    | type[CardContent]
    | type[PromptContent]
    | type[ExperimentContent]
    | type[InterviewContent],
] = {
    Kind.CHOICE: ChoiceContent,
    Kind.MULTIPLE: MultipleContent,
    Kind.NUMERIC: NumericContent,
    Kind.TEXT: TextContent,
    Kind.OUTPUT: OutputContent,
    Kind.LINE: LineContent,
    Kind.ORDER: OrderContent,
    Kind.MATCH: MatchContent,
    Kind.GAPS: GapsContent,
    Kind.CARD: CardContent,
    Kind.PROMPT: PromptContent,
    Kind.EXPERIMENT: ExperimentContent,
    Kind.INTERVIEW: InterviewContent,
}


@dataclass(frozen=True)
class Item:
    """Something a learner answers. `id` outlives renames; `version` changes with every change of the content.

    title: plain text. difficulty: None where the kind has none. set_id: the set that it is in, if any.
    file, line: where it is written, for messages; unknown for an item that comes from a stored version.
    """

    id: str
    kind: Kind
    title: str
    topic_id: str
    set_id: str | None
    difficulty: str | None
    concepts: tuple[str, ...]
    content: Content
    file: Path | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)
    version: str = field(init=False)
    max_centipoints: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_centipoints", _max_centipoints(self.content))
        object.__setattr__(self, "version", hashlib.sha256(_canonical(self.to_json())).hexdigest())

    @property
    def is_keyed(self) -> bool:
        """Whether its key is shown as soon as the answer is stored."""
        return self.kind in KEYED

    @property
    def is_typed(self) -> bool:
        """Whether it is a question whose answer is typed into one field."""
        return self.kind in TYPED

    def to_json(self) -> dict[str, Any]:
        """The whole content version as plain values; the same item gives the same JSON on every machine."""
        content = self.content
        return {
            "format": FORMAT,
            "id": self.id,
            "kind": str(self.kind),
            "title": self.title,
            "topic_id": self.topic_id,
            "set_id": self.set_id,
            "difficulty": self.difficulty,
            "concepts": list(self.concepts),
            "content": content.to_json()
            if isinstance(content, Exercise)
            else content.model_dump(mode="json"),
        }


def item_from_json(data: Mapping[str, Any]) -> Item:
    """The item that `to_json` turned into `data`, with the same version.

    Raises: ValueError (pydantic's included) if `data` is no item of the format that we read.
    """
    if data.get("format") != FORMAT:
        raise ValueError(f"an item of format {data.get('format')!r}; this version reads format {FORMAT}")
    kind = Kind(data["kind"])
    content: Content
    if kind is Kind.EXERCISE:
        content = Exercise.from_json(data["content"])
    else:
        content = _MODELS[kind].model_validate_json(json.dumps(data["content"]))
    return Item(
        id=data["id"],
        kind=kind,
        title=data["title"],
        topic_id=data["topic_id"],
        set_id=data["set_id"],
        difficulty=data["difficulty"],
        concepts=tuple(data["concepts"]),
        content=content,
    )


class StoredItems:
    """Items of stored content versions, each read and checked once. Safe to use from many threads.

    A version never changes, so what was read stays right; the ones used longest ago are let go.
    """

    def __init__(self, kept: int = 256) -> None:
        self._kept = kept
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        self._lock = Lock()

    def get(self, version: Hashable, body: Callable[[], Mapping[str, Any]]) -> Item:
        """The item of a version, whatever names it; `body` gives its JSON and is called only when needed.

        Raises: what item_from_json and `body` raise.
        """
        with self._lock:
            found = self._items.get(version)
            if found is not None:
                self._items.move_to_end(version)
                return found
        read = item_from_json(body())
        with self._lock:
            self._items[version] = read
            while len(self._items) > self._kept:
                self._items.popitem(last=False)
        return read


def _canonical(data: dict[str, Any]) -> bytes:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def _max_centipoints(content: Content) -> int:
    """A choice and a card are worth one point; a prompt and an interview one for each key point."""
    if isinstance(content, Exercise):
        return content.max_centipoints
    if isinstance(content, PromptContent | InterviewContent):
        return 100 * len(content.key_points)
    return 0 if isinstance(content, ExperimentContent) else 100


@dataclass(frozen=True)
class ItemSet:
    """A file of many items. kind: quiz, cards or prompts. intro: Markdown, "" without one."""

    id: str
    title: str
    kind: str
    intro: str
    items: tuple[Item, ...]
    topic_id: str
    file: Path | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)
