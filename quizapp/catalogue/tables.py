"""The tables of content files as authors write them, and the rules that need more than one key to state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from graders.authoring import Identifier, Strict, Text
from graders.toml_lines import Location
from quizapp.catalogue.content import (
    CardTexts,
    ChoiceTexts,
    CodeProof,
    ExperimentTexts,
    FollowUp,
    InterviewTexts,
    PromptTexts,
)
from quizapp.catalogue.markdown import plain

Fault = tuple[Location, str, str]
"""Where in the table, what is wrong, what to do."""
LETTERS = "ABCDEFGH"


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


class OptionTable(Strict):
    """[question.options.A]."""

    text: Text
    why: Text


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
                yield ("proof", position, "option"), "only a question has options", "take option out"
            elif proof.shows is not None:
                yield ("proof", position, "shows"), "shows is about an option", "take shows out"


class QuestionTable(ItemTable, ChoiceTexts):
    """[[question]]."""

    kind: Literal["choice"] = "choice"
    title: Text
    difficulty: Literal["easy", "medium", "hard"]
    options: dict[str, OptionTable]

    @property
    def heading(self) -> str:
        """The short title."""
        return self.title

    @property
    def level(self) -> str:
        """easy, medium or hard."""
        return self.difficulty

    def faults(self) -> Iterator[Fault]:
        """Options without a gap, a key and proofs that name one, and something to read after the answer."""
        letters = sorted(self.options)
        named = ", ".join(letters)
        if not 2 <= len(letters) <= len(LETTERS) or letters != list(LETTERS[: len(letters)]):
            yield (
                ("options",),
                f"the options are {named or 'missing'}",
                "write A, B, … without a gap, two to eight of them",
            )
        elif self.key not in letters:
            yield ("key",), f'key is "{self.key}"', f"it must be one of {named}"
        seen: dict[str, str] = {}
        for letter in letters:
            text = " ".join(self.options[letter].text.split())
            if text in seen:
                yield (
                    ("options", letter, "text"),
                    f"options {seen[text]} and {letter} are the same",
                    "reword one",
                )
            seen[text] = letter
        for position, proof in enumerate(self.proof):
            if proof.option is not None and proof.option not in letters:
                yield (
                    ("proof", position, "option"),
                    f'option is "{proof.option}"',
                    f"it must be one of {named}",
                )
        if self.key in letters:
            yield from self._unproved_key()
        if not self.solution and not self.explanation.strip():
            yield (), "neither solution nor explanation is there", "write at least one of them"

    def _unproved_key(self) -> Iterator[Fault]:
        """Where the key and what the proofs show of the options are at odds. One fault, the first."""
        about = [(position, proof) for position, proof in enumerate(self.proof) if proof.option is not None]
        for position, proof in about:
            option, at = proof.option, ("proof", position)
            if proof.shows is None:
                remedy = f'write shows = "right" if this makes {option} the answer, else shows = "wrong"'
                yield at, f"the proof of option {option} does not say what it shows", remedy
                return
            if (proof.shows == "right") != (option == self.key):
                problem = (
                    f'key is "{self.key}", and proof {position + 1} shows that {option} is {proof.shows}'
                )
                yield ("key",), problem, "find out which of the two is true, and change the other"
                return
        for position, proof in enumerate(self.proof):
            if proof.option is None and proof.shows is not None:
                yield ("proof", position, "shows"), "shows is about an option", "name the option"
                return
        if about and all(proof.shows == "wrong" for _, proof in about):
            remedy = f'add one with option = "{self.key}" and shows = "right"'
            yield ("key",), f'no proof shows that "{self.key}" is right', remedy


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
