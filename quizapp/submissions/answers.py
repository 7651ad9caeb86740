"""From the fields of a form to an answer as it is stored, kind by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from quizapp.catalogue.content import (
    ChoiceContent,
    GapsContent,
    InterviewContent,
    LineContent,
    MatchContent,
    MultipleContent,
    OrderContent,
    PromptContent,
)
from quizapp.catalogue.items import TYPED, Item, Kind
from quizapp.catalogue.typed import number, plain_text
from quizapp.submissions.rules import LONGEST_TEXT, Refusal

KEEPS_DRAFT = TYPED | {Kind.PROMPT, Kind.INTERVIEW, Kind.EXERCISE}
LONGEST_TYPED = 4_000  # characters of a number, a short text or an output
TICKED = frozenset({Kind.PROMPT, Kind.INTERVIEW})


@dataclass(frozen=True)
class Read:
    """What was typed, and why it cannot be taken if it cannot.

    answer: as it is stored; with a refusal it is what could be kept of it.
    problem: one sentence that a refusal's own words do not say, or "".
    """

    answer: dict[str, Any] = field(default_factory=dict)
    refusal: Refusal | None = None
    problem: str = ""


def read_answer(item: Item, form: Mapping[str, str]) -> Read:
    """The answer to `item` in the form's fields.

    choice: option, a letter of the question. multiple: option-A and so on, for each that is chosen.
    numeric, text, output: typed. line: its number. match: right-1 and so on. gaps: gap-1 and so on.
    order: place-1 and so on, of each line as it was offered, empty for what is left out.
    card: knew, "yes" or "no". prompt, interview: text. exercise: source.
    Line ends become "\\n"; nothing else of a text is changed, so code stays as typed.
    """
    return _READERS[item.kind](item, form)


def read_draft(item: Item, form: Mapping[str, str]) -> Read:
    """As `read_answer`, but an empty text is something to keep too: the learner may have deleted it."""
    read = read_answer(item, form)
    if item.kind is Kind.NUMERIC and read.refusal is Refusal.UNREADABLE:
        return Read(read.answer)  # half a number, while it is being typed
    if read.refusal is Refusal.EMPTY and item.kind in KEEPS_DRAFT:
        return Read(read.answer)
    return read


def read_ticks(item: Item, values: Iterable[str]) -> tuple[int, ...] | None:
    """Indexes of the ticked key points, each once and in order; None if one is not of this item."""
    content = item.content
    if not isinstance(content, PromptContent | InterviewContent):
        return None
    ticked = set()
    for value in values:
        if not (value.isascii() and value.isdigit() and len(value) < 4):
            return None
        ticked.add(int(value))
    if any(index >= len(content.key_points) for index in ticked):
        return None
    return tuple(sorted(ticked))


def _read_choice(item: Item, form: Mapping[str, str]) -> Read:
    letter = form.get("option", "")
    content = item.content
    assert isinstance(content, ChoiceContent)
    letters = [option.letter for option in content.options]
    if not letter:
        return Read(refusal=Refusal.EMPTY, problem="Choose one of the options.")
    if letter not in letters:
        return Read(refusal=Refusal.UNREADABLE, problem=f"Choose one of {', '.join(letters)}.")
    return Read({"option": letter})


def _read_multiple(item: Item, form: Mapping[str, str]) -> Read:
    content = item.content
    assert isinstance(content, MultipleContent)
    chosen = [option.letter for option in content.options if f"option-{option.letter}" in form]
    if not chosen:
        return Read(refusal=Refusal.EMPTY, problem="Choose at least one of the options.")
    return Read({"options": chosen})


def _read_line(item: Item, form: Mapping[str, str]) -> Read:
    typed = form.get("line", "")
    content = item.content
    assert isinstance(content, LineContent)
    if not typed:
        return Read(refusal=Refusal.EMPTY, problem="Choose one of the lines.")
    numbers = {str(row) for row, line in enumerate(content.shown_lines, start=1) if line.strip()}
    if typed not in numbers:
        return Read(refusal=Refusal.UNREADABLE, problem="Choose one of the lines.")
    return Read({"line": int(typed)})


def _read_order(item: Item, form: Mapping[str, str]) -> Read:
    """The lines in the order of their places; a line without a place is left out."""
    content = item.content
    assert isinstance(content, OrderContent)
    places: dict[int, str] = {}
    for row, line in enumerate(content.shown_lines, start=1):
        place = form.get(f"place-{row}", "")
        if place and not (
            place.isascii() and place.isdigit() and 1 <= int(place) <= len(content.shown_lines)
        ):
            return Read(refusal=Refusal.UNREADABLE, problem="Give each line a place, or leave it out.")
        if place and int(place) in places:
            problem = f"Two lines have the place {place}. Give each a place of its own."
            return Read(refusal=Refusal.UNREADABLE, problem=problem)
        if place:
            places[int(place)] = line
    if not places:
        return Read(refusal=Refusal.EMPTY, problem="Put the lines in order.")
    return Read({"lines": [places[place] for place in sorted(places)]})


def _read_match(item: Item, form: Mapping[str, str]) -> Read:
    """What was chosen for each left side; all of them must have something."""
    content = item.content
    assert isinstance(content, MatchContent)
    chosen = [form.get(f"right-{row}", "") for row in range(1, len(content.pairs) + 1)]
    if any(given and given not in content.choices for given in chosen):
        return Read(refusal=Refusal.UNREADABLE, problem="Choose from what is offered.")
    if not all(chosen):
        return Read(
            {"rights": chosen} if any(chosen) else {}, Refusal.EMPTY, "Choose something for each of them."
        )
    return Read({"rights": chosen})


def _read_gaps(item: Item, form: Mapping[str, str]) -> Read:
    """What was typed into each gap; all of them must have something."""
    content = item.content
    assert isinstance(content, GapsContent)
    typed = [form.get(f"gap-{row}", "") for row in range(1, len(content.gaps) + 1)]
    if sum(map(len, typed)) > LONGEST_TYPED:
        return Read(refusal=Refusal.TOO_LONG, problem=f"At most {LONGEST_TYPED:,} signs fit here.")
    if not all(plain_text(given, case=True) for given in typed) or any("\0" in given for given in typed):
        kept = [given.replace("\0", "") for given in typed]
        return Read({"gaps": kept} if any(kept) else {}, Refusal.EMPTY, "Write something into each gap.")
    return Read({"gaps": typed})


def _read_typed(item: Item, form: Mapping[str, str]) -> Read:
    kind, typed = item.kind, form.get("typed", "")
    read = _read_text("typed", typed)
    if read.refusal is not None:
        return read
    if len(typed) > LONGEST_TYPED:
        return Read(read.answer, Refusal.TOO_LONG, f"At most {LONGEST_TYPED:,} signs fit here.")
    if kind is Kind.NUMERIC and number(typed) is None:
        return Read(
            read.answer,
            Refusal.UNREADABLE,
            "Write a number with a point and no comma, such as 0.25, -3 or 1e-3.",
        )
    if kind is Kind.TEXT and not plain_text(typed, case=True):
        return Read(read.answer, Refusal.EMPTY, "There is nothing in it that can be seen.")
    return read


def _read_card(_item: Item, form: Mapping[str, str]) -> Read:
    knew = form.get("knew", "")
    if knew not in {"yes", "no"}:
        return Read(refusal=Refusal.EMPTY if not knew else Refusal.UNREADABLE, problem="Say yes or no.")
    return Read({"knew": knew == "yes"})


def _read_text(name: str, typed: str) -> Read:
    text = typed.replace("\r\n", "\n").replace("\r", "\n")
    answer = {name: text}
    if len(text) > LONGEST_TEXT:
        return Read(answer, Refusal.TOO_LONG, f"This one has {len(text):,}.")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        return Read(
            {name: text.replace("\0", "")},
            Refusal.UNREADABLE,
            f"There is an invisible NUL sign in line {line}; it has been taken out.",
        )
    if not text.strip():
        return Read(answer, Refusal.EMPTY)
    return Read(answer)


def _read_field(name: str) -> Callable[[Item, Mapping[str, str]], Read]:
    return lambda _item, form: _read_text(name, form.get(name, ""))


_READERS: dict[Kind, Callable[[Item, Mapping[str, str]], Read]] = {
    Kind.CHOICE: _read_choice,
    Kind.MULTIPLE: _read_multiple,
    Kind.NUMERIC: _read_typed,
    Kind.TEXT: _read_typed,
    Kind.OUTPUT: _read_typed,
    Kind.LINE: _read_line,
    Kind.ORDER: _read_order,
    Kind.MATCH: _read_match,
    Kind.GAPS: _read_gaps,
    Kind.CARD: _read_card,
    Kind.PROMPT: _read_field("text"),
    Kind.INTERVIEW: _read_field("text"),
    Kind.EXERCISE: _read_field("source"),
}
ANSWERED = frozenset(_READERS)
"""The kinds that are answered at all."""
