"""Storing answers on a real SQLite file, also from many threads at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from sqlalchemy import Engine, event, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from graders.verdict import CheckResult, CheckStatus, Status, Verdict
from quizapp.accounts.models import Person
from quizapp.catalogue import Catalogue, Item, item_from_json
from quizapp.db import begin_write
from quizapp.grading import queries as grading
from quizapp.grading import questions
from quizapp.grading.queries import Job
from quizapp.submissions import drafts, models, queries
from quizapp.submissions.models import CheckVerdict, ContentVersion, FlightKind, InFlight, Run, Submission
from quizapp.submissions.rules import QueueLimits, Refusal
from quizapp.submissions.versions import ensure_version, version_seen

T = TypeVar("T")
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PASSED = Verdict(Status.PASSED, "Right.", 100, 100)


def item(catalogue: Catalogue, item_id: str) -> Item:
    found = catalogue.item(item_id)
    assert found is not None
    return found


@pytest.fixture
def versions(db: Session, catalogue: Catalogue) -> dict[str, ContentVersion]:
    """The stored versions of the tiny topic, by item id."""
    begin_write(db)
    stored = {one.id: ensure_version(db, one) for one in catalogue.topics()[0].items}
    db.commit()
    return stored


def anonymous(db: Session) -> Person:
    person = Person(created_at=NOW)
    db.add(person)
    db.commit()
    return person


def in_one_transaction(engine: Engine, work: Callable[[Session], T]) -> T:
    """As a view does it: begin to write, work, commit."""
    with Session(engine, expire_on_commit=False) as db:
        begin_write(db)
        outcome = work(db)
        db.commit()
        return outcome


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """Do the work in `count` threads that start together."""
    start, outcomes = threading.Barrier(count), []

    def one(number: int) -> None:
        start.wait()
        outcomes.append(work(number))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == count
    return outcomes


def send_code(
    engine: Engine,
    person: Person,
    version: ContentVersion,
    *,
    once: str,
    source: str = "y = 2.0",
    **more: Any,
) -> Submission | Refusal:
    return in_one_transaction(
        engine,
        lambda db: queries.add_submission(
            db, person, version, {"source": source}, once=once, address=more.pop("address", None), **more
        ),
    )


class TestADoubleClick:
    def test_of_ten_at_the_same_moment_is_one_submission_and_one_attempt(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = at_once(10, lambda _: send_code(engine, ada, versions["double"], once="a"))
        assert len({one.id for one in sent if isinstance(one, Submission)}) == 1
        assert not [one for one in sent if isinstance(one, Refusal)]
        assert db.scalar(select(func.count()).select_from(Submission)) == 1
        assert db.scalar(select(func.count()).select_from(InFlight)) == 1

    def test_on_a_choice_is_one_submission_with_one_verdict(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        def click(_: int) -> Submission | Refusal:
            return in_one_transaction(
                engine,
                lambda db: queries.add_submission(
                    db, ada, versions["sum"], {"option": "B"}, once="a", seen=0, address=None, verdict=PASSED
                ),
            )

        sent = at_once(10, click)
        assert len({one.id for one in sent if isinstance(one, Submission)}) == 1
        assert db.scalar(select(func.count()).select_from(models.Verdict)) == 1

    def test_after_the_verdict_came_still_returns_the_first(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        first = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(first, Submission)
        in_one_transaction(engine, lambda db: grading.settle_submission(db, first.id, PASSED, now=NOW))
        again = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(again, Submission)
        assert again.id == first.id

    def test_is_held_by_the_constraint_and_not_by_looking_first(
        self, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        for attempt_no in (1, 2):
            db.add(
                Submission(
                    person_id=ada.id,
                    item_id="double",
                    version_id=versions["double"].id,
                    once="same",
                    attempt_no=attempt_no,
                    answer={},
                    created_at=NOW,
                )
            )
        with pytest.raises(IntegrityError, match="once"):
            db.flush()

    def test_that_slips_past_the_look_is_caught_by_the_constraint(
        self,
        engine: Engine,
        ada: Person,
        versions: dict[str, ContentVersion],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        first = send_code(engine, ada, versions["double"], once="a")
        look, looks = queries._submission_once, []

        def blind_at_first(db: Session, person: Person, key: str) -> Submission | None:
            looks.append(key)
            return None if len(looks) == 1 else look(db, person, key)

        monkeypatch.setattr(queries, "_submission_once", blind_at_first)
        monkeypatch.setattr(queries, "_place_refusal", lambda *_: None)
        again = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(first, Submission)
        assert isinstance(again, Submission)
        assert (again.id, len(looks)) == (first.id, 2)

    def test_of_two_people_with_the_same_form_id_is_two(
        self, engine: Engine, ada: Person, mallory: Person, versions: dict[str, ContentVersion]
    ) -> None:
        first = send_code(engine, ada, versions["double"], once="a")
        second = send_code(engine, mallory, versions["double"], once="a")
        assert isinstance(first, Submission)
        assert isinstance(second, Submission)
        assert first.id != second.id


class TestOneInFlight:
    def test_a_second_submission_waits_for_the_first(
        self, engine: Engine, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        send_code(engine, ada, versions["double"], once="a")
        assert send_code(engine, ada, versions["double"], once="b", source="y = 3") is Refusal.IN_FLIGHT

    def test_of_ten_different_ones_at_once_one_goes_in(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = at_once(10, lambda n: send_code(engine, ada, versions["double"], once=str(n)))
        assert sorted(type(one).__name__ for one in sent) == ["Refusal"] * 9 + ["Submission"]
        assert {one for one in sent if isinstance(one, Refusal)} == {Refusal.IN_FLIGHT}
        assert db.scalar(select(func.count()).select_from(Submission)) == 1

    def test_a_run_and_a_submission_share_the_place(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        run = in_one_transaction(
            engine, lambda db: queries.add_run(db, ada, versions["double"], "print(1)", address=None)
        )
        assert isinstance(run, Run)
        assert send_code(engine, ada, versions["double"], once="a") is Refusal.IN_FLIGHT
        again = in_one_transaction(
            engine, lambda db: queries.add_run(db, ada, versions["double"], "print(2)", address=None)
        )
        assert again is Refusal.IN_FLIGHT
        assert db.scalar(select(func.count()).select_from(Run)) == 1

    def test_the_place_is_free_as_soon_as_the_verdict_is_stored(
        self, engine: Engine, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        first = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(first, Submission)
        in_one_transaction(engine, lambda db: grading.settle_submission(db, first.id, PASSED, now=NOW))
        second = send_code(engine, ada, versions["double"], once="b")
        assert isinstance(second, Submission)
        assert second.attempt_no == 2

    def test_questions_take_no_place(
        self, engine: Engine, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        send_code(engine, ada, versions["double"], once="a")
        sent = in_one_transaction(
            engine,
            lambda db: queries.add_submission(
                db, ada, versions["sum"], {"option": "B"}, once="b", address=None, verdict=PASSED
            ),
        )
        assert isinstance(sent, Submission)


class TestTheQueue:
    def test_takes_as_many_as_it_may_and_no_more(
        self, engine: Engine, db: Session, versions: dict[str, ContentVersion]
    ) -> None:
        people = [anonymous(db) for _ in range(6)]
        limits = QueueLimits(people=4, anonymous=99)
        sent = at_once(6, lambda n: send_code(engine, people[n], versions["double"], once="a", limits=limits))
        assert sum(isinstance(one, Submission) for one in sent) == 4
        assert [one for one in sent if isinstance(one, Refusal)] == [Refusal.QUEUE_FULL] * 2

    def test_takes_only_so_many_without_account_from_one_address(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        limits = QueueLimits(people=99, anonymous=2)
        people = [anonymous(db) for _ in range(3)]
        sent = [
            send_code(engine, p, versions["double"], once="a", address="192.0.2.1", limits=limits)
            for p in people
        ]
        assert sent[2] is Refusal.ADDRESS_BUSY
        elsewhere = send_code(
            engine, people[2], versions["double"], once="a", address="192.0.2.2", limits=limits
        )
        assert isinstance(elsewhere, Submission)
        account = send_code(engine, ada, versions["double"], once="a", address=None, limits=limits)
        assert isinstance(account, Submission)

    def test_a_refused_answer_leaves_nothing_behind(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        refused = send_code(engine, ada, versions["double"], once="a", limits=QueueLimits(people=0))
        assert refused is Refusal.QUEUE_FULL
        assert db.scalar(select(func.count()).select_from(Submission)) == 0
        assert db.scalar(select(func.count()).select_from(InFlight)) == 0


class TestVersions:
    def test_a_version_is_stored_once_however_many_store_it(
        self, engine: Engine, db: Session, catalogue: Catalogue
    ) -> None:
        at_once(
            5,
            lambda _: in_one_transaction(engine, lambda db: ensure_version(db, item(catalogue, "sum")).id),
        )
        assert db.scalar(select(func.count()).select_from(ContentVersion)) == 1

    def test_a_version_is_kept_whole(
        self, db: Session, catalogue: Catalogue, versions: dict[str, ContentVersion]
    ) -> None:
        for item_id, version in versions.items():
            db.refresh(version)
            assert item_from_json(version.body) == item(catalogue, item_id)
            assert item_from_json(version.body).version == version.hash

    def test_a_version_of_another_item_is_not_one_of_this(
        self, db: Session, versions: dict[str, ContentVersion]
    ) -> None:
        assert version_seen(db, "sum", versions["sum"].hash) is not None
        assert version_seen(db, "double", versions["sum"].hash) is None


class TestOneVerdict:
    def test_the_first_stands_and_a_second_is_dropped(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(sent, Submission)
        failed = replace(PASSED, status=Status.FAILED, centipoints=0)
        stored = at_once(
            4,
            lambda n: in_one_transaction(
                engine,
                lambda db: grading.settle_submission(db, sent.id, PASSED if n % 2 else failed, now=NOW),
            ),
        )
        assert sorted(stored) == [False, False, False, True]
        assert db.scalar(select(func.count()).select_from(models.Verdict)) == 1

    def test_the_constraint_stands_behind_it(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(sent, Submission)
        begin_write(db)
        queries.add_verdict(db, sent.id, PASSED, now=NOW)
        with pytest.raises(IntegrityError, match="submission_id"):
            queries.add_verdict(db, sent.id, PASSED, now=NOW)

    def test_a_fault_cannot_be_stored_as_a_verdict(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(sent, Submission)
        begin_write(db)
        with pytest.raises(IntegrityError, match="status_is_final"):
            queries.add_verdict(db, sent.id, Verdict(Status.FAULT, "Ours."), now=NOW)

    def test_its_checks_are_rows_in_the_authors_order(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(sent, Submission)
        checks = tuple(
            CheckResult(name, CheckStatus.FAILED, 0, 50, message="no") for name in ("second", "first")
        )
        verdict = Verdict(Status.FAILED, "Not yet.", 0, 100, checks=checks, seed="0" * 32)
        in_one_transaction(engine, lambda db: grading.settle_submission(db, sent.id, verdict, now=NOW))
        found = queries.submission_for(db, ada, sent.public_id)
        assert found is not None
        assert found.verdict is not None
        rows = db.scalars(select(CheckVerdict).order_by(CheckVerdict.position))
        assert [check.name for check in rows] == ["second", "first"]
        assert Verdict.from_json(found.verdict.body) == verdict


class TestClaims:
    def test_of_many_workers_one_has_the_job(
        self, engine: Engine, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(sent, Submission)
        job = Job(FlightKind.SUBMISSION, sent.id)
        claims = at_once(
            6,
            lambda n: in_one_transaction(
                engine, lambda db: grading.claim(db, job, worker=f"w{n}", now=datetime.now(UTC))
            ),
        )
        assert sum(claim is not None for claim in claims) == 1


class TestWhoMayRead:
    def test_someone_elses_submission_is_not_found(
        self, engine: Engine, db: Session, ada: Person, mallory: Person, versions: dict[str, ContentVersion]
    ) -> None:
        sent = send_code(engine, ada, versions["double"], once="a")
        assert isinstance(sent, Submission)
        assert queries.submission_for(db, ada, sent.public_id) is not None
        assert queries.submission_for(db, mallory, sent.public_id) is None

    def test_someone_elses_run_is_not_found(
        self, engine: Engine, db: Session, ada: Person, mallory: Person, versions: dict[str, ContentVersion]
    ) -> None:
        run = in_one_transaction(
            engine, lambda db: queries.add_run(db, ada, versions["double"], "print(1)", address=None)
        )
        assert isinstance(run, Run)
        assert queries.run_for(db, ada, run.public_id) is not None
        assert queries.run_for(db, mallory, run.public_id) is None


class TestDrafts:
    def save(self, engine: Engine, person: Person, text: str, revision: int | None) -> Any:
        return in_one_transaction(
            engine, lambda db: drafts.save_draft(db, person, "double", {"source": text}, revision=revision)
        )

    def test_a_page_that_knows_the_newest_may_save(self, engine: Engine, ada: Person) -> None:
        assert self.save(engine, ada, "a", 0).revision == 1
        assert self.save(engine, ada, "b", 1).revision == 2

    def test_a_page_that_knows_an_older_one_is_told_what_is_stored(
        self, engine: Engine, db: Session, ada: Person
    ) -> None:
        self.save(engine, ada, "a", 0)
        self.save(engine, ada, "b", 1)
        conflict = self.save(engine, ada, "c", 1)
        assert isinstance(conflict, drafts.Conflict)
        assert (conflict.draft.revision, conflict.draft.answer) == (2, {"source": "b"})

    def test_the_same_text_again_changes_nothing(self, engine: Engine, ada: Person) -> None:
        self.save(engine, ada, "a", 0)
        assert self.save(engine, ada, "a", 0).revision == 1

    def test_sending_overwrites_whatever_is_there(self, engine: Engine, ada: Person) -> None:
        self.save(engine, ada, "a", 0)
        assert self.save(engine, ada, "b", None).revision == 2

    def test_of_two_pages_that_save_at_once_one_is_told(self, engine: Engine, ada: Person) -> None:
        self.save(engine, ada, "a", 0)
        saved = at_once(4, lambda n: self.save(engine, ada, f"page {n}", 1))
        assert sum(isinstance(one, drafts.Conflict) for one in saved) == 3


class TestHowOneStands:
    def test_states_count_attempts_and_keep_the_best(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        for once, status, points in (
            ("a", Status.FAILED, 50),
            ("b", Status.NOT_GRADABLE, 0),
            ("c", Status.PASSED, 100),
            ("d", Status.TIMEOUT, 0),
        ):
            sent = send_code(engine, ada, versions["double"], once=once)
            assert isinstance(sent, Submission)
            verdict = Verdict(status, "", points, 100)
            in_one_transaction(
                engine,
                lambda db, verdict=verdict, sent=sent: grading.settle_submission(
                    db, sent.id, verdict, now=NOW
                ),
            )
        state = queries.states(db, ada)["double"]
        assert (state.best_status, state.passed, state.attempts, state.best_centipoints, state.sent) == (
            Status.PASSED,
            True,
            3,
            100,
            4,
        )

    def test_before_it_is_passed_the_last_verdict_is_told(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        for once, status in (("a", Status.FAILED), ("b", Status.ERROR)):
            sent = send_code(engine, ada, versions["double"], once=once)
            assert isinstance(sent, Submission)
            in_one_transaction(
                engine,
                lambda db, status=status, sent=sent: grading.settle_submission(
                    db, sent.id, Verdict(status, "", 0, 100), now=NOW
                ),
            )
        send_code(engine, ada, versions["double"], once="c")  # waits
        assert queries.states(db, ada)["double"].best_status is Status.ERROR

    def test_nobody_stands_in_anothers_place(
        self, engine: Engine, db: Session, ada: Person, mallory: Person, versions: dict[str, ContentVersion]
    ) -> None:
        send_code(engine, ada, versions["double"], once="a")
        assert queries.states(db, mallory) == {}
        assert queries.history(db, mallory, "double") == []

    def test_pages_run_a_fixed_number_of_queries(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        for once in "abc":
            sent = send_code(engine, ada, versions["double"], once=once)
            assert isinstance(sent, Submission)
            in_one_transaction(
                engine, lambda db, sent=sent: grading.settle_submission(db, sent.id, PASSED, now=NOW)
            )
        statements: list[str] = []

        def count(*args: Any) -> None:
            if args[2].startswith("SELECT"):
                statements.append(args[2])

        event.listen(engine, "before_cursor_execute", count)
        queries.states(db, ada)
        assert len(statements) == 1
        statements.clear()
        newest = queries.latest(db, ada, ["double"])["double"]
        assert newest.verdict is not None
        assert newest.version.item_id == "double"
        assert len(statements) == 1

    def test_a_list_of_attempts_loads_no_answers(
        self, engine: Engine, db: Session, ada: Person, versions: dict[str, ContentVersion]
    ) -> None:
        for once in "abc":
            sent = send_code(engine, ada, versions["double"], once=once)
            assert isinstance(sent, Submission)
            in_one_transaction(
                engine, lambda db, sent=sent: grading.settle_submission(db, sent.id, PASSED, now=NOW)
            )
        statements: list[str] = []
        event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
        history = queries.history(db, ada, "double")
        assert [one.attempt_no for one in history] == [3, 2, 1]
        assert [one.centipoints for one in history] == [PASSED.centipoints] * 3
        selects = [one for one in statements if one.startswith("SELECT")]
        assert len(selects) == 1
        assert not [name for name in ("answer", "body", "summary") if f".{name}" in selects[0]]


def test_the_ticks_complete_a_prompt_once(
    engine: Engine, db: Session, ada: Person, catalogue: Catalogue, versions: dict[str, ContentVersion]
) -> None:
    sent = in_one_transaction(
        engine,
        lambda db: queries.add_submission(db, ada, versions["why"], {"text": "…"}, once="a", address=None),
    )
    assert isinstance(sent, Submission)

    def tick(points: tuple[int, ...]) -> bool:
        verdict = questions.grade(item(catalogue, "why"), {"text": "…", "ticked": points})
        assert verdict is not None
        return in_one_transaction(engine, lambda db: queries.add_ticks(db, sent, points, verdict))

    assert tick((0, 2)) is True
    assert tick((0, 1, 2)) is False
    found = queries.submission_for(db, ada, sent.public_id)
    assert found is not None
    assert found.verdict is not None
    assert found.answer == {"text": "…", "ticked": [0, 2]}
    assert found.verdict.centipoints == 200
