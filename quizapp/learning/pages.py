"""What the learner's pages show, put together from content and from what one person has done with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import url_for
from sqlalchemy.orm import Session

from graders.verdict import Status
from quizapp.accounts.models import Person
from quizapp.catalogue import Item, ItemSet, Kind, Topic
from quizapp.catalogue.chapter import Block, Heading, Html, PlacedItem, PlacedSet
from quizapp.learning.rules import Mark, first_open, mark, mark_of_many, share
from quizapp.submissions import drafts, queries
from quizapp.submissions.models import Draft, Submission
from quizapp.submissions.queries import ItemState
from quizapp.submissions.showing import submission_context

# Kinds that have a page of their own, and are a door to it in a chapter.
_DOORS = {
    Kind.EXERCISE: ("Exercise", "Open the exercise"),
    Kind.EXPERIMENT: ("Experiment", "Open the experiment"),
    Kind.INTERVIEW: ("Interview question", "Open the question"),
}
_ONE_OF = {"quiz": ("question", "questions"), "cards": ("card", "cards"), "prompts": ("prompt", "prompts")}


@dataclass(frozen=True)
class Standing:
    """What one person has sent and typed: all that a page needs to know of them."""

    states: Mapping[str, ItemState] = field(default_factory=dict)
    latest: Mapping[str, Submission] = field(default_factory=dict)
    drafts: Mapping[str, Draft] = field(default_factory=dict)

    def mark(self, item_id: str) -> Mark:
        """How far the person is with an item."""
        return mark(self.states.get(item_id))

    def sent(self, item_id: str) -> int:
        """How many submissions to the item there are."""
        state = self.states.get(item_id)
        return state.sent if state else 0


def read_standing(db: Session, person: Person | None, items: Iterable[Item] = ()) -> Standing:
    """States of everything; of `items` also the last answers and what was typed. Five queries at most.

    person: None for somebody unknown, who has done nothing.
    """
    if person is None:
        return Standing()
    ids = [item.id for item in items]
    states = queries.states(db, person)
    if not ids:
        return Standing(states)
    return Standing(states, queries.latest(db, person, ids), drafts.drafts(db, person, ids))


@dataclass(frozen=True)
class Door:
    """An item or a set that opens on a page of its own. note: what it is; action: what its button says."""

    title: str
    note: str
    url: str
    action: str
    mark: Mark


@dataclass(frozen=True)
class Entry:
    """One item at its place on a page: a door, an answered item (shown), or a form.

    shown: the context of submissions/_review.html, which holds key and whys; None before an answer is stored.
    again: an answered item that is opened to be answered once more.
    """

    item: Item
    mark: Mark
    sent: int = 0
    shown: Mapping[str, Any] | None = None
    draft: Mapping[str, Any] = field(default_factory=dict)
    draft_revision: int = 0
    door: Door | None = None
    again: bool = False


def entry(item: Item, standing: Standing, *, again: bool = False) -> Entry:
    """The item to answer, or as it was answered last; again: to answer once more."""
    submission = standing.latest.get(item.id)
    draft = standing.drafts.get(item.id)
    shown = None
    if submission and not again:
        state, verdict = standing.states.get(item.id), submission.verdict
        # The last submission, if it counts, is the last of those that count.
        counts = state is not None and verdict is not None and Status(verdict.status).costs_attempt
        shown = submission_context(submission, item, attempt=state.attempts if state and counts else None)
    return Entry(
        item=item,
        mark=standing.mark(item.id),
        sent=standing.sent(item.id),
        shown=shown,
        draft=draft.answer if draft else {},
        draft_revision=draft.revision if draft else 0,
        again=again,
    )


def placed(item: Item, standing: Standing) -> Entry:
    """The item at its place in a chapter."""
    if item.kind not in _DOORS:
        return entry(item, standing)
    what, action = _DOORS[item.kind]
    note = f"{what} · {item.difficulty}" if item.difficulty else what
    item_mark = standing.mark(item.id)
    door = Door(item.title, note, url_for("learning.item", item_id=item.id), action, item_mark)
    return Entry(item=item, mark=item_mark, door=door)


def set_door(item_set: ItemSet, standing: Standing) -> Door:
    """A set at its place in a chapter."""
    marks = [standing.mark(item.id) for item in item_set.items]
    done, whole = marks.count("done"), mark_of_many(marks)
    one, many = _ONE_OF.get(item_set.kind, ("item", "items"))
    note = f"{len(marks)} {one if len(marks) == 1 else many}"
    if whole != "open":
        note += f" · {done} done"
    action = {"open": "Start", "tried": "Go on", "done": "Look again"}[whole]
    return Door(item_set.title, note, url_for("learning.item_set", set_id=item_set.id), action, whole)


@dataclass(frozen=True)
class TocLine:
    """A line of the table of contents. mark: None for a heading. item_id: "" for a heading or a set."""

    title: str
    anchor: str
    mark: Mark | None = None
    item_id: str = ""


@dataclass(frozen=True)
class Placed:
    """One block of a chapter: prose, a heading, an item's entry or a set's door. anchor: for links, or ""."""

    html: str = ""
    heading: Heading | None = None
    entry: Entry | None = None
    door: Door | None = None
    anchor: str = ""


def chapter(topic: Topic, standing: Standing) -> tuple[list[Placed], list[TocLine]]:
    """The chapter's blocks and its table of contents."""
    blocks: list[Placed] = []
    toc: list[TocLine] = []
    for block in topic.chapter:
        if isinstance(block, Html):
            blocks.append(Placed(html=block.html, anchor=_after(blocks)))
        elif isinstance(block, Heading):
            blocks.append(Placed(heading=block, anchor=block.slug))
            if block.level == 2:
                toc.append(TocLine(block.text, block.slug))
        elif isinstance(block, PlacedItem):
            at = anchor(block.item.id)
            found = placed(block.item, standing)
            blocks.append(Placed(entry=found, anchor=at))
            toc.append(TocLine(block.item.title, at, found.mark, block.item.id))
        elif isinstance(block, PlacedSet):
            at = anchor(block.set.id)
            door = set_door(block.set, standing)
            blocks.append(Placed(door=door, anchor=at))
            toc.append(TocLine(block.set.title, at, door.mark))
    return blocks, toc


def anchor(placed_id: str) -> str:
    """Where an item or a set stands in its chapter."""
    return f"at-{placed_id}"


def _after(blocks: Sequence[Placed]) -> str:
    """The anchor of prose that follows these blocks; "" if it follows no item and no set."""
    last = blocks[-1] if blocks else None
    return f"after-{last.anchor}" if last and (last.entry or last.door) else ""


def place(topic: Topic, item: Item) -> str | None:
    """The anchor of an item, or of its set, in the chapter; None if neither is placed there."""
    found = _places(topic, item)
    return _block_anchor(found[0]) if found else None


def past(topic: Topic, item: Item) -> str | None:
    """The anchor of what follows an item, or its set, in the chapter; its own at the end; None as above."""
    found = _places(topic, item)
    if not found:
        return None
    here, following = found
    if following is None:
        return _block_anchor(here)
    return f"after-{_block_anchor(here)}" if isinstance(following, Html) else _block_anchor(following)


def _places(topic: Topic, item: Item) -> tuple[Block, Block | None] | None:
    """The block that shows the item, itself before its set, with the block after it."""
    blocks = [*topic.chapter]
    alone = [n for n, one in enumerate(blocks) if isinstance(one, PlacedItem) and one.item.id == item.id]
    in_set = [n for n, one in enumerate(blocks) if isinstance(one, PlacedSet) and one.set.id == item.set_id]
    for number in alone + in_set:
        return blocks[number], blocks[number + 1] if number + 1 < len(blocks) else None
    return None


def _block_anchor(block: Block) -> str:
    if isinstance(block, Heading):
        return block.slug
    if isinstance(block, Html):
        return ""
    return anchor(block.item.id if isinstance(block, PlacedItem) else block.set.id)


@dataclass(frozen=True)
class Course:
    """A topic and how far one person is with it. share: of its items, 0 to 1, that are done."""

    topic: Topic
    parts: Sequence[tuple[str, Sequence[tuple[Item, Mark, ItemState | None]]]]
    done: int
    tried: int
    count: int
    share: float
    centipoints: int
    max_centipoints: int
    next_item: Item | None


def course(topic: Topic, standing: Standing) -> Course:
    """How far the person is, part by part: the sets, then what stands alone."""
    parts: list[tuple[str, list[tuple[Item, Mark, ItemState | None]]]] = []
    alone: dict[str, list[tuple[Item, Mark, ItemState | None]]] = {}
    for part in topic.parts:
        if isinstance(part, ItemSet):
            parts.append((part.title, [_row(item, standing) for item in part.items]))
        else:
            alone.setdefault(_heading_alone(part), []).append(_row(part, standing))
    parts += alone.items()
    items = [item for item in topic.items if item.kind is not Kind.EXPERIMENT]
    states = [state for item in items if (state := standing.states.get(item.id))]
    marks = [standing.mark(item.id) for item in items]
    return Course(
        topic=topic,
        parts=[(title, [row for row in rows if row[0].kind is not Kind.EXPERIMENT]) for title, rows in parts],
        done=marks.count("done"),
        tried=marks.count("tried"),
        count=len(items),
        share=share(marks),
        centipoints=sum(state.best_centipoints or 0 for state in states),
        max_centipoints=sum(item.max_centipoints for item in items),
        next_item=first_open(in_reading_order(topic), standing.mark),
    )


def _row(item: Item, standing: Standing) -> tuple[Item, Mark, ItemState | None]:
    return item, standing.mark(item.id), standing.states.get(item.id)


def _heading_alone(item: Item) -> str:
    return {Kind.EXERCISE: "Exercises", Kind.INTERVIEW: "Interview"}.get(item.kind, "More")


def in_reading_order(topic: Topic) -> list[Item]:
    """The items in the order of the chapter, then those that it does not place."""
    order: list[Item] = []
    for block in topic.chapter:
        if isinstance(block, PlacedItem):
            order.append(block.item)
        elif isinstance(block, PlacedSet):
            order += block.set.items
    placed_ids = {item.id for item in order}
    order += [item for item in topic.items if item.id not in placed_ids]
    return [item for item in order if item.kind is not Kind.EXPERIMENT]
