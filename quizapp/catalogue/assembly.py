"""From topics as they were read to one consistent whole: ids are unique, and what is named exists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from graders.authoring import ContentError, did_you_mean, one_file, shown
from quizapp.catalogue.chapter import Block, PlacedItem, PlacedSet
from quizapp.catalogue.content import CodeProof, ExperimentContent
from quizapp.catalogue.items import Item, ItemSet, Kind
from quizapp.catalogue.loader import LoadedTopic
from quizapp.catalogue.markdown import RunFence


@dataclass(frozen=True)
class Topic:
    """A course. concepts: slug to title. parts: sets and single items in order, the exercises last.

    fences: the programs in the chapter, which stands in chapter_file.
    """

    id: str
    title: str
    summary: str
    concepts: Mapping[str, str]
    chapter: tuple[Block, ...]
    parts: tuple[ItemSet | Item, ...]
    folder: Path
    chapter_file: Path
    fences: tuple[RunFence, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """Every item in order, the sets' included."""
        return tuple(item for part in self.parts for item in _items_of(part))

    @property
    def sets(self) -> tuple[ItemSet, ...]:
        """The sets, in order."""
        return tuple(part for part in self.parts if isinstance(part, ItemSet))


@dataclass(frozen=True)
class Snapshot:
    """All content at one moment; replaced as a whole, never changed."""

    topics: Mapping[str, Topic] = field(default_factory=dict)
    items: Mapping[str, Item] = field(default_factory=dict)
    sets: Mapping[str, ItemSet] = field(default_factory=dict)
    problems: tuple[ContentError, ...] = ()


def assemble(loaded: Iterable[LoadedTopic], problems: Iterable[ContentError]) -> Snapshot:
    """One snapshot of all topics. The second use of an id is left out and reported, with both places."""
    assembly = _Assembly(list(problems))
    for topic in loaded:
        try:
            with one_file(topic.folder):
                assembly.add(topic)
        except ContentError as error:
            assembly.problems.append(error)
    return assembly.snapshot()


class _Assembly:
    def __init__(self, problems: list[ContentError]) -> None:
        self.problems = problems
        self.topics: dict[str, Topic] = {}
        self.items: dict[str, Item] = {}
        self.sets: dict[str, ItemSet] = {}
        self.used: dict[str, str] = {}  # id of an item or set -> where it was first used

    def snapshot(self) -> Snapshot:
        return Snapshot(
            MappingProxyType(self.topics),
            MappingProxyType(self.items),
            MappingProxyType(self.sets),
            tuple(self.problems),
        )

    def add(self, loaded: LoadedTopic) -> None:
        if first := self.topics.get(loaded.id):
            path, remedy = loaded.folder / "topic.toml", "give this one its own id"
            problem = f'the topic id "{loaded.id}" is already used in {shown(first.folder / "topic.toml")}'
            self.problems.append(ContentError(path, "id", problem, remedy, loaded.line))
            return
        parts = tuple(kept for part in loaded.parts if (kept := self._keep(part)) is not None)
        sets = {part.id: part for part in parts if isinstance(part, ItemSet)}
        items = {item.id: item for part in parts for item in _items_of(part)}
        blocks, problems = loaded.chapter.place(items, sets)
        self.problems += problems
        self.items |= items
        self.sets |= sets
        for item in items.values():
            self._check_names(item, items)
        if loaded.chapter.is_readable:
            self._check_places(parts, blocks)
        self.topics[loaded.id] = Topic(
            id=loaded.id,
            title=loaded.title,
            summary=loaded.summary,
            concepts=loaded.concepts,
            chapter=blocks,
            parts=parts,
            folder=loaded.folder,
            chapter_file=loaded.chapter.file,
            fences=loaded.chapter.fences,
        )

    def _keep(self, part: ItemSet | Item) -> ItemSet | Item | None:
        """The part without anything whose id is taken; None if its own id is, or if nothing is left."""
        if not self._claim(part):
            return None
        if isinstance(part, Item):
            return part
        items = tuple(item for item in part.items if self._claim(item))
        return replace(part, items=items) if items else None

    def _claim(self, part: ItemSet | Item) -> bool:
        assert part.file is not None, "loaded parts know their file"
        here = shown(part.file) if part.line is None else f"{shown(part.file)}:{part.line}"
        if part.id in self.used:
            problem = f'the id "{part.id}" is already used in {self.used[part.id]}'
            self.problems.append(
                ContentError(part.file, "id", problem, "give this one its own id", part.line)
            )
            return False
        self.used[part.id] = here
        return True

    def _check_names(self, item: Item, known: Mapping[str, Item]) -> None:
        """Report other items that this one names and that are not in the topic; the item itself stays."""
        content = item.content
        named: list[tuple[str, str, Kind]] = []
        if isinstance(content, ExperimentContent):
            named.append(("exercise", content.exercise, Kind.EXERCISE))
            if content.bonus_exercise:
                named.append(("bonus_exercise", content.bonus_exercise, Kind.EXERCISE))
            named += [("questions", question, Kind.CHOICE) for question in content.questions]
        named += [("after", proof.after, Kind.EXERCISE) for proof in proofs_of(item) if proof.after]
        for key, name, kind in named:
            if name not in known or known[name].kind is not kind:
                assert item.file is not None, "loaded items know their file"
                what = "exercise" if kind is Kind.EXERCISE else "choice question"
                remedy = did_you_mean(name, [other.id for other in known.values() if other.kind is kind])
                problem = f'there is no {what} "{name}" in this topic'
                place = f'"{item.id}", {key}'
                self.problems.append(ContentError(item.file, place, problem, remedy, item.line))

    def _check_places(self, parts: Iterable[ItemSet | Item], blocks: Iterable[Block]) -> None:
        """Report what learners never meet: neither placed itself, nor by its set, nor by an experiment."""
        shown_items: set[str | None] = {block.item.id for block in blocks if isinstance(block, PlacedItem)}
        shown_sets = {block.set.id for block in blocks if isinstance(block, PlacedSet)}
        for part in parts:
            if isinstance(part, Item) and isinstance(part.content, ExperimentContent):
                shown_items |= {part.content.exercise, part.content.bonus_exercise, *part.content.questions}
        for part in parts:
            if part.id in shown_sets:
                continue
            hidden = [item for item in _items_of(part) if item.id not in shown_items]
            if isinstance(part, ItemSet) and len(hidden) == len(part.items):
                self._report_hidden(part, "set")
                continue
            for item in hidden:
                self._report_hidden(item, "item")

    def _report_hidden(self, part: ItemSet | Item, word: str) -> None:
        assert part.file is not None, "loaded parts know their file"
        problem = "the chapter places it nowhere, so that no learner finds it"
        remedy = f'put a line "::{word} {part.id}" into the chapter where it belongs'
        self.problems.append(ContentError(part.file, f'"{part.id}"', problem, remedy, part.line))


def proofs_of(item: Item) -> tuple[CodeProof, ...]:
    """The item's claims about code; an exercise has none, it is proved by its own files."""
    return () if item.kind is Kind.EXERCISE else item.content.proofs  # type: ignore[union-attr]


def _items_of(part: ItemSet | Item) -> tuple[Item, ...]:
    return part.items if isinstance(part, ItemSet) else (part,)
