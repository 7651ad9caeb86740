"""What is not written yet, what gives a question away, and what makes a hint worthless: read, not run."""

from __future__ import annotations

import ast
import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Final

from graders.authoring import ContentError, read_text
from graders.exercise import Exercise
from quizapp.catalogue.assembly import Topic
from quizapp.catalogue.content import ChoiceContent
from quizapp.catalogue.items import Item
from quizapp.catalogue.texts import texts_of

FEWEST_TO_COMPARE: Final = 6  # questions of one set, before a habit of its author shows
MOST_LONGEST: Final = 0.6  # of these, whose key may be the longest option by itself
MOST_ONE_LETTER: Final = 0.6  # of these, whose key may be one and the same letter
_ALIKE: Final = 0.85  # of two hints, by difflib's ratio
_TODO: Final = re.compile(r"\bTODO\b[^\n.,;]{0,60}")

_BY_PLACE: Final = re.compile(
    r"\b(all|none|both|neither|any|each) of (the|these) (above|below|other|others|options|answers)\b"
    r"|\b(the|this) (option|answer) (above|below)\b|\boptions? [A-H]\b"
    r"|\b(both|neither) [A-H] (and|n?or) [A-H]\b",
    re.IGNORECASE,
)


def complaints(items: Iterable[Item]) -> Iterator[ContentError]:
    """What is wrong with the words of questions and with the hints of exercises."""
    sets: dict[str, list[tuple[Item, ChoiceContent]]] = defaultdict(list)
    for item in items:
        if not isinstance(item.content, Exercise):
            yield from _unwritten([item.title, *texts_of(item.content)], item.file or Path(item.id))
        if isinstance(item.content, ChoiceContent):
            yield from _of_options(item, item.content)
            sets[item.set_id or item.id].append((item, item.content))
        elif isinstance(item.content, Exercise):
            yield from of_exercise(item.content)
    for questions in sets.values():
        yield from _of_set(questions)


def of_topic(topic: Topic) -> Iterator[ContentError]:
    """What of a topic's own words, and of the heads of its sets, is not written yet."""
    yield from _unwritten([topic.title, topic.summary], topic.folder / "topic.toml")
    for item_set in topic.sets:
        if item_set.file is not None:
            yield from _unwritten([item_set.title, item_set.intro], item_set.file)
    yield from _unwritten([_text_of(topic.chapter_file)], topic.chapter_file)


def of_exercise(exercise: Exercise) -> Iterator[ContentError]:
    """Hints are there and differ; what is given out is not the answer."""
    item = Path(exercise.folder, "item.toml")
    yield from _unwritten([exercise.prompt], Path(exercise.folder, "prompt.md"))
    own = [text for text in texts_of(exercise) if text != exercise.prompt]
    yield from _unwritten([exercise.title, *own], item)
    if not exercise.hints:
        yield ContentError(item, "hints", "there is no hint", "write two or three, each a step further", 1)
    for (one, first), (other, second) in combinations(enumerate(exercise.hints, start=1), 2):
        if first.strip() in second or difflib.SequenceMatcher(None, first, second).ratio() >= _ALIKE:
            problem = f"hint {other} repeats hint {one}"
            yield ContentError(item, "hints", problem, "let each say what the one before does not", 1)
    if _code(exercise.starter) == _code(exercise.solution):
        problem = "starter.py is solution.py but for comments"
        yield ContentError(Path(exercise.folder, "starter.py"), "", problem, "take the answer out of it", 1)


def _unwritten(texts: Iterable[str], file: Path) -> Iterator[ContentError]:
    """A complaint for each TODO in these texts, which stand in this file."""
    lines = _text_of(file).split("\n")
    for text in texts:
        for found in _TODO.finditer(text):
            line = next((at for at, one in enumerate(lines, start=1) if found.group() in one), None)
            yield ContentError(file, "", f'still says "{found.group()}"', "write it", line)


def _text_of(file: Path) -> str:
    try:
        return read_text(file)
    except ContentError:  # told when it is loaded
        return ""


def _of_options(item: Item, content: ChoiceContent) -> Iterator[ContentError]:
    for option in content.options:
        if place := _BY_PLACE.search(option.text):
            problem = (
                f'option {option.letter} says "{place.group()}", which depends on the order of the options'
            )
            yield _about(item, f"options.{option.letter}", problem, "say what is meant")
    for one, other in combinations(content.options, 2):
        if _plain(one.text) == _plain(other.text):
            problem = f"options {one.letter} and {other.letter} say the same"
            yield _about(item, f"options.{other.letter}", problem, "make them differ, or leave one out")


def _of_set(questions: list[tuple[Item, ChoiceContent]]) -> Iterator[ContentError]:
    if len(questions) < FEWEST_TO_COMPARE:
        return
    last, _ = questions[-1]
    longest = sum(_key_is_longest(content) for _, content in questions)
    if longest > MOST_LONGEST * len(questions):
        problem = f"the key is the longest option in {longest} of {len(questions)} questions of this set"
        yield _about(last, "", problem, "lengthen some wrong options, or shorten the right ones")
    keys = [content.key for _, content in questions]
    letter = max(sorted(set(keys)), key=keys.count)
    if keys.count(letter) > MOST_ONE_LETTER * len(keys):
        problem = f"the key is {letter} in {keys.count(letter)} of {len(keys)} questions of this set"
        yield _about(last, "", problem, "put the right option elsewhere in some")


def _key_is_longest(content: ChoiceContent) -> bool:
    lengths = {option.letter: len(option.text) for option in content.options}
    return all(lengths[content.key] > length for letter, length in lengths.items() if letter != content.key)


def _about(item: Item, place: str, problem: str, remedy: str) -> ContentError:
    named = f'question "{item.id}"'
    where = f"{named}, {place}" if place else named
    return ContentError(item.file or Path(item.id), where, problem, remedy, item.line)


def _plain(text: str) -> str:
    return " ".join(text.split()).strip("`. ")


def _code(source: str) -> str:
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
