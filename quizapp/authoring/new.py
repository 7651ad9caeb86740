"""`quizapp new`: content that already holds, but for what only its author can write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graders.authoring import ContentError, Document
from quizapp.authoring.schemas import write_schemas

START: Final = Path(__file__).parent / "start"
FOLDERS: Final = ("topic", "exercise")
FILES: Final = ("quiz", "cards", "prompts", "experiment", "interview")
KINDS: Final = (*FOLDERS, *FILES)
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class CannotStart(Exception):  # noqa: N818 -- what the author asked for, in words
    """Nothing was written; the text says why, and what to do."""


@dataclass(frozen=True)
class Started:
    """What was written, and what is to be done next, a sentence each."""

    files: tuple[Path, ...]
    next: tuple[str, ...]


def start(kind: str, place: Path, *, root: Path, title: str = "") -> Started:
    """Write new content of a kind at `place`: a path, or a name where it is clear what topic is meant.

    root: the folder of all topics. title: plain; made from the name if it is left out.
    Raises: CannotStart, before anything is written.
    """
    name = place.name.removesuffix(".toml")
    if not _NAME.fullmatch(name) or len(name) > 60:
        raise CannotStart(
            f'"{name}" is no id; use small letters, digits and single hyphens, as in my-exercise'
        )
    folder = _parent(kind, place, root)
    target = folder / (name if kind in FOLDERS else f"{name}.toml")
    if target.exists():
        raise CannotStart(f"{target} is there already; choose another name")
    words = {"@NAME@": name, "@TITLE@": title or name.replace("-", " ").capitalize()}
    if kind == "experiment":
        words["@EXERCISE@"] = _an_exercise(folder)
    written = [*_written(kind, target, words)]
    write_schemas((target.parent if kind == "topic" else folder.parent) / ".schemas")
    return Started(tuple(written), tuple(_next(kind, name, target, folder)))


def _parent(kind: str, place: Path, root: Path) -> Path:
    """The folder in which it is to stand."""
    is_name = len(place.parts) == 1
    if kind == "topic":
        folder = root if is_name else place.parent
        if (folder / "topic.toml").exists():
            raise CannotStart(f"{folder} is a topic itself; topics do not stand in one another")
        return folder
    if not is_name:
        folder = place.parent
    elif Path("topic.toml").exists():
        folder = Path()
    else:
        topics = sorted(file.parent for file in root.glob("*/topic.toml"))
        if len(topics) != 1:
            example = topics[0] if topics else root / "my-topic"
            raise CannotStart(f"say in which topic: quizapp new {kind} {example / place}")
        folder = topics[0]
    if not (folder / "topic.toml").exists():
        raise CannotStart(f"{folder} is no topic; make one with quizapp new topic {folder}")
    return folder


def _written(kind: str, target: Path, words: dict[str, str]) -> Iterator[Path]:
    """Write the files of this kind, and name each."""
    source = START / kind if kind in FOLDERS else START / f"{kind}.toml"
    for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
        if file.is_dir() or "__pycache__" in file.parts:
            continue
        text = file.read_text()
        for mark, word in words.items():
            text = text.replace(mark, word)
        path = target / file.relative_to(source) if source.is_dir() else target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        yield path


def _an_exercise(topic: Path) -> str:
    try:
        listed = Document.read(topic / "topic.toml").data.get("exercises", ())
    except ContentError:
        listed = ()
    return str(listed[0]) if listed else "my-exercise"


def _next(kind: str, name: str, target: Path, folder: Path) -> Iterator[str]:
    yield f"Prove it: quizapp check {target}. What still says TODO is yours to write."
    if kind == "topic":
        yield f"Add an exercise: quizapp new exercise {target / 'my-exercise'}"
        return
    key = "exercises" if kind == "exercise" else "files"
    listed = name if kind == "exercise" else f"{name}.toml"
    word = "item" if kind in {"exercise", "experiment", "interview"} else "set"
    yield f'List it in {folder / "topic.toml"}: "{listed}" under {key}.'
    yield f'Place it in the chapter, on a line of its own: "::{word} {name}"'
