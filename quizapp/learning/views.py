"""The learner's pages. Every one is read-only: answers go to quizapp.submissions.

Endpoints: learning.home, .topic, .item_set, .item, .progress, .patterns (debug and tests only).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from flask import Blueprint, abort, current_app, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from graders.exercise import Exercise
from graders.verdict import Status
from quizapp.accounts.models import Person
from quizapp.authoring.views import loadable
from quizapp.catalogue import Item, ItemSet, Kind
from quizapp.catalogue.content import ExperimentContent
from quizapp.db import session
from quizapp.learning import pages, patterns, template_words
from quizapp.learning.pages import Standing, read_standing
from quizapp.learning.rules import starting_place
from quizapp.learning.template_words import catalogue
from quizapp.submissions import drafts, queries
from quizapp.submissions.models import Draft, Submission
from quizapp.submissions.showing import attempts, submission_context

bp = Blueprint("learning", __name__)
template_words.init_blueprint(bp)

# The two runs that stand side by side on the home page, and the one that its slider starts with.
_SHOWN_RUNS = ("0.75", "1.00")


@bp.get("/")
def home() -> ResponseReturnValue:
    """One sentence, one button, and the thing itself; then the courses."""
    standing = read_standing(session(), _person())
    courses = [pages.course(topic, standing) for topic in catalogue().topics()]
    stored = _branch_runs()
    shown = [run for run in stored["runs"] if run["x"] in _SHOWN_RUNS]
    return render_template("learning/home.html", courses=courses, stored=stored, shown=shown)


@bp.get("/topics/<topic_id>")
def topic(topic_id: str) -> ResponseReturnValue:
    """A chapter with its items where they belong."""
    found = catalogue().topic(topic_id) or abort(404)
    standing = read_standing(session(), _person(), found.items)
    blocks, toc = pages.chapter(found, standing)
    return render_template(
        "learning/topic.html", topic=found, course=pages.course(found, standing), blocks=blocks, toc=toc
    )


@bp.get("/sets/<set_id>")
def item_set(set_id: str) -> ResponseReturnValue:
    """A set: one item at a time (?n=2), all (?view=all), or how it went (?view=end).

    ?again=<item id> opens an answered one. A number past either end leads to the nearest one.
    """
    found = catalogue().item_set(set_id) or abort(404)
    standing = read_standing(session(), _person(), found.items)
    again = request.args.get("again", "")
    marks = [standing.mark(item.id) for item in found.items]
    if "n" in request.args:
        asked = request.args.get("n", type=int)
        nearest = min(max(asked, 1), len(marks)) if asked is not None else abort(404)
        if nearest != asked:
            return redirect(url_for(".item_set", set_id=set_id, n=nearest))
    if request.args.get("view") == "end":
        return _end_of_set(found, standing)
    number = starting_place(request.args.get("n", type=int), marks)
    view = request.args.get("view") or ("all" if found.kind == "prompts" else "one")
    shown = found.items if view == "all" else found.items[number - 1 : number]
    return render_template(
        "learning/set.html",
        set=found,
        topic=catalogue().topic(found.topic_id),
        entries=[pages.entry(item, standing, again=item.id == again) for item in shown],
        marks=marks,
        number=number,
        view="all" if view == "all" else "one",
    )


def _end_of_set(found: ItemSet, standing: Standing) -> ResponseReturnValue:
    """How many were right the last time, which are to be looked at again, and what to do next."""
    verdicts = {one: sent.verdict for one, sent in standing.latest.items()}
    last = [verdict.status if (verdict := verdicts.get(item.id)) else None for item in found.items]
    return render_template(
        "learning/set_end.html",
        set=found,
        topic=catalogue().topic(found.topic_id),
        rows=list(zip(found.items, last, strict=True)),
        right=last.count(Status.PASSED.value),
    )


@bp.get("/items/<item_id>")
def item(item_id: str) -> ResponseReturnValue:
    """One item alone. ?again=1 opens an answered one; ?code=given or ?code=<id of a submission> puts that
    code in the editor, and for authors ?code=solution or ?code=wrong/<file>.
    """
    found = catalogue().item(item_id) or abort(404)
    if found.kind is Kind.EXERCISE:
        return _exercise(found)
    if found.kind is Kind.EXPERIMENT:
        return _experiment(found)
    standing = read_standing(session(), _person(), [found])
    entry = pages.entry(found, standing, again="again" in request.args)
    return render_template(
        "learning/item.html", item=found, entry=entry, topic=catalogue().topic(found.topic_id)
    )


@bp.get("/progress")
def progress() -> ResponseReturnValue:
    """What the person has done, item by item, and what to do next."""
    standing = read_standing(session(), _person())
    courses = [pages.course(topic, standing) for topic in catalogue().topics()]
    return render_template("learning/progress.html", courses=courses, anything=bool(standing.states))


@bp.get("/patterns")
def show_patterns() -> ResponseReturnValue:
    """Every component in every state, for those who work on them."""
    if not (current_app.debug or current_app.testing):
        abort(404)
    return render_template("learning/patterns.html", **patterns.samples(catalogue()))


def _exercise(found: Item) -> ResponseReturnValue:
    content = found.content
    assert isinstance(content, Exercise)
    person, db = _person(), session()
    # The newest with all that it holds, before the rest: those that are loaded stay as they are.
    newest = queries.latest(db, person, [found.id]).get(found.id) if person else None
    past = queries.history(db, person, found.id) if person and newest else []
    kept = drafts.draft(db, person, found.id) if person else None
    sent = attempts(past)
    typed = _source(content, newest, kept)
    context = submission_context(newest, found, attempt=sent[0].number) if newest else None
    return render_template(
        "learning/exercise.html",
        item=found,
        topic=catalogue().topic(found.topic_id),
        content=content,
        attempts=sent,
        latest=context,
        sent=past[0].attempt_no if past else 0,
        source=_asked_code(found, content) or typed,
        typed=typed,
        draft_revision=kept.revision if kept else 0,
    )


def _asked_code(found: Item, content: Exercise) -> str | None:
    """The code that the address asks for: the given one, that of an earlier submission, or an author's."""
    asked = request.args.get("code", "")
    if asked == "given":
        return content.starter
    for code in loadable(found):
        if asked == code.name:
            return code.source
    person = _person()
    try:
        submission = queries.submission_for(session(), person, UUID(asked)) if person else None
    except ValueError:
        return None
    return submission.answer["source"] if submission and submission.item_id == found.id else None


def _source(content: Exercise, newest: Submission | None, kept: Draft | None) -> str:
    """What stands in the editor: what was typed last, sent or not; at first the starter.

    What is sent becomes the draft too, unless that is newer; so the draft, where there is one, is the last.
    """
    typed = kept.answer.get("source") if kept else None
    if typed is None and newest:
        typed = newest.answer.get("source")
    return content.starter if typed is None else str(typed)


def _experiment(found: Item) -> ResponseReturnValue:
    content = found.content
    assert isinstance(content, ExperimentContent)
    items = catalogue()
    questions = [question for one in content.questions if (question := items.item(one))]
    exercise = items.item(content.exercise)
    bonus = items.item(content.bonus_exercise) if content.bonus_exercise else None
    needed = [*questions, *(one for one in (exercise, bonus) if one)]
    standing = read_standing(session(), _person(), needed)
    built = standing.latest.get(content.exercise)
    return render_template(
        "learning/experiment.html",
        item=found,
        topic=items.topic(found.topic_id),
        content=content,
        entries=[pages.entry(question, standing) for question in questions],
        exercise=pages.placed(exercise, standing) if exercise else None,
        bonus=pages.placed(bonus, standing) if bonus else None,
        # What was measured and learnt is for those who have built the model.
        reveal=built is not None and submission_context(built)["reveal"],
    )


def _person() -> Person | None:
    found: Person | None = g.get("person")
    return found


@cache
def _branch_runs() -> dict[str, Any]:
    path = Path(__file__).parent.parent / "static" / "data" / "branch_runs.json"
    stored: dict[str, Any] = json.loads(path.read_text())
    return stored
