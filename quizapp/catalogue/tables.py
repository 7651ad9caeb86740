"""The tables of content files as authors write them, and the rules that need more than one key to state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from graders.authoring import Identifier, Strict, Text
from graders.toml_lines import Location
from quizapp.catalogue.content import (
    CardTexts,
    CodeProof,
    ExperimentTexts,
    FollowUp,
    InterviewTexts,
    PromptTexts,
)
from quizapp.catalogue.markdown import plain

Fault = tuple[Location, str, str]
"""Where in the table, what is wrong, what to do."""


class TopicTable(Strict):
    """topic.toml."""

    id: Identifier
    title: Text
    summary: str = ""
    chapter: Text = "chapter.md"
    files: tuple[Text, ...] = ()
    exercises: tuple[Text, ...] = ()
    concepts: dict[Identifier, Text] = Field(default_factory=dict)


class SetHead(Strict):
    """The head of a file of many items; the items' tables are read one by one."""

    id: Identifier
    title: Text
    kind: Literal["quiz", "cards", "prompts"]
    intro: str = ""


class ItemTable(Strict):
    """What every item's table has."""

    id: Identifier
    concepts: tuple[Identifier, ...] = ()
    proof: tuple[CodeProof, ...] = ()

    @property
    def heading(self) -> str:
        """The item's title, plain."""
        raise NotImplementedError

    @property
    def level(self) -> str | None:
        """The item's difficulty, where the kind has one."""
        return None

    def faults(self) -> Iterator[Fault]:
        """What is wrong although each key by itself is right."""
        for position, proof in enumerate(self.proof):
            if proof.option is not None:
                yield ("proof", position, "option"), "only a choice has options", "take option out"
            elif proof.shows is not None:
                yield ("proof", position, "shows"), "shows is about an option", "take shows out"


class CardTable(ItemTable, CardTexts):
    """[[card]]."""

    difficulty: Literal["beginner", "intermediate", "advanced"]

    @property
    def heading(self) -> str:
        """The front's first line."""
        return plain(self.front)

    @property
    def level(self) -> str:
        """beginner, intermediate or advanced."""
        return self.difficulty


class PromptTable(ItemTable, PromptTexts):
    """[[prompt]]."""

    title: Text

    @property
    def heading(self) -> str:
        """The short title."""
        return self.title


class ExperimentTable(ItemTable, ExperimentTexts):
    """A file with kind = "experiment"."""

    kind: Literal["experiment"]
    title: Text

    @property
    def heading(self) -> str:
        """The title."""
        return self.title


class InterviewTable(ItemTable, InterviewTexts):
    """A file with kind = "interview"."""

    kind: Literal["interview"]
    title: Text
    follow_up: Annotated[tuple[FollowUp, ...], Field()] = ()

    @property
    def heading(self) -> str:
        """The title."""
        return self.title
