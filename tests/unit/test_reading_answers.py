"""From the fields of a form to an answer."""

from __future__ import annotations

import pytest

from quizapp.catalogue import Catalogue, Item
from quizapp.submissions.answers import read_answer, read_draft, read_ticks
from quizapp.submissions.rules import LONGEST_TEXT, Refusal


@pytest.fixture
def item(catalogue: Catalogue, request: pytest.FixtureRequest) -> Item:
    found = catalogue.item(request.param)
    assert found is not None
    return found


@pytest.mark.parametrize("item", ["sum"], indirect=True)
class TestChoices:
    def test_a_letter_of_the_question_is_an_answer(self, item: Item) -> None:
        assert read_answer(item, {"option": "A"}).answer == {"option": "A"}

    def test_no_letter_is_nothing(self, item: Item) -> None:
        assert read_answer(item, {}).refusal is Refusal.EMPTY

    @pytest.mark.parametrize("letter", ["C", "a", "AB", " A", "A\u202c"])
    def test_another_letter_is_refused_with_those_that_there_are(self, item: Item, letter: str) -> None:
        read = read_answer(item, {"option": letter})
        assert read.refusal is Refusal.UNREADABLE
        assert "A, B" in read.problem


@pytest.mark.parametrize("item", ["leaf"], indirect=True)
class TestCards:
    @pytest.mark.parametrize(("said", "knew"), [("yes", True), ("no", False)])
    def test_yes_and_no_are_answers(self, item: Item, said: str, knew: bool) -> None:
        assert read_answer(item, {"knew": said}).answer == {"knew": knew}

    def test_anything_else_is_refused(self, item: Item) -> None:
        assert read_answer(item, {"knew": "maybe"}).refusal is Refusal.UNREADABLE


@pytest.mark.parametrize("item", ["double"], indirect=True)
class TestCode:
    def test_code_is_kept_as_typed_but_for_line_ends(self, item: Item) -> None:
        typed = "\tx = 1  \r\n\r\nprint('é\u200b')\ry = 2\n\n"
        assert read_answer(item, {"source": typed}).answer == {
            "source": "\tx = 1  \n\nprint('é\u200b')\ny = 2\n\n"
        }

    def test_blanks_alone_are_nothing(self, item: Item) -> None:
        assert read_answer(item, {"source": " \r\n\t\n"}).refusal is Refusal.EMPTY

    def test_blanks_alone_are_a_draft(self, item: Item) -> None:
        read = read_draft(item, {"source": ""})
        assert read.refusal is None
        assert read.answer == {"source": ""}

    def test_the_longest_code_is_read_and_one_sign_more_is_not(self, item: Item) -> None:
        assert read_answer(item, {"source": "x" * LONGEST_TEXT}).refusal is None
        longer = read_answer(item, {"source": "x" * (LONGEST_TEXT + 1)})
        assert longer.refusal is Refusal.TOO_LONG
        assert "60,001" in longer.problem

    def test_an_invisible_nul_is_named_with_its_line_and_taken_out(self, item: Item) -> None:
        read = read_answer(item, {"source": "x = 1\ny\0 = 2\n"})
        assert read.refusal is Refusal.UNREADABLE
        assert "line 2" in read.problem
        assert read.answer == {"source": "x = 1\ny = 2\n"}


@pytest.mark.parametrize("item", ["why"], indirect=True)
class TestTicks:
    def test_ticks_are_kept_once_each_and_in_order(self, item: Item) -> None:
        assert read_ticks(item, ["2", "0", "2"]) == (0, 2)

    def test_no_tick_is_an_answer_too(self, item: Item) -> None:
        assert read_ticks(item, []) == ()

    @pytest.mark.parametrize("value", ["3", "-1", "x", "", "²", "1e0", "99999999999999999999"])
    def test_a_point_that_is_not_there_is_refused(self, item: Item, value: str) -> None:
        assert read_ticks(item, ["0", value]) is None


@pytest.mark.parametrize("item", ["sum"], indirect=True)
def test_a_choice_has_no_points_to_tick(item: Item) -> None:
    assert read_ticks(item, ["0"]) is None
