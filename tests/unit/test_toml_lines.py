"""The line of every key is found, whatever stands in the strings between."""

from __future__ import annotations

import tomllib

from graders.toml_lines import line_index, line_of

TRICKY = r'''
# [not.a.table]
plain = 1
"quoted key" = "with # and [ and ] and \" and = in it"
'single' = 'a "b" \'
dotted.inner = 2

text = """
[[nor.this]]
key = "no"
ends with quotes \""" and ""two"""""
literal = \'\'\'
it's = 'no key'\'\'\'\'
list = [ # a comment with ]
  "]", '[',
  { a = 1, b = [2] },
]
after = { x = "}" }
last = 1979-05-27T07:32:00Z # done

[table.deep]
one = 1

[[rows]]
id = "first"
[rows.part.A]
text = "x"
[[rows.proof]]
code = "a"
[[rows.proof]]
code = "b"

[[rows]]
id = "second"
[rows.part.A]
text = "y"
[[rows.proof]]
code = "c"
'''.replace(r"\'\'\'\'", "''''").replace(r"\'\'\'", "'''")

EXPECTED = {
    ("plain",): 3,
    ("quoted key",): 4,
    ("single",): 5,
    ("dotted",): 6,
    ("dotted", "inner"): 6,
    ("text",): 8,
    ("literal",): 12,
    ("list",): 14,
    ("after",): 18,
    ("last",): 19,
    ("table",): 21,
    ("table", "deep"): 21,
    ("table", "deep", "one"): 22,
    ("rows",): 24,
    ("rows", 0): 24,
    ("rows", 0, "id"): 25,
    ("rows", 0, "part"): 26,
    ("rows", 0, "part", "A"): 26,
    ("rows", 0, "part", "A", "text"): 27,
    ("rows", 0, "proof"): 28,
    ("rows", 0, "proof", 0): 28,
    ("rows", 0, "proof", 0, "code"): 29,
    ("rows", 0, "proof", 1): 30,
    ("rows", 0, "proof", 1, "code"): 31,
    ("rows", 1): 33,
    ("rows", 1, "id"): 34,
    ("rows", 1, "part"): 35,
    ("rows", 1, "part", "A"): 35,
    ("rows", 1, "part", "A", "text"): 36,
    ("rows", 1, "proof"): 37,
    ("rows", 1, "proof", 0): 37,
    ("rows", 1, "proof", 0, "code"): 38,
}


def test_every_key_and_table_has_its_line_and_nothing_else_has_one() -> None:
    assert tomllib.loads(TRICKY)["literal"] == "it's = 'no key''"
    assert line_index(TRICKY) == EXPECTED


def test_what_is_inside_a_list_or_an_inline_table_is_found_by_what_is_around_it() -> None:
    assert line_of(EXPECTED, ("list", 2, "a")) == 14
    assert line_of(EXPECTED, ("rows", 1, "missing")) == 33


def test_what_is_missing_from_the_file_itself_has_no_line() -> None:
    assert line_of(EXPECTED, ("title",)) is None


def test_an_empty_file_and_one_without_a_last_line_end_are_read() -> None:
    assert line_index("") == {}
    assert line_index("a = 1\nb = [1,\n2]") == {("a",): 1, ("b",): 2}
