"""From a learner's text to code: what is read, what is refused, and in which words."""

from __future__ import annotations

import pytest

from graders.inside.source import Source, Unreadable, read
from graders.wire import MAX_SOURCE


def text_of(found: Source | Unreadable) -> str:
    assert isinstance(found, Source), found
    return found.text


def why(found: Source | Unreadable) -> str:
    assert isinstance(found, Unreadable), found
    return found.why


def test_a_byte_order_mark_is_dropped_and_every_line_end_becomes_a_newline() -> None:
    assert text_of(read("\ufeffx = 1\r\ny = 2\rz = 3\n")) == "x = 1\ny = 2\nz = 3\n"


def test_what_follows_a_lone_carriage_return_counts_as_a_line_of_its_own() -> None:
    assert why(read("# a comment\rx = (")) == "Python cannot read line 2."


def test_a_source_of_exactly_64_kib_is_read_and_one_byte_more_is_not() -> None:
    full = "#" + "é" * ((MAX_SOURCE - 2) // 2) + "\n"
    assert len(full.encode()) == MAX_SOURCE
    assert text_of(read(full)) == full
    assert "65,537 bytes; at most 65,536" in why(read(full + "\n"))


def test_a_nul_character_is_refused_with_its_line() -> None:
    assert "Line 2 holds a NUL" in why(read("x = 1\ny = '\0'\n"))


def test_only_utf_8_may_be_declared_as_the_encoding() -> None:
    assert text_of(read("# -*- coding: utf-8 -*-\nx = 1\n"))
    assert "encoding latin-1" in why(read("# -*- coding: latin-1 -*-\nx = 1\n"))
    assert "encoding utf-7" in why(read("#!/usr/bin/python\n# vim: set fileencoding=utf-7 :\n"))


def test_a_word_that_looks_like_an_encoding_further_down_is_only_a_comment() -> None:
    assert text_of(read("x = 1\n# coding: latin-1\n"))
    assert text_of(read("\n\n# coding: latin-1\n"))


def test_a_lone_surrogate_is_refused() -> None:
    assert "Unicode" in why(read("x = '\ud800'\n"))


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000, "x = " + "-" * 30_000 + "1", "x = 1" + "+1" * 30_000, "x = " + "9" * 10_000, "return 6"],
    ids=["brackets", "signs", "sums", "digits", "return"],
)
def test_what_the_parser_refuses_is_refused_in_words(text: str) -> None:
    found = read(text)
    assert isinstance(found, Source) or found.why.startswith(("Python cannot read", "The code is nested"))


def test_our_own_future_imports_are_not_the_learners() -> None:
    found = read("def f(x: undefined_name): pass\n")
    assert isinstance(found, Source)
    with pytest.raises(NameError):
        exec(found.code, {})
