"""Verdicts that need no sandbox: choices by their key, cards and prompts by what the learner says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graders.verdict import Status, Verdict
from quizapp.catalogue.content import CardContent, ChoiceContent, InterviewContent, PromptContent
from quizapp.catalogue.items import Item


def grade(item: Item, answer: Mapping[str, Any]) -> Verdict | None:
    """The verdict on a stored answer, or None where a worker, or the learner's own ticks, are still needed.

    choice: full points for the key, else none. card: full points if they knew it.
    prompt, interview: the share of key points that were ticked, rounded down to whole hundredths of a point;
    passed if all of them were.
    """
    content = item.content
    maximum = item.max_centipoints
    if isinstance(content, ChoiceContent):
        right = answer["option"] == content.key
        return _verdict(right, "Right." if right else "Not right.", maximum if right else 0, maximum)
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


def _verdict(passed: bool, summary: str, centipoints: int, maximum: int) -> Verdict:
    status = Status.PASSED if passed else Status.FAILED
    return Verdict(status=status, summary=summary, centipoints=centipoints, max_centipoints=maximum)
