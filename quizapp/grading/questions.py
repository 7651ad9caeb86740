"""Verdicts that need no sandbox: questions by their key, cards and prompts by the learner's own word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graders.verdict import Status, Verdict
from quizapp.catalogue.content import (
    CardContent,
    ChoiceContent,
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
    TypedContent,
)
from quizapp.catalogue.items import Item
from quizapp.catalogue.question_tables import bounds
from quizapp.catalogue.typed import is_near, number, plain_output, plain_text


def grade(item: Item, answer: Mapping[str, Any]) -> Verdict | None:
    """The verdict on a stored answer, or None where a worker, or the learner's own ticks, are still needed.

    choice, numeric, text, output, line, order: full points for what is right, else none.
    match, gaps: each pair or gap counts, and only all of them pass.
    multiple: each right option that is chosen counts, each wrong one takes one back, never below 0, and only
    all of them pass. card: full points if they knew it.
    prompt, interview: the share of key points that were ticked, rounded down to whole hundredths of a point;
    passed if all of them were.
    """
    content = item.content
    maximum = item.max_centipoints
    if isinstance(content, ChoiceContent):
        right = answer["option"] == content.key
        return _verdict(right, "Right." if right else "Not right.", maximum if right else 0, maximum)
    if isinstance(content, MultipleContent):
        return _multiple(content, set(answer["options"]), maximum)
    if isinstance(content, TypedContent):
        right = is_right(content, answer["typed"])
        why = "" if right else known(content, answer["typed"])
        return _verdict(
            right, "Right." if right else f"Not right. {why}".strip(), maximum if right else 0, maximum
        )
    if isinstance(content, LineContent):
        right = answer["line"] == content.line
        why = next((known.why for known in content.known if known.line == answer["line"]), "")
        return _verdict(
            right, "Right." if right else f"Not right. {why}".strip(), maximum if right else 0, maximum
        )
    if isinstance(content, OrderContent):
        right = tuple(answer["lines"]) in content.right_orders
        return _verdict(
            right,
            "Right." if right else f"Not right. {_first_difference(content, answer['lines'])}",
            maximum if right else 0,
            maximum,
        )
    if isinstance(content, MatchContent):
        hits = [given == pair.right for given, pair in zip(answer["rights"], content.pairs, strict=True)]
        return _parts(hits, "pairs", maximum)
    if isinstance(content, GapsContent):
        return _parts(gaps_right(content, answer["gaps"]), "gaps", maximum)
    if isinstance(content, CardContent):
        knew = bool(answer["knew"])
        return _verdict(
            knew, "You knew it." if knew else "Not yet: it will come again.", maximum if knew else 0, maximum
        )
    if isinstance(content, PromptContent | InterviewContent) and "ticked" in answer:
        of, covered = len(content.key_points), len(set(answer["ticked"]))
        points = maximum * covered // of if of else maximum
        return _verdict(
            covered == of, f"You covered {covered} of {of} key points, by your own count.", points, maximum
        )
    return None


def gaps_right(content: GapsContent, typed: Sequence[str]) -> list[bool]:
    """Of each gap, whether one of its answers was typed; blanks are counted once, capital letters count."""
    return [
        plain_text(given, case=True) in {plain_text(answer, case=True) for answer in gap.answers}
        for given, gap in zip(typed, content.gaps, strict=True)
    ]


def _parts(hits: Sequence[bool], what: str, maximum: int) -> Verdict:
    right, of = sum(hits), len(hits)
    said = "Right." if right == of else f"{right} of {of} {what} are right."
    return _verdict(right == of, said, maximum * right // of, maximum)


def is_right(content: TypedContent, typed: str) -> bool:
    """Whether what was typed is the key, as the learner was told that it is compared."""
    if isinstance(content, NumericContent):
        reply = number(typed)
        return reply is not None and is_near(reply, *bounds(content))
    if isinstance(content, OutputContent):
        return plain_output(typed) == plain_output(content.output)
    reply_text = plain_text(typed, case=content.case)
    return any(reply_text == plain_text(answer, case=content.case) for answer in content.answers)


def known(content: TypedContent, typed: str) -> str:
    """Why this well-known wrong answer is wrong; "" for any other."""
    for one in content.known:
        if isinstance(content, NumericContent):
            same = number(typed) == number(one.answer)
        elif isinstance(content, TextContent):
            same = plain_text(typed, case=content.case) == plain_text(one.answer, case=content.case)
        else:
            same = plain_output(typed) == plain_output(one.answer)
        if same:
            return one.why
    return ""


def _first_difference(content: OrderContent, lines: Sequence[str]) -> str:
    """How far an order is right, by the right one that it follows longest."""
    alike = max(_alike(order, lines) for order in content.right_orders)
    if alike == len(lines):
        return "So far it is right, and there is more to come."
    if alike == 0:
        return "It does not begin like this."
    return "The first line is right." if alike == 1 else f"The first {alike} lines are right."


def _alike(order: Sequence[str], lines: Sequence[str]) -> int:
    """How many lines at the start are the same."""
    count = 0
    for right, given in zip(order, lines, strict=False):
        if right != given:
            break
        count += 1
    return count


def _multiple(content: MultipleContent, chosen: set[str], maximum: int) -> Verdict:
    keys = set(content.keys)
    found, wrong = len(chosen & keys), len(chosen - keys)
    points = maximum * max(0, found - wrong) // len(keys)
    said = f"You found {found} of {len(keys)} right options"
    said += f", and chose {wrong} that {'is' if wrong == 1 else 'are'} not right." if wrong else "."
    return _verdict(chosen == keys, "Right, all of them." if chosen == keys else said, points, maximum)


def _verdict(passed: bool, summary: str, centipoints: int, maximum: int) -> Verdict:
    status = Status.PASSED if passed else Status.FAILED
    return Verdict(status=status, summary=summary, centipoints=centipoints, max_centipoints=maximum)
