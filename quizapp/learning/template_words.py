"""Filters and functions that templates use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, current_app, url_for
from markupsafe import Markup

from quizapp.catalogue import Catalogue, Item, ItemSet, Kind, Topic
from quizapp.catalogue.markdown import render, render_inline
from quizapp.learning.pages import anchor
from quizapp.learning.rules import points

STYLESHEETS = (
    "tokens.css",
    "base.css",
    "layout.css",
    "prose.css",
    "controls.css",
    "marks.css",
    "question.css",
    "verdict.css",
    "exercise.css",
    "recall.css",
    "graph.css",
    "toc.css",
    "chapter.css",
    "list.css",
)
_NEXT_IN_SET = {"quiz": "Next question", "cards": "Next card", "prompts": "Next prompt"}


@dataclass(frozen=True)
class Onward:
    """A link to what comes next."""

    url: str
    label: str


def catalogue() -> Catalogue:
    """The content as it is now."""
    found: Catalogue = current_app.extensions["catalogue"]
    return found


def init_blueprint(bp: Blueprint) -> None:
    """Give the words to every template of the app."""
    bp.add_app_template_filter(render, "md")
    bp.add_app_template_filter(_line, "md_line")
    bp.add_app_template_filter(points, "points")
    bp.add_app_template_filter(_moment, "moment")
    bp.add_app_template_global(lambda: STYLESHEETS, "stylesheets")
    bp.add_app_template_global(_topic_of, "topic_of")
    bp.add_app_template_global(_set_of, "set_of")
    bp.add_app_template_global(onward, "onward")


def _line(text: str) -> Markup:
    return render_inline(text.strip())


def _moment(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%-d %b %Y, %H:%M UTC")


def _topic_of(item: Item) -> Topic | None:
    return catalogue().topic(item.topic_id)


def _set_of(item: Item) -> ItemSet | None:
    return catalogue().item_set(item.set_id) if item.set_id else None


def onward(item: Item) -> Onward | None:
    """What comes after an item: the next of its set, the next exercise, else its place in the chapter."""
    item_set = _set_of(item)
    if item_set is not None:
        ids = [other.id for other in item_set.items]
        number = ids.index(item.id) + 1 if item.id in ids else len(ids)
        if number < len(ids):
            url = url_for("learning.item_set", set_id=item_set.id, n=number + 1)
            return Onward(url, _NEXT_IN_SET.get(item_set.kind, "Next"))
        return _back_to_chapter(item.topic_id, item_set.id)
    topic = _topic_of(item)
    if topic is not None and item.kind is Kind.EXERCISE:
        exercises = [other for other in topic.items if other.kind is Kind.EXERCISE]
        later = exercises[[other.id for other in exercises].index(item.id) + 1 :] if item in exercises else []
        if later:
            return Onward(url_for("learning.item", item_id=later[0].id), "Next exercise")
    return _back_to_chapter(item.topic_id, item.id)


def _back_to_chapter(topic_id: str, placed_id: str) -> Onward | None:
    if catalogue().topic(topic_id) is None:
        return None
    return Onward(
        url_for("learning.topic", topic_id=topic_id, _anchor=anchor(placed_id)), "Go on with the chapter"
    )
