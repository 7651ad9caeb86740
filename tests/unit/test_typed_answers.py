"""Numbers, short texts and outputs are compared as the learner is told, to the last digit."""

from __future__ import annotations

from decimal import Decimal

import pytest

from quizapp.catalogue.content import NumericContent, OutputContent, TextContent, TypedContent
from quizapp.catalogue.question_tables import bounds
from quizapp.catalogue.typed import number, plain_output, plain_text, shown_number
from quizapp.grading.questions import is_right, known
from quizapp.learning.typed_words import compared, key_shown


def numeric(answer: float, **more: object) -> NumericContent:
    return NumericContent.model_validate({"prompt": "?", "answer": answer, **more})


def text(*answers: str, **more: object) -> TextContent:
    return TextContent.model_validate({"prompt": "?", "answers": answers, **more})


def output(printed: str) -> OutputContent:
    return OutputContent.model_validate({"prompt": "?", "code": "print()", "output": printed})


class TestANumber:
    @pytest.mark.parametrize(
        ("key", "tolerance", "right", "wrong"),
        [
            (45.8, 0.2, ["46", "45.6", "46.0", "4.6e1"], ["46.0001", "45.59", "-45.8"]),
            (0.3, 0.1, ["0.4", "0.2", ".4"], ["0.41", "0.19"]),
            (3e-9, 1e-9, ["4e-9", "2e-9", "0.000000002"], ["5e-9", "1.9e-9", "0"]),
            (30, 0, ["30", "30.0", "+30", "3e1", " 30 "], ["30.0000001", "29"]),
            (0, 0, ["0", "-0", "0.0"], ["1e-300"]),
        ],
    )
    def test_is_right_up_to_its_tolerance_and_not_a_digit_beyond(
        self, key: float, tolerance: float, right: list[str], wrong: list[str]
    ) -> None:
        content = numeric(key, tolerance=tolerance)
        assert [reply for reply in right if not is_right(content, reply)] == []
        assert [reply for reply in wrong if is_right(content, reply)] == []

    def test_to_so_many_significant_digits_is_what_the_learner_is_told(self) -> None:
        content = numeric(1.234, digits=3)
        assert compared(content) == "To 3 significant digits: up to 0.005 more or less is right."
        for reply in ("1.23", "1.235", "1.2389", "1.2291", "1.239", "1.229"):
            assert is_right(content, reply), reply
        for reply in ("1.2391", "1.2289", "1.24"):
            assert not is_right(content, reply), reply

    @pytest.mark.parametrize(
        ("key", "digits", "tolerance"), [(1234, 2, "50"), (0.00456, 1, "0.0005"), (9, 1, "0.5")]
    )
    def test_half_a_unit_of_the_last_digit_is_the_tolerance(
        self, key: float, digits: int, tolerance: str
    ) -> None:
        assert bounds(numeric(key, digits=digits))[1] == Decimal(tolerance)

    @pytest.mark.parametrize(
        ("typed", "value"),
        [
            ("5.333\u202c", "5.333"),
            ("\ufeff5.333\u200b", "5.333"),
            ("5\u00a0000", "5000"),
            ("\u22122.5", "-2.5"),
            ("\uff13", "3"),
            ("1E-3", "0.001"),
        ],
    )
    def test_signs_that_nobody_sees_or_means_do_not_count(self, typed: str, value: str) -> None:
        assert number(typed) == Decimal(value)

    @pytest.mark.parametrize(
        "typed", ["", "1,5", "1.2.3", "0x10", "nan", "inf", "1e9999", "six", "1/3", "--1"]
    )
    def test_what_is_no_number_is_none(self, typed: str) -> None:
        assert number(typed) is None

    def test_the_exact_number_is_told_to_be_asked_for(self) -> None:
        assert compared(numeric(3)) == "The exact number is asked for."
        assert compared(numeric(45.8, tolerance=0.2)) == "Up to 0.2 more or less is right."

    @pytest.mark.parametrize(
        ("key", "shown"), [(30, "30"), (0.1, "0.1"), (1e-9, "0.000000001"), (1e30, "1E+30")]
    )
    def test_the_key_is_shown_with_no_more_digits_than_it_has(self, key: float, shown: str) -> None:
        assert shown_number(bounds(numeric(key))[0]) == shown
        assert key_shown(numeric(key, unit="MiB")) == f"{shown} MiB"


class TestAText:
    @pytest.mark.parametrize(
        "typed",
        ["gradient descent", " Gradient   descent ", "GRADIENT DESCENT", "gradient\u00a0descent\u200b"],
    )
    def test_key_and_reply_go_through_the_same_changes(self, typed: str) -> None:
        assert is_right(text("Gradient  descent"), typed)

    def test_a_blank_that_is_missing_is_missing(self) -> None:
        assert not is_right(text("gradient descent"), "gradientdescent")

    def test_two_keys_that_differ_in_case_are_told_apart_where_case_counts(self) -> None:
        content = text("x", "X", case=True)
        assert is_right(content, "x")
        assert is_right(content, "X")
        assert not is_right(text("x", case=True), "X")
        assert "capital letters count" in compared(content)
        assert "capital letters do not count" in compared(text("x"))

    def test_forms_of_one_letter_are_one_letter(self) -> None:
        assert plain_text("e\u0301", case=True) == plain_text("\u00e9", case=True)


class TestAnOutput:
    @pytest.mark.parametrize("typed", ["5 1 0", "5 1 0\n", "5 1 0  \r\n\r\n"])
    def test_blanks_at_the_ends_do_not_count(self, typed: str) -> None:
        assert is_right(output("5 1 0\n"), typed)

    @pytest.mark.parametrize("typed", ["5", "5 1", "5 1 0 0", " 5 1 0", "5  1 0", "5 1 0\n0", "\n5 1 0"])
    def test_more_or_less_than_what_is_printed_is_wrong(self, typed: str) -> None:
        assert not is_right(output("5 1 0"), typed)

    def test_lines_are_compared_one_by_one(self) -> None:
        assert plain_output("a \n\nb\n\n") == ["a", "", "b"]


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        (numeric(6, known=({"answer": "3", "why": "because"},)), "3.0"),
        (text("detach", known=({"answer": "Item", "why": "because"},)), " item"),
        (
            OutputContent.model_validate(
                {"prompt": "?", "code": "x", "output": "1", "known": ({"answer": "2\n", "why": "because"},)}
            ),
            "2",
        ),
    ],
)
def test_a_wrong_answer_that_is_known_is_explained(content: TypedContent, typed: str) -> None:
    assert known(content, typed) == "because"
    assert known(content, "7") == ""
