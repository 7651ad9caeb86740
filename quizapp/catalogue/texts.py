"""The Markdown of an item, wherever it stands in it."""

from __future__ import annotations

from collections.abc import Iterator

from graders.exercise import Exercise
from quizapp.catalogue.content import Content


def texts_of(content: Content) -> Iterator[str]:
    """The Markdown of an item, wherever it stands in it."""
    if isinstance(content, Exercise):
        yield from (content.prompt, content.explanation, *content.hints, *content.mistakes, *content.errata)
    else:
        yield from _strings(content.model_dump(exclude={"proofs"}))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _strings(part)
