"""Questions of each kind load as written, and what is wrong with one is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from content_tree import Tree

from quizapp.catalogue import Kind
from quizapp.catalogue.content import ChoiceContent, MultipleContent, NumericContent

HEAD = 'id = "practice"\ntitle = "Practice"\nkind = "quiz"\n\n[[question]]\nid = "practice-1"\n'
COMMON = 'difficulty = "easy"\ntitle = "T"\nprompt = "P"\nexplanation = "E"\n'
OPTIONS = (
    'options.A = { text = "a", why = "w" }\noptions.B = { text = "b", why = "w" }\n'
    'options.C = { text = "c", why = "w" }\n'
)
RIGHT = {
    "true-false": 'kind = "true-false"\nkey = true\nwhy_true = "t"\nwhy_false = "f"\n',
    "multiple": 'kind = "multiple"\nkeys = ["A", "C"]\n' + OPTIONS,
    "numeric": 'kind = "numeric"\nanswer = 45.8\ntolerance = 0.2\nknown = [{ answer = "90", why = "w" }]\n',
    "text": 'kind = "text"\nanswers = ["x y", "z"]\nknown = [{ answer = "xy", why = "w" }]\n',
    "line": (
        'kind = "line"\ncode = "x = 1\\ny = x / 0\\nprint(x)"\nline = 2\nfixed = "y = x / 1"\n'
        'raises = "ZeroDivisionError"\nknown = [{ line = 3, why = "w" }]\n'
    ),
    "order": 'kind = "order"\nlines = ["x = 1", "y = 2", "print(x + y)"]\nalso = [[2, 1, 3]]\nprints = "3"\n',
    "match": (
        'kind = "match"\ndistractors = ["3"]\n'
        'pairs = [{ left = "a", right = "1" }, { left = "b", right = "2" }]\n'
    ),
    "gaps": (
        'kind = "gaps"\ncode = "print({{1}} + {{2}})"\nprints = "3"\n'
        'gaps = [{ answers = ["1", "0"] }, { answers = ["2", "3"] }]\n'
    ),
    "output": 'kind = "output"\ncode = "print(1)"\noutput = "1"\nknown = [{ answer = "2", why = "w" }]\n',
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "exercises")


def complaints(tree: Tree, question: str) -> list[str]:
    tree.write("practice.toml", HEAD + COMMON + question)
    return [one for one in tree.complaints() if "practice.toml" in one]


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_one_loads(tree: Tree, kind: str) -> None:
    assert complaints(tree, RIGHT[kind]) == []
    item = tree.load().item("practice-1")
    assert item is not None
    assert item.kind is (Kind.CHOICE if kind == "true-false" else Kind(kind))
    assert item.max_centipoints == 100


def test_what_is_true_or_false_is_a_choice_of_two(tree: Tree) -> None:
    complaints(tree, RIGHT["true-false"])
    content = tree.load().item("practice-1").content  # type: ignore[union-attr]
    assert isinstance(content, ChoiceContent)
    assert [(one.letter, one.text, one.why) for one in content.options] == [
        ("A", "True", "t"),
        ("B", "False", "f"),
    ]
    assert content.key == "A"


def test_keys_and_numbers_are_kept_as_written(tree: Tree) -> None:
    complaints(tree, RIGHT["multiple"])
    content = tree.load().item("practice-1").content  # type: ignore[union-attr]
    assert isinstance(content, MultipleContent)
    assert content.keys == ("A", "C")
    complaints(tree, RIGHT["numeric"])
    content = tree.load().item("practice-1").content  # type: ignore[union-attr]
    assert isinstance(content, NumericContent)
    assert (content.answer, content.tolerance) == (45.8, 0.2)


PROOF = '\n[[question.proof]]\noption = "{option}"\nshows = "{shows}"\ncode = "x = 1"\nholds = ["x == 1"]\n'


@pytest.mark.parametrize(
    ("kind", "old", "new", "says"),
    [
        ("multiple", '["A", "C"]', "[]", "keys is empty; name at least one right option"),
        ("multiple", '["A", "C"]', '["C", "A"]', "name letters among A, B, C, in order, each once"),
        ("multiple", '["A", "C"]', '["A", "E"]', "name letters among A, B, C, in order, each once"),
        ("multiple", 'text = "b"', 'text = "a"', "options A and B are the same"),
        ("numeric", "45.8", "nan", "answer is not finite; write an ordinary number"),
        ("numeric", "tolerance = 0.2", "tolerance = -1", "tolerance"),
        ("numeric", "tolerance = 0.2", "tolerance = 0.2\ndigits = 3", "there are two tolerances"),
        ("numeric", '"90"', '"45.7"', "45.7 is accepted as right; take it out"),
        ("numeric", '"90"', '"many"', '"many" is no number; write a number'),
        ("numeric", "45.8", '"45.8"', "45.8"),
        ("text", '"z"', '" X  y"', '" X y" and "x y" are compared as the same; keep one, or write case'),
        ("text", '"z"', '"\\u200b."', None),
        ("text", '"z"', '"\\u200b"', "nothing of this answer is compared"),
        ("text", '"xy"', '"X Y"', '"X Y" is accepted as right; take it out'),
        ("text", '["x y", "z"]', "[]", "answers has too few entries"),
        ("output", '"2"', '"1  \\n"', "this is accepted as right; take it out"),
        ("output", 'code = "print(1)"\n', "", '"code" is missing'),
        ("output", '"output"', '"outptu"', 'did you mean "output"?'),
        ("line", "line = 2", "line = 4", "code has no line 4 with something in it"),
        ("line", '"y = x / 1"', '" y = x / 0"', "fixed is the faulty line itself"),
        ("line", 'raises = "ZeroDivisionError"\n', "", "nothing shows that the line is wrong; add raises"),
        ("line", "line = 3", "line = 2", "line 2 is the key; take it out"),
        ("line", "line = 3", "line = 9", "code has no line 9"),
        ("order", '"y = 2"', '"x = 1"', '"x = 1" is there twice; make the lines differ'),
        ("order", '"y = 2"', '""', "this is not one line; write one line of code"),
        ("order", "[[2, 1, 3]]", "[[2, 1]]", "this is no order of all lines; write each of 1 to 3 once"),
        ("order", "[[2, 1, 3]]", "[[1, 2, 3]]", "this is the order of lines itself; take it out"),
        ("order", 'prints = "3"\n', "", '"prints" is missing'),
        ("match", 'left = "b"', 'left = "a"', '"a" is there twice; make the left sides differ'),
        ("match", '["3"]', '["2"]', '"2" belongs to a pair; take it out'),
        ("match", 'right = "2" }', 'right = "3" }', '"3" belongs to a pair'),
        ("gaps", "{{2}}", "2", "code has 1 places for 2 gaps; write {{1}}, {{2}} in it, in order"),
        ("gaps", "{{1}} + {{2}}", "{{2}} + {{1}}", "write {{1}}, {{2}} in it, in order"),
        ("gaps", '["1", "0"]', "[]", "answers has too few entries"),
        ("true-false", "key = true", 'key = "A"', "key"),
        ("true-false", 'why_true = "t"\n', "", '"why_true" is missing'),
    ],
)
def test_what_is_wrong_is_named(tree: Tree, kind: str, old: str, new: str, says: str | None) -> None:
    assert old in RIGHT[kind]
    found = complaints(tree, RIGHT[kind].replace(old, new, 1))
    assert (says is None) == (found == [])
    assert says is None or says in found[0], found


def test_two_keys_that_differ_in_case_are_kept_where_case_counts(tree: Tree) -> None:
    same = 'kind = "text"\nanswers = ["x", "X"]\n'
    assert "are compared as the same" in complaints(tree, same)[0]
    assert complaints(tree, same + "case = true\n") == []


@pytest.mark.parametrize(
    ("proofs", "says"),
    [
        ([("A", "right"), ("C", "right"), ("B", "wrong")], None),
        ([("A", "right")], 'no proof shows that "C" is right'),
        ([("A", "right"), ("C", "wrong")], 'keys is "A, C", and proof 2 shows that C is wrong'),
        ([("A", "right"), ("C", "right"), ("B", "right")], "proof 3 shows that B is right"),
    ],
)
def test_of_several_keys_each_is_proved_or_none(
    tree: Tree, proofs: list[tuple[str, str]], says: str | None
) -> None:
    written = "".join(PROOF.format(option=option, shows=shows) for option, shows in proofs)
    found = complaints(tree, RIGHT["multiple"] + written)
    assert (says is None) == (found == [])
    assert says is None or says in found[0], found


def test_only_a_choice_has_proofs_of_options(tree: Tree) -> None:
    found = complaints(tree, RIGHT["numeric"] + PROOF.format(option="A", shows="right"))
    assert "only a choice has options; take option out" in found[0]
