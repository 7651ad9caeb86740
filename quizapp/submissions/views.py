"""Sending answers, running code, asking for verdicts, keeping drafts.

Addresses (every form works without a script; with HX-Request the partial alone is answered):

    POST /items/<item_id>/submissions     version, once, seen (optional), revision (optional: as for a draft;
                                          an older one leaves the draft alone), and the answer's fields:
                                          choice: option=B · card: knew=yes|no · prompt, interview: text=… ·
                                          exercise: source=…
    GET  /submissions/<public_id>         the page of one submission; asks nothing of anybody
    POST /submissions/<public_id>/ticks   ticked=0&ticked=2 (indexes of the key points that were covered)
    POST /items/<item_id>/runs            version, source, revision (optional)
    GET  /runs/<public_id>
    POST or PUT /items/<item_id>/draft    the answer's fields, revision (optional: the one the page knows, 0
                                          for none; without it the draft is overwritten). With PUT or
                                          HX-Request it answers JSON:
                                          200 {"revision": 4, "saved_at": "<ISO 8601>"},
                                          409 {"revision": 5, "answer": {…}} when another page saved first,
                                          422 {"problem": "…"}; a plain POST goes back to the item with 303.

Endpoints: submissions.send, .show, .tick, .run, .show_run, .save_draft.

The hidden fields of an answer form are one include, which an htmx answer replaces out of band:

    {% set tokens = answer_tokens(item, seen=attempts) %}{% include "submissions/_tokens.html" %}

    `answer_tokens` is a template global. seen: how many submissions of this person to this item the page
    knows of (0 on a fresh page; queries.states(...)[item.id].sent). It makes a choice answered in another tab
    meanwhile a refusal, not a free look at the key; leave it out where that does not matter. A form for Run
    alone takes the same include.

What the templates get, always:

    item            the catalogue's Item *as the learner saw it* (the stored version), not the newest
    tokens          fresh ones for the next answer to this item. Every partial that answers htmx ends with
                    {% if partial_only %}{% include "submissions/_tokens.html" %}{% endif %}
    partial         name of the partial, which show.html includes: "submissions/_verdict.html" (exercises),
                    "submissions/_review.html" (all other kinds), "submissions/_run.html",
                    "submissions/_refused.html"
    partial_only    True when the partial alone goes out, to htmx; show.html then is not used
    newer_draft     show.html only: True right after an answer that left a newer draft alone (?newer=1)

_verdict.html and _review.html (also for learning's pages, through `showing.submission_context(submission)`):

    submission      models.Submission: public_id, item_id, attempt_no, created_at, answer (dict as sent:
                    {"option": "B"}, {"knew": true}, {"source": "…"}, {"text": "…"} and later
                    "ticked": [0, 2] beside it)
    attempt         which of the person's attempts it is, counting those that cost one; None if it costs none
    attempts        _verdict.html to htmx only: showing.Attempt for each submission to the item, newest first
    state           "waiting"   a worker has it, ask again
                    "delayed"   we failed several times; it is kept and will be graded; the learner can go on
                    "ticks"     prompts and interviews: stored; show key points and model answer to be ticked
                    or a Status of graders.verdict ("passed", "failed", "error", …)
    verdict         graders.verdict.Verdict (status, summary, centipoints, checks, output, error, …) or None
    reveal          True when key, whys, solution, errata, explanation, model answer may be shown. A template
                    shows none of them otherwise
    poll_url        where to ask again; None unless waiting or delayed. Poll with
                    hx-get="{{ poll_url }}" hx-trigger="load delay:1s" hx-swap="outerHTML" hx-target="this",
                    and show a plain link to it, "Ask again". The page itself carries a Refresh header then
    changed_since   True when the item's files have changed since the learner saw it

_run.html:

    run             models.Run: public_id, source, created_at, finished_at
    state           "waiting", "delayed", or a Status ("passed": it ran to its end)
    report          graders.verdict.RunReport or None
    poll_url        as above

_refused.html (status 409, 422 or 503):

    refusal         rules.Refusal: refusal.title, refusal.text; refusal.value is a slug for data-refusal
    problem         "" or one more sentence about what was typed
    answer          dict of what was typed, kept; offer it again when partial_only is False: with htmx the
                    form is still on the page
    action          "submission" or "run"
    action_url      where the form posts
    draft_revision  the draft's revision that the page knows by now; None for kinds that do not say it
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import BoundedSemaphore
from typing import Any
from uuid import UUID

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    g,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue

from quizapp.accounts.current import ensure_person
from quizapp.accounts.models import Person
from quizapp.accounts.rules import address_group
from quizapp.catalogue import Catalogue
from quizapp.catalogue.items import Item, Kind
from quizapp.config import Settings
from quizapp.db import begin_write, session
from quizapp.grading import questions
from quizapp.grading.nudge import nudge_and_wait
from quizapp.submissions import answers, drafts, queries, showing, versions
from quizapp.submissions.models import ContentVersion, FlightKind, Run, Submission
from quizapp.submissions.rules import QueueLimits, Refusal

WAIT_SECONDS = 1.0
ASK_AGAIN_SECONDS = 3  # without a script; with one the partial asks sooner

bp = Blueprint("submissions", __name__)
bp.add_app_template_global(showing.answer_tokens, "answer_tokens")


@bp.record_once
def _set_up(state: BlueprintSetupState) -> None:
    # Half of the threads stay free for pages, however slow grading is.
    threads: int = state.app.extensions["settings"].web_threads
    state.app.extensions["verdict_waits"] = BoundedSemaphore(max(1, threads // 2))
    state.app.extensions["kept_versions"] = frozenset[str]()


@bp.before_app_request
def _keep_versions() -> None:
    """Store each content version before a page shows it: its answer may come when the files have changed."""
    if request.endpoint == "static":
        return
    catalogue = _catalogue()
    catalogue.refresh()
    items = [item for topic in catalogue.topics() for item in topic.items]
    now = frozenset(item.version for item in items)
    if now == current_app.extensions["kept_versions"]:
        return
    db = session()
    missing = versions.missing_versions(db, items)
    db.commit()
    if missing:
        begin_write(db)
        versions.ensure_versions(db, missing)
        db.commit()
    current_app.extensions["kept_versions"] = now


@bp.after_request
def _vary(response: Response) -> Response:
    response.vary.add("HX-Request")
    return response


@bp.post("/items/<item_id>/submissions")
def send(item_id: str) -> ResponseReturnValue:
    """Store the answer, have it graded, and show what came of it."""
    form = _form(item_id)
    read = answers.read_answer(form.item, request.form)
    if read.refusal is not None:
        return _refused(form, read.refusal, read.answer, problem=read.problem)
    person = ensure_person()
    db = session()
    begin_write(db)
    form = _keep_draft(form, person, read.answer)
    outcome: Submission | Refusal = Refusal.UNKNOWN_VERSION
    if form.version is not None:
        outcome = queries.add_submission(
            db,
            person,
            form.version,
            read.answer,
            once=form.once,
            seen=form.seen,
            address=_address(person),
            verdict=questions.grade(form.item, read.answer),
            limits=_limits(),
        )
    db.commit()
    if isinstance(outcome, Refusal):
        return _refused(form, outcome, read.answer)
    if form.item.kind is Kind.EXERCISE:
        _wait_for(FlightKind.SUBMISSION, outcome.id)
    return _after_post("submissions.show", outcome.public_id, form)


@bp.get("/submissions/<uuid:public_id>")
def show(public_id: UUID) -> ResponseReturnValue:
    """One submission and how it stands."""
    submission = _own_submission(public_id)
    history = queries.history(session(), g.person, submission.item_id)
    attempts = showing.attempts(history)
    context = showing.submission_context(
        submission,
        _catalogue().item(submission.item_id),
        attempt=next(one.number for one in attempts if one.public_id == public_id),
        sent=history[0].attempt_no,
    )
    if _wants_partial() and context["partial"] == "submissions/_verdict.html":
        context["attempts"] = attempts
    return _page(context)


@bp.post("/submissions/<uuid:public_id>/ticks")
def tick(public_id: UUID) -> ResponseReturnValue:
    """Complete a prompt's answer by the key points that the learner finds in it; the first time counts."""
    submission = _own_submission(public_id)
    item = versions.stored_item(submission.version)
    ticked = answers.read_ticks(item, request.form.getlist("ticked"))
    if ticked is None:
        abort(422)
    verdict = questions.grade(item, {**submission.answer, "ticked": ticked})
    if verdict is not None:
        db = session()
        db.commit()  # ends what only read
        begin_write(db)
        queries.add_ticks(db, submission, ticked, verdict)
        db.commit()
    return _after_post("submissions.show", public_id)


@bp.post("/items/<item_id>/runs")
def run(item_id: str) -> ResponseReturnValue:
    """Run the code without grading it, and show what it did."""
    form = _form(item_id)
    if form.item.kind is not Kind.EXERCISE:
        abort(404)
    read = answers.read_answer(form.item, request.form)
    if read.refusal is not None:
        return _refused(form, read.refusal, read.answer, problem=read.problem, action="run")
    person = ensure_person()
    db = session()
    begin_write(db)
    form = _keep_draft(form, person, read.answer)
    outcome: Run | Refusal = Refusal.UNKNOWN_VERSION
    if form.version is not None:
        outcome = queries.add_run(
            db, person, form.version, read.answer["source"], address=_address(person), limits=_limits()
        )
    db.commit()
    if isinstance(outcome, Refusal):
        return _refused(form, outcome, read.answer, action="run")
    _wait_for(FlightKind.RUN, outcome.id)
    return _after_post("submissions.show_run", outcome.public_id, form)


@bp.get("/runs/<uuid:public_id>")
def show_run(public_id: UUID) -> ResponseReturnValue:
    """One run and what it did."""
    found = queries.run_for(session(), g.person, public_id) if g.person else None
    if found is None:
        abort(404)
    sent = queries.sent_count(session(), g.person, found.item_id)
    return _page(showing.run_context(found, _catalogue().item(found.item_id), sent=sent))


@bp.route("/items/<item_id>/draft", methods=["POST", "PUT"])
def save_draft(item_id: str) -> ResponseReturnValue:
    """Keep what is typed so far."""
    item = _catalogue().item(item_id)
    if item is None or item.kind not in answers.ANSWERED:
        abort(404)
    read = answers.read_draft(item, request.form)
    by_script = request.method == "PUT" or _wants_partial()
    if read.refusal is not None:
        if by_script:
            return jsonify(problem=f"{read.refusal.text} {read.problem}".rstrip()), read.refusal.status_code
        return _refused(_form(item_id), read.refusal, read.answer, problem=read.problem)
    person = ensure_person()
    db = session()
    begin_write(db)
    revision = request.form.get("revision", type=int) if by_script else None
    kept = drafts.save_draft(db, person, item_id, read.answer, revision=revision)
    db.commit()
    if not by_script:
        return redirect(url_for("learning.item", item_id=item_id), 303)
    if isinstance(kept, drafts.Conflict):
        return jsonify(revision=kept.draft.revision, answer=kept.draft.answer), 409
    return jsonify(revision=kept.revision, saved_at=kept.updated_at.isoformat())


@dataclass(frozen=True)
class _Form:
    """What a form says of itself.

    version: the stored version that the learner saw; None if there is none of that hash for this item.
    item: as the learner saw it; without a version, as it is now. current: as it is now, if it still is there.
    revision: of the draft, as far as the page knows; None if it does not say. newer: there is a newer one.
    """

    item_id: str
    version: ContentVersion | None
    item: Item
    current: Item | None
    once: str
    seen: int | None
    revision: int | None
    newer: bool = False


def _form(item_id: str) -> _Form:
    """The form that was sent for this item; 404 for an item that is unknown or is not answered."""
    db = session()
    version = versions.version_seen(db, item_id, request.form.get("version", ""))
    current = _catalogue().item(item_id)
    item = versions.stored_item(version) if version is not None else current
    db.commit()  # ends what only read: what follows begins a transaction that writes
    if item is None or item.kind not in answers.ANSWERED:
        abort(404)
    return _Form(
        item_id=item_id,
        version=version,
        item=item,
        current=current,
        once=request.form.get("once", ""),
        seen=request.form.get("seen", type=int),
        revision=request.form.get("revision", type=int),
    )


def _keep_draft(form: _Form, person: Person, answer: dict[str, Any]) -> _Form:
    """Keep what is sent as the draft too, unless another page saved a newer one; the form as it is then.

    Without a script a page that one went back to knows an old revision: there what the person sent last,
    which is stored anyway, gives way.
    """
    db = session()
    kept = drafts.save_draft(db, person, form.item_id, answer, revision=form.revision)
    if isinstance(kept, drafts.Conflict):
        if _wants_partial() or not queries.was_sent_last(db, person, form.item_id, kept.draft.answer):
            return replace(form, newer=True)
        kept = drafts.save_draft(db, person, form.item_id, answer, revision=None)
        assert not isinstance(kept, drafts.Conflict)
    return replace(form, revision=kept.revision if form.revision is not None else None)


def _refused(
    form: _Form, why: Refusal, answer: dict[str, Any], *, problem: str = "", action: str = "submission"
) -> ResponseReturnValue:
    """Say why the answer was not taken, with what was typed and a form that can be sent again."""
    sent = queries.sent_count(session(), g.person, form.item_id) if g.person else 0
    endpoint = "submissions.run" if action == "run" else "submissions.send"
    return _page(
        {
            "refusal": why,
            "problem": problem,
            "answer": answer,
            "action": action,
            "action_url": url_for(endpoint, item_id=form.item_id),
            "item": form.item,
            "tokens": showing.answer_tokens(form.current or form.item, sent),
            "draft_revision": form.revision,
            "partial": "submissions/_refused.html",
        },
        why.status_code,
    )


def _after_post(endpoint: str, public_id: UUID, form: _Form | None = None) -> ResponseReturnValue:
    """The partial to htmx; a plain form goes on to the page, which can be reloaded without sending again."""
    if not _wants_partial():
        newer = 1 if form is not None and form.newer else None
        return redirect(url_for(endpoint, public_id=public_id, newer=newer), 303)
    return show(public_id) if endpoint == "submissions.show" else show_run(public_id)


def _page(context: dict[str, Any], status: int = 200) -> ResponseReturnValue:
    if _wants_partial():
        return render_template(context["partial"], partial_only=True, **context), status
    newer = "newer" in request.args
    page = render_template("submissions/show.html", partial_only=False, newer_draft=newer, **context)
    response = current_app.make_response((page, status))
    if context.get("poll_url"):
        response.headers["Refresh"] = str(ASK_AGAIN_SECONDS)
    return response


def _wants_partial() -> bool:
    # htmx says "full" when it is going to replace the whole page.
    return request.headers.get("HX-Request") == "true" and request.headers.get("HX-Request-Type") != "full"


def _wait_for(kind: FlightKind, id_: int) -> None:
    """Nudge the worker, and wait a little for the end unless too many already do."""
    waits: BoundedSemaphore = current_app.extensions["verdict_waits"]
    may_wait = waits.acquire(blocking=False)
    try:
        nudge_and_wait(_settings(), kind, id_, WAIT_SECONDS if may_wait else 0)
    finally:
        if may_wait:
            waits.release()


def _own_submission(public_id: UUID) -> Submission:
    found = queries.submission_for(session(), g.person, public_id) if g.person else None
    if found is None:
        abort(404)
    return found


def _address(person: Person) -> str | None:
    return None if person.has_account else address_group(request.remote_addr)


def _limits() -> QueueLimits:
    settings = _settings()
    return QueueLimits(people=settings.queue_limit, anonymous=settings.anonymous_in_flight)


def _settings() -> Settings:
    found: Settings = current_app.extensions["settings"]
    return found


def _catalogue() -> Catalogue:
    found: Catalogue = current_app.extensions["catalogue"]
    return found
