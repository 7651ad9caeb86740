"""[[question]]: one table for each kind of question, as authors write it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, Literal

from graders.authoring import Strict, Text
from quizapp.catalogue.content import (
    GAP,
    ChoiceContent,
    ChoiceTexts,
    GapsContent,
    GapsTexts,
    KeyedContent,
    Known,
    LineContent,
    LineTexts,
    MatchContent,
    MatchTexts,
    MultipleContent,
    NumericContent,
    NumericTexts,
    Option,
    OrderContent,
    OrderTexts,
    OutputContent,
    OutputTexts,
    QuestionTexts,
    TextContent,
    TextTexts,
)
from quizapp.catalogue.items import Kind
from quizapp.catalogue.tables import Fault, ItemTable
from quizapp.catalogue.typed import half_of_last_digit, is_near, number, plain_output, plain_text

LETTERS = "ABCDEFGH"


class OptionTable(Strict):
    """[question.options.A]."""

    text: Text
    why: Text


class QuestionTable(ItemTable, QuestionTexts):
    """What the tables of all kinds have."""

    title: Text
    difficulty: Literal["easy", "medium", "hard"]

    @property
    def heading(self) -> str:
        """The short title."""
        return self.title

    @property
    def level(self) -> str:
        """easy, medium or hard."""
        return self.difficulty

    def content(self) -> KeyedContent:
        """The question."""
        raise NotImplementedError

    def faults(self) -> Iterator[Fault]:
        """Something to read after the answer, and what ItemTable says."""
        yield from super().faults()
        if not self.solution and not self.explanation.strip():
            yield (), "neither solution nor explanation is there", "write at least one of them"


class _WithOptions(QuestionTable):
    options: dict[str, OptionTable]

    @property
    def right(self) -> Sequence[str]:
        """The letters of the right options."""
        raise NotImplementedError

    @property
    def written_options(self) -> tuple[Option, ...]:
        """The options in order."""
        return tuple(
            Option(letter=letter, text=option.text, why=option.why)
            for letter, option in sorted(self.options.items())
        )

    def faults(self) -> Iterator[Fault]:
        """Options without a gap that differ, keys and proofs that name one, something to read afterwards."""
        letters = sorted(self.options)
        named = ", ".join(letters)
        if not 2 <= len(letters) <= len(LETTERS) or letters != list(LETTERS[: len(letters)]):
            yield (
                ("options",),
                f"the options are {named or 'missing'}",
                "write A, B, … without a gap, two to eight of them",
            )
        else:
            yield from self._unknown_keys(letters)
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
        if all(letter in letters for letter in self.right):
            yield from self._unproved_key()
        if not self.solution and not self.explanation.strip():
            yield (), "neither solution nor explanation is there", "write at least one of them"

    def _unknown_keys(self, letters: list[str]) -> Iterator[Fault]:
        raise NotImplementedError

    def _unproved_key(self) -> Iterator[Fault]:
        """Where the key and what the proofs show of the options are at odds. One fault, the first."""
        name = "key" if len(self.right) == 1 and "key" in type(self).model_fields else "keys"
        written = ", ".join(self.right)
        about = [(position, proof) for position, proof in enumerate(self.proof) if proof.option is not None]
        for position, proof in about:
            option, at = proof.option, ("proof", position)
            if proof.shows is None:
                remedy = f'write shows = "right" if this makes {option} the answer, else shows = "wrong"'
                yield at, f"the proof of option {option} does not say what it shows", remedy
                return
            if (proof.shows == "right") != (option in self.right):
                problem = (
                    f'{name} is "{written}", and proof {position + 1} shows that {option} is {proof.shows}'
                )
                yield (name,), problem, "find out which of the two is true, and change the other"
                return
        for position, proof in enumerate(self.proof):
            if proof.option is None and proof.shows is not None:
                yield ("proof", position, "shows"), "shows is about an option", "name the option"
                return
        for letter in self.right:
            if about and not any(proof.option == letter and proof.shows == "right" for _, proof in about):
                remedy = f'add one with option = "{letter}" and shows = "right"'
                yield (name,), f'no proof shows that "{letter}" is right', remedy
                return


class ChoiceTable(_WithOptions, ChoiceTexts):
    """kind = "choice", or no kind."""

    kind: Literal["choice"] = "choice"

    @property
    def right(self) -> Sequence[str]:
        """The key."""
        return (self.key,)

    def _unknown_keys(self, letters: list[str]) -> Iterator[Fault]:
        if self.key not in letters:
            yield ("key",), f'key is "{self.key}"', f"it must be one of {', '.join(letters)}"

    def content(self) -> ChoiceContent:
        """The question."""
        return ChoiceContent(**_texts(self, ChoiceTexts), options=self.written_options, proofs=self.proof)


class TrueFalseTable(QuestionTable):
    """kind = "true-false": a choice between two options that need no texts."""

    kind: Literal["true-false"]
    key: bool
    why_true: Text
    why_false: Text

    def faults(self) -> Iterator[Fault]:
        """The same as of the choice that it is."""
        yield from self._as_choice().faults()

    def _as_choice(self) -> ChoiceTable:
        options = {
            "A": OptionTable(text="True", why=self.why_true),
            "B": OptionTable(text="False", why=self.why_false),
        }
        texts = {name: getattr(self, name) for name in QuestionTable.model_fields}
        return ChoiceTable(**texts, key="A" if self.key else "B", options=options)

    def content(self) -> ChoiceContent:
        """The question."""
        return self._as_choice().content()


class MultipleTable(_WithOptions):
    """kind = "multiple"."""

    kind: Literal["multiple"]
    keys: tuple[str, ...]

    @property
    def right(self) -> Sequence[str]:
        """The keys."""
        return self.keys

    def _unknown_keys(self, letters: list[str]) -> Iterator[Fault]:
        if not self.keys:
            yield ("keys",), "keys is empty", "name at least one right option"
        elif list(self.keys) != sorted(set(self.keys)) or not set(self.keys) <= set(letters):
            problem = f"keys is {', '.join(self.keys)}"
            yield ("keys",), problem, f"name letters among {', '.join(letters)}, in order, each once"

    def content(self) -> MultipleContent:
        """The question."""
        return MultipleContent(
            **_texts(self, QuestionTexts), keys=self.keys, options=self.written_options, proofs=self.proof
        )


class NumericTable(QuestionTable, NumericTexts):
    """kind = "numeric"."""

    kind: Literal["numeric"]

    def faults(self) -> Iterator[Fault]:
        """Finite numbers, one kind of tolerance, and known wrong answers that are numbers and wrong."""
        yield from super().faults()
        for name in ("answer", "tolerance"):
            if not math.isfinite(getattr(self, name)):
                yield (name,), f"{name} is not finite", "write an ordinary number"
                return
        if self.digits is not None and self.tolerance:
            yield ("digits",), "there are two tolerances", "give tolerance or digits"
            return
        key, tolerance = bounds(self)
        for position, known in enumerate(self.known):
            reply = number(known.answer)
            if reply is None:
                yield ("known", position, "answer"), f'"{known.answer}" is no number', "write a number"
            elif is_near(reply, key, tolerance):
                yield ("known", position, "answer"), f"{known.answer} is accepted as right", "take it out"

    def content(self) -> NumericContent:
        """The question."""
        return NumericContent(**_texts(self, NumericTexts), proofs=self.proof)


class TextTable(QuestionTable, TextTexts):
    """kind = "text"."""

    kind: Literal["text"]

    def faults(self) -> Iterator[Fault]:
        """Answers that differ, and that can be typed."""
        yield from super().faults()
        yield from _faults_of_known(
            self.known, {plain_text(answer, case=self.case) for answer in self.answers}, self.case
        )
        seen: dict[str, str] = {}
        for position, answer in enumerate(self.answers):
            compared = plain_text(answer, case=self.case)
            if not compared:
                yield (
                    ("answers", position),
                    "nothing of this answer is compared",
                    "write signs that can be seen",
                )
            elif compared in seen:
                problem = f'"{answer}" and "{seen[compared]}" are compared as the same'
                yield ("answers", position), problem, "keep one, or write case = true"
            seen[compared] = answer

    def content(self) -> TextContent:
        """The question."""
        return TextContent(**_texts(self, TextTexts), proofs=self.proof)


class OutputTable(QuestionTable, OutputTexts):
    """kind = "output"."""

    kind: Literal["output"]

    def faults(self) -> Iterator[Fault]:
        """Known wrong answers that are wrong."""
        yield from super().faults()
        for position, known in enumerate(self.known):
            if plain_output(known.answer) == plain_output(self.output):
                yield ("known", position, "answer"), "this is accepted as right", "take it out"

    def content(self) -> OutputContent:
        """The question."""
        return OutputContent(**_texts(self, OutputTexts), proofs=self.proof)


class LineTable(QuestionTable, LineTexts):
    """kind = "line"."""

    kind: Literal["line"]

    def faults(self) -> Iterator[Fault]:
        """Lines that are there, a mended one that differs, and something to prove it by."""
        yield from super().faults()
        lines = self.code.split("\n")
        if self.line > len(lines) or not lines[self.line - 1].strip():
            yield ("line",), f"code has no line {self.line} with something in it", "count its lines from 1"
            return
        if self.fixed.strip() == lines[self.line - 1].strip():
            yield ("fixed",), "fixed is the faulty line itself", "write it as it should be"
        if self.raises is None and self.prints is None:
            yield (), "nothing shows that the line is wrong", "add raises, or what the mended program prints"
        for position, known in enumerate(self.known):
            if known.line == self.line:
                yield ("known", position, "line"), f"line {known.line} is the key", "take it out"
            elif known.line > len(lines) or not lines[known.line - 1].strip():
                yield ("known", position, "line"), f"code has no line {known.line}", "count from 1"

    def content(self) -> LineContent:
        """The question."""
        return LineContent(**_texts(self, LineTexts), proofs=self.proof)


class OrderTable(QuestionTable, OrderTexts):
    """kind = "order"."""

    kind: Literal["order"]

    def faults(self) -> Iterator[Fault]:
        """Lines that can be told apart, and orders of all of them."""
        yield from super().faults()
        seen: set[str] = set()
        for name, lines in (("lines", self.lines), ("distractors", self.distractors)):
            for position, line in enumerate(lines):
                if not line.strip() or "\n" in line:
                    yield (name, position), "this is not one line", "write one line of code"
                elif line in seen:
                    yield (name, position), f'"{line.strip()}" is there twice', "make the lines differ"
                seen.add(line)
        for position, order in enumerate(self.also):
            if sorted(order) != list(range(1, len(self.lines) + 1)):
                remedy = f"write each of 1 to {len(self.lines)} once"
                yield ("also", position), "this is no order of all lines", remedy
            elif list(order) == sorted(order):
                yield ("also", position), "this is the order of lines itself", "take it out"

    def content(self) -> OrderContent:
        """The question."""
        return OrderContent(**_texts(self, OrderTexts), proofs=self.proof)


class MatchTable(QuestionTable, MatchTexts):
    """kind = "match"."""

    kind: Literal["match"]

    def faults(self) -> Iterator[Fault]:
        """Left sides that differ, and distractors that belong nowhere."""
        yield from super().faults()
        seen: set[str] = set()
        for position, pair in enumerate(self.pairs):
            if pair.left in seen:
                yield (
                    ("pairs", position, "left"),
                    f'"{pair.left}" is there twice',
                    "make the left sides differ",
                )
            seen.add(pair.left)
        rights = {pair.right for pair in self.pairs}
        for position, text in enumerate(self.distractors):
            if text in rights:
                yield ("distractors", position), f'"{text}" belongs to a pair', "take it out"
        if len(rights) + len(self.distractors) < 2:
            yield ("pairs",), "there is only one thing to choose", "give the pairs different right sides"

    def content(self) -> MatchContent:
        """The question."""
        return MatchContent(**_texts(self, MatchTexts), proofs=self.proof)


class GapsTable(QuestionTable, GapsTexts):
    """kind = "gaps"."""

    kind: Literal["gaps"]

    def faults(self) -> Iterator[Fault]:
        """As many places in the code as gaps, numbered in order."""
        yield from super().faults()
        places = GAP.findall(self.code)
        wanted = [str(number) for number in range(1, len(self.gaps) + 1)]
        if places != wanted:
            named = ", ".join(f"{{{{{number}}}}}" for number in wanted)
            yield (
                ("code",),
                f"code has {len(places)} places for {len(self.gaps)} gaps",
                f"write {named} in it, in order",
            )

    def content(self) -> GapsContent:
        """The question."""
        return GapsContent(**_texts(self, GapsTexts), proofs=self.proof)


def bounds(texts: NumericTexts) -> tuple[Decimal, Decimal]:
    """Key and tolerance of a question for a number, as they are written: 45.8 is 45.8 to the last digit."""
    key = Decimal(str(texts.answer))
    if texts.digits is not None:
        return key, half_of_last_digit(key, texts.digits)
    return key, Decimal(str(texts.tolerance))


def _faults_of_known(known: Sequence[Known], right: set[str], case: bool) -> Iterator[Fault]:
    for position, one in enumerate(known):
        if plain_text(one.answer, case=case) in right:
            yield ("known", position, "answer"), f'"{one.answer}" is accepted as right', "take it out"


def _texts(table: Strict, model: type[Strict]) -> dict[str, Any]:
    return {name: getattr(table, name) for name in model.model_fields}


QUESTION_TABLES: Final[dict[str, tuple[Kind, type[QuestionTable]]]] = {
    "choice": (Kind.CHOICE, ChoiceTable),
    "true-false": (Kind.CHOICE, TrueFalseTable),
    "multiple": (Kind.MULTIPLE, MultipleTable),
    "numeric": (Kind.NUMERIC, NumericTable),
    "text": (Kind.TEXT, TextTable),
    "output": (Kind.OUTPUT, OutputTable),
    "line": (Kind.LINE, LineTable),
    "order": (Kind.ORDER, OrderTable),
    "match": (Kind.MATCH, MatchTable),
    "gaps": (Kind.GAPS, GapsTable),
}
