"""The rules of sending and grading."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graders.verdict import Status
from quizapp.submissions import rules
from quizapp.submissions.rules import QueueLimits, Refusal

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LIMITS = QueueLimits(people=5, anonymous=2)


class TestTheQueue:
    def test_the_last_free_place_may_be_taken(self) -> None:
        assert rules.queue_refusal(LIMITS, in_flight=4, from_address=0) is None

    def test_a_full_queue_takes_nobody(self) -> None:
        assert rules.queue_refusal(LIMITS, in_flight=5, from_address=0) is Refusal.QUEUE_FULL

    def test_the_last_place_of_an_address_may_be_taken(self) -> None:
        assert rules.queue_refusal(LIMITS, in_flight=1, from_address=1) is None

    def test_an_address_with_its_share_waiting_takes_nobody(self) -> None:
        assert rules.queue_refusal(LIMITS, in_flight=2, from_address=2) is Refusal.ADDRESS_BUSY


class TestTwoTabs:
    def test_an_answer_from_a_page_that_knows_everything_may_be_sent(self) -> None:
        assert rules.seen_refusal(seen=2, sent=2, key_was_shown=True) is None

    def test_an_answer_after_the_key_was_seen_in_another_tab_is_refused(self) -> None:
        assert rules.seen_refusal(seen=0, sent=1, key_was_shown=True) is Refusal.ANSWERED_ELSEWHERE

    def test_it_does_not_matter_where_sending_shows_no_key(self) -> None:
        assert rules.seen_refusal(seen=0, sent=1, key_was_shown=False) is None

    def test_a_page_that_does_not_say_is_believed(self) -> None:
        assert rules.seen_refusal(seen=None, sent=1, key_was_shown=True) is None


class TestOneFormOnce:
    def test_the_same_form_with_the_same_answer_is_the_same(self) -> None:
        assert rules.once_key("a", {"x": 1, "y": 2}) == rules.once_key("a", {"y": 2, "x": 1})

    def test_the_same_form_with_another_answer_is_another(self) -> None:
        assert rules.once_key("a", {"source": "x = 1"}) != rules.once_key("a", {"source": "x = 2"})

    def test_another_form_with_the_same_answer_is_another(self) -> None:
        assert rules.once_key("a", {"source": "x"}) != rules.once_key("b", {"source": "x"})

    def test_it_fits_its_column_whatever_is_sent(self) -> None:
        assert len(rules.once_key("\udcff" * 5000, {"source": "ü" * 9000})) == 64


class TestFaultsOfOurs:
    def test_the_first_try_again_is_at_once(self) -> None:
        assert rules.next_try(1, NOW) == NOW

    def test_later_ones_wait_ever_longer_and_at_most_an_hour(self) -> None:
        delays = [rules.next_try(tries, NOW) - NOW for tries in range(1, 40)]
        assert delays == sorted(delays)
        assert delays[-1] == timedelta(hours=1)

    def test_the_place_in_flight_is_kept_for_two_faults_and_not_for_three(self) -> None:
        assert rules.keeps_place(2)
        assert not rules.keeps_place(3)

    def test_a_learner_is_told_that_it_is_kept_once_they_are_set_free(self) -> None:
        assert rules.state(waits_for="grader", tries=2, status=None) == "waiting"
        assert rules.state(waits_for="grader", tries=3, status=None) == "delayed"


def test_attempts_are_numbered_over_what_costs_one_alone() -> None:
    statuses = ["not-gradable", "failed", "broken", None, "passed", "stopped"]
    assert rules.attempt_numbers(statuses) == [None, 1, None, None, 2, None]


class TestWhatIsShown:
    def test_a_verdict_is_shown_as_its_status(self) -> None:
        assert rules.state(waits_for=None, tries=9, status="passed") == "passed"

    def test_a_prompt_waits_for_its_ticks(self) -> None:
        assert rules.state(waits_for="learner", tries=0, status=None) == "ticks"

    def test_a_questions_key_is_shown_once_the_answer_is_stored(self) -> None:
        assert rules.reveals(is_code=False, status=None)

    @pytest.mark.parametrize("status", list(Status))
    def test_a_worked_solution_is_shown_after_what_counts_as_an_attempt(self, status: Status) -> None:
        assert rules.reveals(is_code=True, status=status.value) is status.costs_attempt

    def test_a_worked_solution_is_not_shown_while_code_waits(self) -> None:
        assert not rules.reveals(is_code=True, status=None)


@pytest.mark.parametrize("refusal", list(Refusal))
def test_every_refusal_says_what_to_do_and_blames_nobody_by_status(refusal: Refusal) -> None:
    assert refusal.title
    assert len(refusal.text) > 40
    assert refusal.status_code in {409, 422, 503}
