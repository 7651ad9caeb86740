"""What the templates of submissions and runs are given; the list of it stands at the top of `views`."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from flask import url_for

from graders.verdict import RunReport, Verdict
from quizapp.catalogue.items import Item, Kind
from quizapp.submissions import rules
from quizapp.submissions.models import Run, Submission
from quizapp.submissions.queries import Sent
from quizapp.submissions.versions import stored_item


@dataclass(frozen=True)
class Tokens:
    """The hidden fields of one answer form. seen: None leaves the field out."""

    item_id: str
    version: str
    once: str
    seen: int | None


def answer_tokens(item: Item, seen: int | None = None) -> Tokens:
    """New hidden fields for a form that shows `item` to someone with `seen` submissions to it."""
    return Tokens(item_id=item.id, version=item.version, once=secrets.token_urlsafe(16), seen=seen)


@dataclass(frozen=True)
class Attempt:
    """One line of "Your attempts". number: None if it did not count. status: None until it is graded.

    url: of the page that shows it.
    """

    public_id: UUID
    url: str
    number: int | None
    status: str | None
    centipoints: int
    max_centipoints: int
    created_at: datetime


def attempts(history: Sequence[Sent]) -> list[Attempt]:
    """The lines for this history: all of one person's submissions to one item, in its order, newest first."""
    if not history:
        return []
    numbers = rules.attempt_numbers(one.status for one in reversed(history))
    # The same up to the id: to have each built from the routes takes longer than all the rest of a long list.
    newest = history[0].public_id
    start = url_for("submissions.show", public_id=newest).removesuffix(str(newest))
    return [
        Attempt(
            public_id=one.public_id,
            url=f"{start}{one.public_id}",
            number=number,
            status=one.status,
            centipoints=one.centipoints or 0,
            max_centipoints=one.max_centipoints or 0,
            created_at=one.created_at,
        )
        for one, number in zip(history, reversed(numbers), strict=True)
    ]


def submission_context(
    submission: Submission,
    current: Item | None = None,
    *,
    attempt: int | None = None,
    sent: int | None = None,
) -> dict[str, Any]:
    """The context of _verdict.html or _review.html. The submission has its version and verdict loaded.

    current: the item as it is now, if it is still there; the next answer is to that.
    attempt: which attempt it is; None if it does not count, or is not graded yet.
    sent: the person's submissions to it so far; None: this is the last.
    """
    seen_item = stored_item(submission.version)
    stored = submission.verdict
    state = rules.state(
        waits_for=submission.waits_for,
        tries=submission.tries,
        status=stored.status if stored else None,
    )
    is_code = seen_item.kind is Kind.EXERCISE
    return {
        "submission": submission,
        "attempt": attempt,
        "item": seen_item,
        "state": state,
        # What only authors may read stays behind.
        "verdict": replace(Verdict.from_json(stored.body), author_log="") if stored else None,
        "reveal": rules.reveals(is_code=is_code, status=stored.status if stored else None),
        "poll_url": url_for("submissions.show", public_id=submission.public_id) if _waits(state) else None,
        "changed_since": current is not None and current.version != seen_item.version,
        "tokens": answer_tokens(current or seen_item, submission.attempt_no if sent is None else sent),
        "partial": "submissions/_verdict.html" if is_code else "submissions/_review.html",
    }


def run_context(run: Run, current: Item | None = None, *, sent: int | None = None) -> dict[str, Any]:
    """The context of _run.html. The run has its version loaded. current, sent: as above."""
    seen_item = stored_item(run.version)
    state = rules.state(
        waits_for=None if run.finished_at else "grader",
        tries=run.tries,
        status=run.report["status"] if run.report else None,
    )
    return {
        "run": run,
        "item": seen_item,
        "state": state,
        "report": RunReport.from_json(run.report) if run.report else None,
        "poll_url": url_for("submissions.show_run", public_id=run.public_id) if _waits(state) else None,
        "tokens": answer_tokens(current or seen_item, sent),
        "partial": "submissions/_run.html",
    }


def _waits(state: str) -> bool:
    return state in {"waiting", "delayed"}
