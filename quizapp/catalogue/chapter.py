"""A chapter: Markdown with items and sets placed in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markdown_it.token import Token
from markupsafe import Markup

from graders.authoring import ContentError, did_you_mean, one_file, read_text
from quizapp.catalogue.items import Item, ItemSet
from quizapp.catalogue.markdown import RunFence, parse, plain, render_inline, render_tokens, run_fences

_PLACEMENT = re.compile(r"::(\S+)(?:\s+(\S+))?\s*")
_WORDS = ("item", "set")


@dataclass(frozen=True)
class Html:
    """Rendered prose between headings and placed items."""

    html: Markup


@dataclass(frozen=True)
class Heading:
    """A heading of level 2 or deeper. text is plain, html keeps its marks; slug is unique in the chapter."""

    level: int
    text: str
    html: Markup
    slug: str


@dataclass(frozen=True)
class PlacedItem:
    """An item at its place in the text."""

    item: Item


@dataclass(frozen=True)
class PlacedSet:
    """A whole set at its place in the text."""

    set: ItemSet


@dataclass(frozen=True)
class Placement:
    """A line `::item ID` or `::set ID`, before the id is looked up."""

    word: str
    id: str
    line: int


Block = Html | Heading | PlacedItem | PlacedSet


@dataclass(frozen=True)
class ChapterText:
    """A chapter as it was read: its pieces in order, its programs, and what is wrong with it."""

    file: Path
    pieces: tuple[Html | Heading | Placement, ...] = ()
    fences: tuple[RunFence, ...] = ()
    problems: tuple[ContentError, ...] = ()
    is_readable: bool = True

    def place(
        self, items: Mapping[str, Item], sets: Mapping[str, ItemSet]
    ) -> tuple[tuple[Block, ...], tuple[ContentError, ...]]:
        """The blocks, with each id looked up; one unknown or placed before is left out and reported."""
        blocks: list[Block] = []
        problems: list[ContentError] = []
        placed: set[str] = set()
        for piece in self.pieces:
            if not isinstance(piece, Placement):
                blocks.append(piece)
                continue
            if piece.id in placed:
                problems.append(self._error(f'"{piece.id}" is placed twice', "keep one place", piece.line))
                continue
            placed.add(piece.id)
            if piece.word == "item" and piece.id in items:
                blocks.append(PlacedItem(items[piece.id]))
            elif piece.word == "set" and piece.id in sets:
                blocks.append(PlacedSet(sets[piece.id]))
            else:
                problem = f'there is no {piece.word} "{piece.id}" in this topic'
                remedy = did_you_mean(piece.id, items if piece.word == "item" else sets)
                problems.append(self._error(problem, remedy, piece.line))
        return tuple(blocks), tuple(problems)

    def _error(self, problem: str, remedy: str, line: int) -> ContentError:
        return ContentError(self.file, "", problem, remedy, line)


def read_chapter(path: Path) -> ChapterText:
    """The chapter in a file; a file that cannot be read is an empty chapter with a problem."""
    try:
        with one_file(path):
            return _Reader(path, read_text(path)).read()
    except ContentError as error:
        return ChapterText(path, problems=(error,), is_readable=False)


class _Reader:
    """Walks the top-level tokens once, gathering prose until a heading or a placement ends it."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.pieces: list[Html | Heading | Placement] = []
        self.problems: list[ContentError] = []
        self.prose: list[Token] = []
        self.slugs: set[str] = set()

    def read(self) -> ChapterText:
        tokens = parse(self.text)
        position = 0
        while position < len(tokens):
            token = tokens[position]
            if token.type == "heading_open" and token.level == 0:
                self._heading(token, tokens[position + 1])
                position += 3  # opening, text, closing
            elif token.type == "paragraph_open" and token.level == 0 and self._placed(tokens[position + 1]):
                position += 3
            else:
                self._strange(token)
                self.prose.append(token)
                position += 1
        self._end_prose()
        return ChapterText(self.path, tuple(self.pieces), run_fences(self.text), tuple(self.problems))

    def _heading(self, opening: Token, inline: Token) -> None:
        level = int(opening.tag[1:])
        if level == 1:
            self._complain(opening, "a heading with one #", "write ##; only the topic's title is above")
            level = 2
        self._end_prose()
        text = plain(inline.content)
        self.pieces.append(Heading(level, text, render_inline(inline.content), self._slug(text)))

    def _slug(self, text: str) -> str:
        base = re.sub(r"[^\w]+", "-", text.lower()).strip("-") or "section"
        slug, number = base, 2
        while slug in self.slugs:
            slug, number = f"{base}-{number}", number + 1
        self.slugs.add(slug)
        return slug

    def _placed(self, inline: Token) -> bool:
        """Take a paragraph that places items; False if it is prose."""
        lines = inline.content.split("\n")
        if not any(line.startswith("::") for line in lines):
            return False
        self._end_prose()
        for offset, line in enumerate(lines):
            match = _PLACEMENT.fullmatch(line)
            if match is None:
                self._complain(
                    inline, "text and a :: line in one paragraph", "put an empty line between them", offset
                )
            elif match.group(1) not in _WORDS:
                remedy = did_you_mean(match.group(1), _WORDS)
                self._complain(inline, f'"::{match.group(1)}" is unknown', remedy, offset)
            elif match.group(2) is None:
                self._complain(inline, f'"{line.strip()}" names no id', "add the id after a space", offset)
            else:
                number = (inline.map or [0])[0] + offset + 1
                self.pieces.append(Placement(match.group(1), match.group(2), number))
        return True

    def _strange(self, token: Token) -> None:
        if token.type == "inline" and any(line.startswith("::") for line in token.content.split("\n")):
            self._complain(token, "a :: line inside a list or a quotation", "move it to the left margin")

    def _end_prose(self) -> None:
        if self.prose:
            self.pieces.append(Html(render_tokens(self.prose)))
            self.prose = []

    def _complain(self, token: Token, problem: str, remedy: str, offset: int = 0) -> None:
        line = (token.map or [0])[0] + offset + 1
        self.problems.append(ContentError(self.path, "", problem, remedy, line))
