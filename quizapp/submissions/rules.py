"""The rules of sending and grading: functions of plain values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from graders.verdict import Status

LONGEST_TEXT = 60_000  # characters of one answer: a long program, and far below what the wire carries
KEPT_RUNS = timedelta(days=1)
LEASE = timedelta(minutes=3)  # longer than any grading; a claim older than this belongs to a worker that died
TRIES_AT_ONCE = 3  # faults of ours before the learner is set free and the next tries are spread out
LONGEST_DELAY = timedelta(hours=1)


class Refusal(Enum):
    """Why an answer was not taken. Each has a title and a text for the learner and an HTTP status."""

    IN_FLIGHT = "in-flight"
    QUEUE_FULL = "queue-full"
    ADDRESS_BUSY = "address-busy"
    UNKNOWN_VERSION = "unknown-version"
    ANSWERED_ELSEWHERE = "answered-elsewhere"
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    TOO_LONG = "too-long"

    @property
    def title(self) -> str:
        """What happened, in a few words."""
        return _WORDS[self][0]

    @property
    def text(self) -> str:
        """Why, and what to do next."""
        return _WORDS[self][1]

    @property
    def status_code(self) -> int:
        """409: the state of things forbids it now. 422: what was sent. 503: we are too busy."""
        return _WORDS[self][2]


_WORDS: dict[Refusal, tuple[str, str, int]] = {
    Refusal.IN_FLIGHT: (
        "Your last one is still being worked on",
        "One Run or Submit at a time: wait until it has its answer, then send this again."
        " What you typed is kept.",
        409,
    ),
    Refusal.QUEUE_FULL: (
        "Too many people are waiting",
        "The queue is full at the moment. What you typed is kept; send it again in a minute.",
        503,
    ),
    Refusal.ADDRESS_BUSY: (
        "Too many are waiting from your network",
        "Several people without an account are waiting at your address. What you typed is kept; send it again"
        " in a minute, or make an account, which has a place of its own.",
        503,
    ),
    Refusal.UNKNOWN_VERSION: (
        "This page is out of date",
        "The question is no longer the one on your page, and the one on your page is not stored here."
        " What you typed is kept; look at the question once more and send it again.",
        409,
    ),
    Refusal.ANSWERED_ELSEWHERE: (
        "You have answered this meanwhile",
        "Another tab or device sent an answer after this page was opened, so this one was not counted."
        " Look at what it said; to try once more, send this again.",
        409,
    ),
    Refusal.EMPTY: (
        "There is nothing to send yet",
        "Write or choose an answer first. This did not count as an attempt.",
        422,
    ),
    Refusal.UNREADABLE: (
        "This answer could not be read",
        "It does not fit the question. This did not count as an attempt.",
        422,
    ),
    Refusal.TOO_LONG: (
        "This answer is too long",
        f"An answer may have up to {LONGEST_TEXT:,} characters. Shorten it and send it again; it did not"
        " count as an attempt.",
        422,
    ),
}


@dataclass(frozen=True)
class QueueLimits:
    """people: how many may have something in flight. anonymous: those without account at one address."""

    people: int = 200
    anonymous: int = 8


def queue_refusal(limits: QueueLimits, *, in_flight: int, from_address: int) -> Refusal | None:
    """Why one more may not queue, or None. in_flight and from_address count those already there.

    The last free place may be taken: with a limit of 8 and 7 there, one more goes in.
    """
    if from_address >= limits.anonymous:
        return Refusal.ADDRESS_BUSY
    return Refusal.QUEUE_FULL if in_flight >= limits.people else None


def seen_refusal(*, seen: int | None, sent: int, key_was_shown: bool) -> Refusal | None:
    """Why an answer from a page that knows of `seen` submissions may not be sent after `sent` of them.

    seen: None from a page that does not say. Only where sending shows the key does it matter: it was then
    seen in another tab.
    """
    if key_was_shown and seen is not None and seen != sent:
        return Refusal.ANSWERED_ELSEWHERE
    return None


def once_key(once: str, answer: Mapping[str, Any]) -> str:
    """What makes a submission one of a kind for its person: the form's id together with the answer.

    The same form sent twice is a double click. The same form with another answer is one that the learner went
    back to and changed, and is not lost.
    """
    text = json.dumps([once, answer], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def next_try(tries: int, now: datetime) -> datetime:
    """When to grade again after `tries` faults of ours (at least 1): soon at first, then ever later."""
    if tries < TRIES_AT_ONCE:
        return now + timedelta(seconds=tries - 1)
    doublings = min(tries - TRIES_AT_ONCE, 10)
    return now + min(timedelta(seconds=30 * (1 << doublings)), LONGEST_DELAY)


def keeps_place(tries: int) -> bool:
    """Whether something with so many faults of ours still holds its person's one place in flight."""
    return tries < TRIES_AT_ONCE


def state(*, waits_for: str | None, tries: int, status: str | None) -> str:
    """How a submission stands, in one word: a Status once it is graded, else waiting, delayed or ticks."""
    if status is not None:
        return status
    if waits_for == "learner":
        return "ticks"
    return "waiting" if keeps_place(tries) else "delayed"


def attempt_numbers(statuses: Iterable[str | None]) -> list[int | None]:
    """Which of a person's attempts at an item each submission is, from 1; None for one that does not count.

    statuses: of the submissions' verdicts, the oldest first; None for one that is not graded yet.
    """
    numbers: list[int | None] = []
    counted = 0
    for status in statuses:
        costs = status is not None and Status(status).costs_attempt
        counted += costs
        numbers.append(counted if costs else None)
    return numbers


def reveals(*, is_code: bool, status: str | None) -> bool:
    """Whether key, whys and worked solution may be shown with a stored submission.

    A question's key may, as soon as the answer is stored. A code exercise's solution waits for a verdict that
    counted as an attempt, so that an empty try, or a fault of ours, does not give it away.
    """
    if not is_code:
        return True
    return status is not None and Status(status).costs_attempt
