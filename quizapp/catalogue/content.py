"""What an item holds, kind by kind: frozen values, also as they are stored with a submission."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from graders.authoring import Identifier, Strict, Text
from graders.exercise import Exercise

GAP = re.compile(r"\{\{(\d{1,2})\}\}")
"""A place to be filled in the code of a question with gaps."""
Entries = Annotated[tuple[Text, ...], Field(min_length=1)]


class CodeProof(Strict):
    """A claim about code that the content check runs. docs/content-format.md explains each field."""

    code: Text
    option: str | None = None
    shows: Literal["right", "wrong"] | None = None
    prints: str | None = None
    raises: Text | None = None
    says: Text | None = None
    line: Annotated[int, Field(ge=1)] | None = None
    holds: tuple[Text, ...] = ()
    after: Identifier | None = None

    @model_validator(mode="after")
    def _claims_something(self) -> CodeProof:
        if self.prints is None and self.raises is None and not self.holds:
            raise ValueError("the proof claims nothing; add prints, raises or holds")
        if self.raises is None and (self.says is not None or self.line is not None):
            raise ValueError("says and line describe an error; add raises")
        if self.line is not None and self.line > self.code.count("\n") + 1:
            raise ValueError(f"code has no line {self.line}; count its lines from 1")
        return self


class Option(Strict):
    """One option of a choice question. `why` is shown after the answer is stored, chosen or not."""

    letter: str
    text: Text
    why: Text


class QuestionTexts(Strict):
    """What all questions with a key have in common, and their tables in a file. `solution` is steps."""

    prompt: Text
    hint: str = ""
    mistakes: tuple[Text, ...] = ()
    solution: tuple[Text, ...] = ()
    quick_check: str = ""
    explanation: str = ""
    errata: tuple[Text, ...] = ()


class ChoiceTexts(QuestionTexts):
    """What a choice question and its table in a file have in common."""

    key: str


class ChoiceContent(ChoiceTexts):
    """A question with one right option. `key` is that option's letter."""

    options: tuple[Option, ...]
    proofs: tuple[CodeProof, ...] = ()


class MultipleContent(QuestionTexts):
    """A question with any number of right options, at least one. `keys` are their letters, in order."""

    keys: tuple[str, ...]
    options: tuple[Option, ...]
    proofs: tuple[CodeProof, ...] = ()


class Known(Strict):
    """A wrong answer that is often typed, and why it is wrong."""

    answer: Text
    why: Text


class NumericTexts(QuestionTexts):
    """What a question for a number and its table have in common.

    answer: the key. tolerance: how far from it a reply may be, inclusive; digits: in its place, to how many
    significant digits. unit: shown behind the field. program: prints the key, and is run by the content
    check.
    """

    answer: float
    tolerance: Annotated[float, Field(ge=0)] = 0
    digits: Annotated[int, Field(ge=1, le=15)] | None = None
    unit: str = ""
    program: str = ""
    known: tuple[Known, ...] = ()


class NumericContent(NumericTexts):
    """A question for a number."""

    proofs: tuple[CodeProof, ...] = ()


class TextTexts(QuestionTexts):
    """What a question for a short text and its table have in common.

    answers: all that are right, the first one shown. case: whether capital letters count.
    program: prints one of them, and is run by the content check.
    """

    answers: Annotated[tuple[Text, ...], Field(min_length=1)]
    case: bool = False
    program: str = ""
    known: tuple[Known, ...] = ()


class TextContent(TextTexts):
    """A question for a word or a few."""

    proofs: tuple[CodeProof, ...] = ()


class OutputTexts(QuestionTexts):
    """What a question for a program's output and its table have in common.

    code: the program, shown and run by the content check. output: what it prints.
    """

    code: Text
    output: Text
    known: tuple[Known, ...] = ()


class OutputContent(OutputTexts):
    """A question for what a program prints."""

    proofs: tuple[CodeProof, ...] = ()


class CardTexts(Strict):
    """What a card and its table in a file have in common."""

    front: Text
    back: Text
    errata: tuple[Text, ...] = ()


class CardContent(CardTexts):
    """A recall card: question on the front, answer behind it."""

    proofs: tuple[CodeProof, ...] = ()


class PromptTexts(Strict):
    """What an open prompt and its table in a file have in common."""

    prompt: Text
    cue: Text
    key_points: Entries
    model_answer: Text
    errata: tuple[Text, ...] = ()


class PromptContent(PromptTexts):
    """A question answered in free text; the learner ticks the key points that the answer holds."""

    proofs: tuple[CodeProof, ...] = ()


class ExperimentTexts(Strict):
    """What an experiment and its file have in common."""

    problem: Text
    metrics: Text
    issue: Text
    task: Text
    rules: tuple[Text, ...] = ()
    hints: tuple[Text, ...] = ()
    exercise: Identifier
    done: tuple[Text, ...] = ()
    before: Text
    after: Text
    takeaway: Text
    bonus: str = ""
    bonus_hint: str = ""
    bonus_exercise: Identifier | None = None
    measurements: str = ""
    questions: tuple[Identifier, ...] = ()
    errata: tuple[Text, ...] = ()


class ExperimentContent(ExperimentTexts):
    """An experiment page. exercise, bonus_exercise, questions: ids of items, which may be broken just now."""

    proofs: tuple[CodeProof, ...] = ()


class FollowUp(Strict):
    """A question that an interviewer asks next, with its answer."""

    question: Text
    answer: Text


class InterviewTexts(Strict):
    """What an interview question and its file have in common."""

    question: Text
    cue: str = ""
    answer: Text
    key_points: Entries
    scenario: str = ""
    mistakes: tuple[Text, ...] = ()
    errata: tuple[Text, ...] = ()


class InterviewContent(InterviewTexts):
    """An interview question, answered like a prompt, with follow-ups."""

    follow_ups: tuple[FollowUp, ...] = ()
    proofs: tuple[CodeProof, ...] = ()


class KnownLine(Strict):
    """A line that is often taken for the faulty one, and why it is sound."""

    line: Annotated[int, Field(ge=1)]
    why: Text


class LineTexts(QuestionTexts):
    """What a question for the faulty line and its table have in common.

    code: the program. line: the faulty one, from 1. fixed: that line as it should be.
    raises: the class name of the error that the program ends with there; without it the program runs through.
    prints: what the mended program prints, and the faulty one does not.
    """

    code: Text
    line: Annotated[int, Field(ge=1)]
    fixed: Text
    raises: Text | None = None
    prints: Text | None = None
    known: tuple[KnownLine, ...] = ()


class LineContent(LineTexts):
    """A question for the line of a program that is wrong."""

    proofs: tuple[CodeProof, ...] = ()

    @property
    def shown_lines(self) -> tuple[str, ...]:
        """The program, line by line."""
        return tuple(self.code.split("\n"))

    @property
    def mended(self) -> str:
        """The program as it should be; the indentation of the faulty line stays."""
        lines = list(self.shown_lines)
        faulty = lines[self.line - 1]
        lines[self.line - 1] = faulty[: len(faulty) - len(faulty.lstrip())] + self.fixed.strip()
        return "\n".join(lines)


class OrderTexts(QuestionTexts):
    """What a question for the order of lines and its table have in common.

    lines: of the program, in a right order. also: other right orders, as places in `lines` from 1.
    distractors: lines that do not belong to it. prints: what the program prints.
    """

    lines: Annotated[tuple[str, ...], Field(min_length=2, max_length=12)]
    also: tuple[tuple[int, ...], ...] = ()
    distractors: Annotated[tuple[str, ...], Field(max_length=6)] = ()
    prints: Text


class OrderContent(OrderTexts):
    """Lines to put in order, some of them to be left out."""

    proofs: tuple[CodeProof, ...] = ()

    @property
    def shown_lines(self) -> tuple[str, ...]:
        """All lines in the order in which they are offered: one that says nothing, and the same each time."""
        return _shuffled((*self.lines, *self.distractors), self.prompt)

    @property
    def right_orders(self) -> tuple[tuple[str, ...], ...]:
        """Every right order, that of the file first."""
        return (self.lines, *(tuple(self.lines[place - 1] for place in order) for order in self.also))


class Pair(Strict):
    """Two things that belong together. left: Markdown in one line. right: plain text, to be chosen."""

    left: Text
    right: Text


class MatchTexts(QuestionTexts):
    """What a question for pairs and its table have in common. distractors: on the right, and of no pair."""

    pairs: Annotated[tuple[Pair, ...], Field(min_length=2, max_length=10)]
    distractors: Annotated[tuple[Text, ...], Field(max_length=6)] = ()


class MatchContent(MatchTexts):
    """Things to be put together in pairs."""

    proofs: tuple[CodeProof, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        """All that can be chosen on the right, each once, in an order that says nothing."""
        return _shuffled({*(pair.right for pair in self.pairs), *self.distractors}, self.prompt)


class Gap(Strict):
    """A place to be filled. answers: all that are right, the first one shown."""

    answers: Annotated[tuple[Text, ...], Field(min_length=1)]


class GapsTexts(QuestionTexts):
    """What a question with gaps and its table have in common.

    code: the program, with {{1}}, {{2}} and so on in place of what is to be filled in. prints: what the
    program prints when it is filled.
    """

    code: Text
    gaps: Annotated[tuple[Gap, ...], Field(min_length=1, max_length=8)]
    prints: Text


class GapsContent(GapsTexts):
    """A program with gaps."""

    proofs: tuple[CodeProof, ...] = ()

    @property
    def pieces(self) -> tuple[str, ...]:
        """What stands before, between and after the gaps."""
        return tuple(GAP.split(self.code)[::2])

    def filled(self, typed: Sequence[str]) -> str:
        """The program with these texts in its gaps."""
        return "".join(part for pair in zip(self.pieces, (*typed, ""), strict=True) for part in pair)


def _shuffled(texts: Iterable[str], salt: str) -> tuple[str, ...]:
    """In an order that says nothing, and is the same each time."""
    return tuple(sorted(texts, key=lambda text: hashlib.sha256(f"{salt}\n{text}".encode()).digest()))


TypedContent = NumericContent | TextContent | OutputContent
KeyedContent = (
    ChoiceContent | MultipleContent | TypedContent | LineContent | OrderContent | MatchContent | GapsContent
)
"""Questions whose key is shown as soon as the answer is stored."""
Content = KeyedContent | CardContent | PromptContent | ExperimentContent | InterviewContent | Exercise
