"""One topic's folder, read as far as it can be: what is whole is kept, what is not becomes a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from graders.authoring import ContentError, Document, Strict, did_you_mean, is_plain_name, one_file
from graders.exercise import ExerciseError, load_exercise
from graders.toml_lines import Location, line_of
from quizapp.catalogue.chapter import ChapterText, read_chapter
from quizapp.catalogue.content import (
    CardContent,
    CardTexts,
    Content,
    ExperimentContent,
    ExperimentTexts,
    InterviewContent,
    InterviewTexts,
    PromptContent,
    PromptTexts,
)
from quizapp.catalogue.items import Item, ItemSet, Kind
from quizapp.catalogue.question_tables import QUESTION_TABLES
from quizapp.catalogue.tables import (
    CardTable,
    ExperimentTable,
    InterviewTable,
    ItemTable,
    PromptTable,
    SetHead,
    TopicTable,
)


@dataclass(frozen=True)
class LoadedTopic:
    """A topic as its own folder describes it, before ids are compared with other topics.

    parts: sets and single items in the order of topic.toml, then the exercises.
    """

    folder: Path
    id: str
    title: str
    summary: str
    concepts: Mapping[str, str]
    chapter: ChapterText
    parts: tuple[ItemSet | Item, ...]
    line: int | None


@dataclass(frozen=True)
class _Form:
    """How a table becomes an item: its model, and the content made from it."""

    kind: Kind
    table: type[ItemTable]
    content: Callable[[Any], Content]


def _texts(model: type[Strict], table: Strict) -> dict[str, Any]:
    """The fields that a table and a content have in common."""
    return {name: getattr(table, name) for name in model.model_fields}


def _card(table: CardTable) -> CardContent:
    return CardContent(**_texts(CardTexts, table), proofs=table.proof)


def _prompt(table: PromptTable) -> PromptContent:
    return PromptContent(**_texts(PromptTexts, table), proofs=table.proof)


def _experiment(table: ExperimentTable) -> ExperimentContent:
    return ExperimentContent(**_texts(ExperimentTexts, table), proofs=table.proof)


def _interview(table: InterviewTable) -> InterviewContent:
    return InterviewContent(**_texts(InterviewTexts, table), follow_ups=table.follow_up, proofs=table.proof)


_QUESTIONS = {
    name: _Form(kind, table, lambda written: written.content())
    for name, (kind, table) in QUESTION_TABLES.items()
}
_SETS = {
    "quiz": "question",
    "cards": "card",
    "prompts": "prompt",
}
_FORMS = {
    "card": _Form(Kind.CARD, CardTable, _card),
    "prompt": _Form(Kind.PROMPT, PromptTable, _prompt),
}
_SINGLES = {
    "experiment": _Form(Kind.EXPERIMENT, ExperimentTable, _experiment),
    "interview": _Form(Kind.INTERVIEW, InterviewTable, _interview),
}
_KINDS = (*_SETS, *_SINGLES)


def load_topic(folder: Path) -> tuple[LoadedTopic | None, tuple[ContentError, ...]]:
    """The topic in `folder`, and all that is wrong with it. None only if topic.toml itself is faulty."""
    try:
        with one_file(folder / "topic.toml"):
            document = Document.read(folder / "topic.toml")
            table, errors = document.validate(TopicTable, document.data)
            if table is None:
                return None, tuple(errors)
            reader = _TopicReader(document, table)
        with one_file(folder):
            return reader.read(), tuple(reader.problems)
    except ContentError as error:
        return None, (error,)


class _TopicReader:
    """Reads the files of one topic and gathers what is wrong on the way."""

    def __init__(self, document: Document, table: TopicTable) -> None:
        self.folder = document.path.parent
        self.document = document
        self.table = table
        self.problems: list[ContentError] = []

    def read(self) -> LoadedTopic:
        table = self.table
        chapter = self._chapter()
        parts: list[ItemSet | Item | None] = []
        for position, name in enumerate(table.files):
            if self._is_plain_name(("files", position), name, ".toml"):
                parts.append(self._file(self.folder / name))
        for position, name in enumerate(table.exercises):
            if self._is_plain_name(("exercises", position), name, ""):
                parts.append(self._exercise(self.folder / name))
        self._report_strays()
        return LoadedTopic(
            folder=self.folder,
            id=table.id,
            title=table.title,
            summary=table.summary,
            concepts=MappingProxyType(dict(table.concepts)),
            chapter=chapter,
            parts=tuple(part for part in parts if part is not None),
            line=line_of(self.document.lines, ("id",)),
        )

    def _chapter(self) -> ChapterText:
        """The chapter; an empty one if topic.toml names anything but a .md file of its own folder."""
        name = self.table.chapter
        if is_plain_name(name) and name.endswith(".md"):
            chapter = read_chapter(self.folder / name)
        else:
            problem = self.document.error(
                ("chapter",), f'"{name}" cannot be the chapter', "name a .md file of this folder"
            )
            chapter = ChapterText(self.document.path, problems=(problem,), is_readable=False)
        self.problems += chapter.problems
        return chapter

    def _is_plain_name(self, location: Location, name: str, suffix: str) -> bool:
        """Whether an entry of topic.toml names something directly in this folder, and for the first time."""
        listed = getattr(self.table, str(location[0]))
        if not is_plain_name(name) or not name.endswith(suffix) or name == "topic.toml":
            what = "a .toml file" if suffix else "a folder"
            problem, remedy = f'"{name}" cannot be listed here', f"name {what} of this folder"
        elif name in listed[: location[1]]:
            problem, remedy = f'"{name}" is listed twice', "keep one"
        else:
            return True
        self.problems.append(self.document.error(location, problem, remedy))
        return False

    def _report_strays(self) -> None:
        known = {"topic.toml", self.table.chapter, *self.table.files, *self.table.exercises}
        for path in sorted(self.folder.iterdir()):
            if path.name in known or path.name.startswith(".") or path.name == "__pycache__":
                continue
            listed_in = "exercises" if path.is_dir() else "files"
            remedy = f"list it under {listed_in} in topic.toml, or take it out"
            self.problems.append(ContentError(path, "", "is not part of the topic", remedy))

    def _exercise(self, folder: Path) -> Item | None:
        try:
            if folder.is_symlink():
                raise ContentError(folder, "", "is a link", "put the folder itself here")
            exercise = load_exercise(folder)
        except ExerciseError as error:
            self.problems.append(error)
            return None
        path = folder / "item.toml"
        if strange := self._unknown_concept(exercise.concepts):
            name, remedy = strange
            self.problems.append(ContentError(path, "concepts", f'unknown concept "{name}"', remedy))
            return None
        return Item(
            id=exercise.id,
            kind=Kind.EXERCISE,
            title=exercise.title,
            topic_id=self.table.id,
            set_id=None,
            difficulty=exercise.difficulty,
            concepts=exercise.concepts,
            content=exercise,
            file=path,
        )

    def _file(self, path: Path) -> ItemSet | Item | None:
        try:
            with one_file(path):
                return self._part(Document.read(path))
        except ContentError as error:
            self.problems.append(error)
            return None

    def _part(self, document: Document) -> ItemSet | Item | None:
        kind = document.data.get("kind")
        if isinstance(kind, str) and kind in _SETS:
            return self._set(document, _SETS[kind])
        if isinstance(kind, str) and kind in _SINGLES:
            return self._item(document, _SINGLES[kind], document.data, (), set_id=None)
        problem = f'kind is "{kind}"' if isinstance(kind, str) else "kind is missing"
        remedy = did_you_mean(kind, _KINDS) if isinstance(kind, str) else f"write one of {', '.join(_KINDS)}"
        self.problems.append(document.error(("kind",), problem, remedy))
        return None

    def _set(self, document: Document, key: str) -> ItemSet | None:
        data = dict(document.data)
        tables = data.pop(key, ())
        head, errors = document.validate(SetHead, data)
        if head is None:
            self.problems += errors
            return None
        if not isinstance(tables, tuple) or not tables:
            self.problems.append(document.error((key,), f"there is no [[{key}]]", "write at least one"))
            return None
        items = [
            self._item(document, form, table, (key, position), set_id=head.id)
            for position, table in enumerate(tables)
            if (form := _FORMS.get(key) or self._question_form(document, table, (key, position))) is not None
        ]
        return ItemSet(
            id=head.id,
            title=head.title,
            kind=head.kind,
            intro=head.intro,
            items=tuple(item for item in items if item is not None),
            topic_id=self.table.id,
            file=document.path,
            line=line_of(document.lines, ("id",)),
        )

    def _question_form(self, document: Document, table: object, at: Location) -> _Form | None:
        """How a question of the kind that its table names is written; without a kind it is a choice."""
        kind = table.get("kind", "choice") if isinstance(table, dict) else "choice"
        if isinstance(kind, str) and kind in _QUESTIONS:
            return _QUESTIONS[kind]
        remedy = did_you_mean(kind, _QUESTIONS) if isinstance(kind, str) else "write a kind as text"
        self.problems.append(document.error((*at, "kind"), f"kind is {kind!r}", remedy))
        return None

    def _item(
        self, document: Document, form: _Form, data: object, at: Location, *, set_id: str | None
    ) -> Item | None:
        table, errors = document.validate(form.table, data, at)
        if table is not None:
            errors = [
                document.error(at + location, problem, remedy) for location, problem, remedy in table.faults()
            ]
            if strange := self._unknown_concept(table.concepts):
                name, remedy = strange
                errors.append(document.error((*at, "concepts"), f'unknown concept "{name}"', remedy))
        if table is None or errors:
            self.problems += errors
            return None
        return Item(
            id=table.id,
            kind=form.kind,
            title=table.heading,
            topic_id=self.table.id,
            set_id=set_id,
            difficulty=table.level,
            concepts=table.concepts,
            content=form.content(table),
            file=document.path,
            line=line_of(document.lines, (*at, "id")),
        )

    def _unknown_concept(self, concepts: Iterable[str]) -> tuple[str, str] | None:
        """The first concept that topic.toml does not list, with the remedy."""
        for name in concepts:
            if name not in self.table.concepts:
                return name, did_you_mean(name, self.table.concepts)
        return None
