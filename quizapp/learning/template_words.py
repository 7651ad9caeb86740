"""Filters and functions that templates use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, current_app, url_for
from markupsafe import Markup

from quizapp.catalogue import Catalogue, Item, ItemSet, Kind, Topic
from quizapp.catalogue.markdown import render, render_code, render_inline
from quizapp.grading.questions import gaps_right
from quizapp.learning import pages
from quizapp.learning.pages import in_reading_order
from quizapp.learning.rules import points
from quizapp.learning.typed_words import compared, key_shown

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
    bp.add_app_template_filter(render_code, "python")
    bp.add_app_template_filter(points, "points")
    bp.add_app_template_filter(compared, "compared")
    bp.add_app_template_filter(key_shown, "key_shown")
    bp.add_app_template_filter(gaps_right, "gaps_right")
    bp.add_app_template_filter(_moment, "moment")
    bp.add_app_template_global(lambda: STYLESHEETS, "stylesheets")
    bp.add_app_template_global(_topic_of, "topic_of")
    bp.add_app_template_global(_set_of, "set_of")
    bp.add_app_template_global(onward, "onward")
    bp.add_app_template_global(past_in_chapter, "past_in_chapter")
    bp.add_app_template_global(place_in_chapter, "place_in_chapter")


def _line(text: str) -> Markup:
    return render_inline(text.strip())


def _moment(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%-d %b %Y, %H:%M UTC")


def _topic_of(item: Item) -> Topic | None:
    return catalogue().topic(item.topic_id)


def _set_of(item: Item) -> ItemSet | None:
    return catalogue().item_set(item.set_id) if item.set_id else None


def onward(item: Item) -> Onward | None:
    """What comes after an item: the next of its set, or how that went; the next exercise of the chapter; else
    what follows in the chapter."""
    item_set = _set_of(item)
    if item_set is not None:
        ids = [other.id for other in item_set.items]
        number = ids.index(item.id) + 1 if item.id in ids else len(ids)
        if number < len(ids):
            url = url_for("learning.item_set", set_id=item_set.id, n=number + 1)
            return Onward(url, _NEXT_IN_SET.get(item_set.kind, "Next"))
        return Onward(url_for("learning.item_set", set_id=item_set.id, view="end"), "See how it went")
    topic = _topic_of(item)
    if topic is not None and item.kind is Kind.EXERCISE:
        exercises = [other for other in in_reading_order(topic) if other.kind is Kind.EXERCISE]
        ids = [other.id for other in exercises]
        later = exercises[ids.index(item.id) + 1 :] if item.id in ids else []
        if later:
            return Onward(url_for("learning.item", item_id=later[0].id), "Next exercise")
    return past_in_chapter(item)


def past_in_chapter(item: Item) -> Onward | None:
    """A link to what follows the item, or its set, in the chapter."""
    topic = _topic_of(item)
    if topic is None:
        return None
    url = url_for("learning.topic", topic_id=topic.id, _anchor=pages.past(topic, item))
    return Onward(url, "Go on with the chapter")


def place_in_chapter(item: Item) -> Onward | None:
    """A link to the place of the item, or of its set, in the chapter; None if it has none."""
    topic = _topic_of(item)
    at = pages.place(topic, item) if topic else None
    if topic is None or at is None:
        return None
    return Onward(
        url_for("learning.topic", topic_id=topic.id, _anchor=at), "Back to its place in the chapter"
    )
