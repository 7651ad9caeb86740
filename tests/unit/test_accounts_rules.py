"""Rules about addresses, names, passwords, guesses, links and brought-along work."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.accounts import rules
from quizapp.accounts.rules import Attempt

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class TestAddresses:
    @pytest.mark.parametrize(
        "typed", ["ada@example.org", " Ada@Example.ORG ", "ada@exam\u200bple.org", "ada@example.org\u202c"]
    )
    def test_one_person_may_type_theirs_in_many_ways(self, typed: str) -> None:
        assert rules.read_email(typed) == "ada@example.org"

    @pytest.mark.parametrize(
        "typed",
        [
            "",
            "ada",
            "@example.org",
            "ada@",
            "a@b@example.org",
            "ada lovelace@example.org",
            "ada@.org",
            "ada@a..b",
        ],
    )
    def test_what_cannot_be_one_is_none(self, typed: str) -> None:
        assert rules.read_email(typed) is None

    def test_the_longest_is_254_signs(self) -> None:
        longest = "a" * (254 - len("@example.org")) + "@example.org"
        assert rules.read_email(longest) == longest
        assert rules.read_email("a" + longest) is None


class TestNames:
    def test_blanks_are_made_single(self) -> None:
        assert rules.read_name("  Ada \t Lovelace\n") == "Ada Lovelace"

    def test_joiners_within_a_name_stay_and_direction_marks_go(self) -> None:
        assert rules.read_name("می\u200cنا\u202e") == "می\u200cنا"

    @pytest.mark.parametrize("typed", ["", "   ", "\u200d", "…"])
    def test_a_name_that_shows_nothing_is_none(self, typed: str) -> None:
        assert rules.read_name(typed) is None

    def test_the_longest_is_80_signs(self) -> None:
        assert rules.read_name("x" * 80) == "x" * 80
        assert rules.read_name("x" * 81) is None


class TestPasswords:
    def problem(self, password: str) -> str | None:
        return rules.password_problem(password, email="ada@example.org", name="Ada Lovelace")

    def test_ten_signs_are_enough_and_nine_are_not(self) -> None:
        assert self.problem("kdmwtbqzxj") is None
        assert "at least 10" in (self.problem("abcdefghi") or "")

    def test_256_signs_are_allowed_and_one_more_is_not(self) -> None:
        assert self.problem("wbqd" * 64) is None
        assert "at most 256" in (self.problem("wbqd" * 64 + "e") or "")

    @pytest.mark.parametrize(
        "known", ["ada@example.org", "ADA LOVELACE", "ada lovelace1", "aaaaaaaaaaaa", "abcabcabcabc"]
    )
    def test_what_others_know_or_guess_first_is_refused(self, known: str) -> None:
        assert self.problem(known) is not None

    def test_four_words_will_do(self) -> None:
        assert self.problem("correct horse battery staple") is None


class TestWhereToGoOn:
    @pytest.mark.parametrize("path", ["/", "/topics/dynamic-graphs", "/sets/practice?view=one&n=2"])
    def test_to_a_path_of_our_own(self, path: str) -> None:
        assert rules.own_path(path) == path

    @pytest.mark.parametrize(
        "target",
        [
            None,
            "",
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "javascript:alert(1)",
            "topics",
            "/\u202e/x",
        ],
    )
    def test_never_anywhere_else(self, target: str | None) -> None:
        assert rules.own_path(target) == "/"


class TestWhatCountsAsOneAddress:
    @pytest.mark.parametrize(
        ("address", "group"),
        [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
            (None, "unknown"),
            ("unix:", "unknown"),
        ],
    )
    def test_an_address_of_the_old_kind_or_a_network_of_the_new(
        self, address: str | None, group: str
    ) -> None:
        assert rules.address_group(address) == group


def failures(count: int, *, first: datetime, every: timedelta = SECOND) -> list[Attempt]:
    return [Attempt(first + number * every, succeeded=False) for number in range(count)]


class TestGuessing:
    def test_one_below_the_limit_goes_on_and_the_limit_waits(self) -> None:
        first = NOW - timedelta(minutes=5)
        below = failures(rules.FAILURES_PER_ACCOUNT - 1, first=first)
        at_limit = failures(rules.FAILURES_PER_ACCOUNT, first=first)
        assert rules.may_try_again_at(account=below, address=[], now=NOW) is None
        assert rules.may_try_again_at(account=at_limit, address=[], now=NOW) == first + rules.ATTEMPT_WINDOW

    def test_the_end_of_the_window_is_free_again_and_the_second_before_is_not(self) -> None:
        attempts = failures(rules.FAILURES_PER_ACCOUNT, first=NOW)
        end = NOW + rules.ATTEMPT_WINDOW
        assert rules.may_try_again_at(account=attempts, address=[], now=end - SECOND) == end
        assert rules.may_try_again_at(account=attempts, address=[], now=end) is None

    def test_a_success_forgives_the_accounts_failures_but_not_the_addresss(self) -> None:
        first = NOW - timedelta(minutes=5)
        tried = [*failures(rules.FAILURES_PER_ADDRESS, first=first), Attempt(NOW, succeeded=True)]
        assert rules.may_try_again_at(account=tried, address=[], now=NOW) is None
        assert rules.may_try_again_at(account=[], address=tried, now=NOW) == first + rules.ATTEMPT_WINDOW

    def test_of_two_waits_the_longer_one_is_told(self) -> None:
        early, late = NOW - timedelta(minutes=10), NOW - timedelta(minutes=5)
        until = rules.may_try_again_at(
            account=failures(rules.FAILURES_PER_ACCOUNT, first=early),
            address=failures(rules.FAILURES_PER_ADDRESS, first=late),
            now=NOW,
        )
        assert until == late + rules.ATTEMPT_WINDOW

    @given(st.lists(st.integers(0, 1800), max_size=40))
    def test_whoever_comes_back_when_told_is_let_through(self, ages: list[int]) -> None:
        attempts = [Attempt(NOW - timedelta(seconds=age), succeeded=False) for age in ages]
        until = rules.may_try_again_at(account=attempts, address=[], now=NOW)
        if until is not None:
            assert until > NOW
            assert rules.may_try_again_at(account=attempts, address=[], now=until) is None

    @pytest.mark.parametrize(("seconds", "minutes"), [(0, 1), (1, 1), (60, 1), (61, 2), (900, 15)])
    def test_minutes_are_rounded_up(self, seconds: int, minutes: int) -> None:
        assert rules.minutes_until(NOW + timedelta(seconds=seconds), NOW) == minutes


class TestLinks:
    def is_open(self, **changes: datetime | None) -> bool:
        values: dict[str, datetime | None] = {"used_at": None, "voided_at": None} | changes
        return rules.link_is_open(
            expires_at=NOW + SECOND, used_at=values["used_at"], voided_at=values["voided_at"], now=NOW
        )

    def test_a_new_one_is_open_and_a_used_or_replaced_one_is_not(self) -> None:
        assert self.is_open()
        assert not self.is_open(used_at=NOW)
        assert not self.is_open(voided_at=NOW)

    def test_it_is_closed_from_its_last_second_on(self) -> None:
        assert not rules.link_is_open(expires_at=NOW, used_at=None, voided_at=None, now=NOW)

    @pytest.mark.parametrize(
        ("maker_teaches", "person_teaches", "person_has_account", "may"),
        [
            (True, False, True, True),
            (True, True, True, False),
            (True, False, False, False),
            (False, False, True, False),
        ],
    )
    def test_a_teacher_makes_them_for_learners_with_accounts(
        self, maker_teaches: bool, person_teaches: bool, person_has_account: bool, may: bool
    ) -> None:
        made = rules.may_make_link(
            maker_teaches=maker_teaches, person_teaches=person_teaches, person_has_account=person_has_account
        )
        assert made is may


class TestNumbersOfBroughtAttempts:
    def test_they_follow_the_persons_own(self) -> None:
        assert rules.next_numbers([1, 2], 2) == [3, 4]

    def test_where_there_are_none_they_count_from_one(self) -> None:
        assert rules.next_numbers([], 2) == [1, 2]

    @given(st.lists(st.integers(1, 50), unique=True), st.integers(0, 20))
    def test_no_number_is_given_twice(self, taken: list[int], count: int) -> None:
        given_out = rules.next_numbers(taken, count)
        assert len({*taken, *given_out}) == len(taken) + count


@pytest.mark.parametrize(
    "password",
    [
        "password12",
        "Password2024!",
        "p@ssw0rd123",
        "1234567890",
        "qwertyuiop",
        "letmein12345",
        "admin-admin-1",
    ],
)
def test_what_is_tried_first_is_refused(password: str) -> None:
    told = rules.password_problem(password, email="ada@example.org", name="Ada")
    assert told is not None
    assert "tried first" in told


@pytest.mark.parametrize("password", ["four words in a row", "my password is a long one", "winterreise 1827"])
def test_a_common_word_among_others_is_let_through(password: str) -> None:
    assert rules.password_problem(password, email="ada@example.org", name="Ada") is None


def test_a_password_that_is_mostly_a_part_of_the_name_is_refused() -> None:
    told = rules.password_problem("lovelace1815", email="ada@example.org", name="Ada Lovelace")
    assert told is not None
    assert "name or email address is most of this" in told
