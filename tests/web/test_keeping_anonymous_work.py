"""Work done without an account: kept by making one, or brought along into one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from quizapp.accounts import passwords, queries
from quizapp.accounts.models import Person, SetAsideText
from quizapp.accounts.queries import Joined
from quizapp.submissions.models import ContentVersion, Draft, FlightKind, InFlight, Run, Submission

PASSWORD = "correct horse battery"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def ada(ada: Person, db: Session) -> Person:
    queries.set_password(ada, passwords.hash_password(PASSWORD))
    db.commit()
    return ada


@pytest.fixture
def version(db: Session) -> ContentVersion:
    made = ContentVersion(hash="0" * 64, item_id="sum", kind="choice", body={}, created_at=NOW)
    db.add(made)
    db.commit()
    return made


@pytest.fixture
def stranger(db: Session) -> Person:
    made = queries.add_anonymous(db, uuid4(), now=NOW)
    db.commit()
    return made


def answer(db: Session, person: Person, version: ContentVersion, number: int, **changes: Any) -> Submission:
    values: dict[str, Any] = {
        "person_id": person.id,
        "item_id": "sum",
        "version_id": version.id,
        "once": uuid4().hex,
        "attempt_no": number,
        "answer": {"option": "A"},
        "created_at": NOW + number * MINUTE,
    }
    made = Submission(**values | changes)
    db.add(made)
    db.commit()
    return made


def draft(db: Session, person: Person, item_id: str, text: str, *, at: datetime, revision: int = 1) -> Draft:
    made = Draft(
        person_id=person.id, item_id=item_id, answer={"text": text}, revision=revision, updated_at=at
    )
    db.add(made)
    db.commit()
    return made


def drafts_of(db: Session, person: Person) -> dict[str, str]:
    db.rollback()
    db.expire_all()
    return {
        row.item_id: row.answer["text"]
        for row in db.scalars(select(Draft).where(Draft.person_id == person.id))
    }


def join(db: Session, stranger: Person, into: Person) -> Joined:
    joined = queries.join_work(db, stranger, into)
    db.commit()
    db.rollback()
    db.expire_all()
    return joined


def people(db: Session) -> int:
    return db.scalar(select(func.count()).select_from(Person)) or 0


class TestMakingAnAccount:
    def test_the_work_stays_with_the_same_person(self, client: FlaskClient, db: Session) -> None:
        client.post("/items/why/draft", data={"text": "because of the branch"})
        before = db.scalars(select(Person)).one()
        page = client.get("/account/new").text
        assert "1 draft" in page
        sent = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
        assert client.post("/account/new", data=sent).status_code == 303
        db.rollback()
        db.expire_all()
        after = db.scalars(select(Person)).one()
        assert (after.id, after.email, after.role) == (before.id, "ada@example.org", "learner")
        assert drafts_of(db, after) == {"why": "because of the branch"}
        assert client.get_cookie("learner") is None

    def test_the_cookie_of_then_opens_nothing_any_more(
        self, app: Flask, client: FlaskClient, db: Session
    ) -> None:
        client.post("/items/why/draft", data={"text": "because"})
        kept = client.get_cookie("learner")
        assert kept is not None
        client.post("/account/new", data={"name": "Ada", "email": "ada@example.org", "password": PASSWORD})
        thief = app.test_client()
        thief.set_cookie("learner", kept.value)
        assert thief.get("/account").status_code == 302
        assert "Keep my work" not in thief.get("/").text

    def test_a_double_click_is_one_account(self, client: FlaskClient, db: Session) -> None:
        sent = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
        assert client.post("/account/new", data=sent).status_code == 303
        client.post("/sign-out")
        assert client.post("/account/new", data=sent).status_code == 303
        assert people(db) == 1


class TestSigningInWithWork:
    def test_it_is_offered_and_brought_along(self, client: FlaskClient, ada: Person, db: Session) -> None:
        client.post("/items/why/draft", data={"text": "because"})
        signed_in = client.post(
            "/sign-in", data={"email": "ada@example.org", "password": PASSWORD, "next": "/topics/tiny"}
        )
        assert signed_in.location == "/account/work?next=/topics/tiny"
        assert "1 draft" in client.get(signed_in.location).text
        assert client.post("/account/work").status_code == 303
        assert drafts_of(db, ada) == {"why": "because"}
        assert people(db) == 1
        assert client.get_cookie("learner") is None

    def test_what_is_left_there_is_found_again_after_signing_out(
        self, client: FlaskClient, ada: Person, db: Session
    ) -> None:
        client.post("/items/why/draft", data={"text": "because"})
        client.post("/sign-in", data={"email": "ada@example.org", "password": PASSWORD})
        assert "Bring them along" in client.get("/account").text
        client.post("/sign-out")
        assert "because" in client.get("/items/why").text
        assert drafts_of(db, ada) == {}

    def test_without_work_nothing_is_asked(self, client: FlaskClient, ada: Person) -> None:
        signed_in = client.post("/sign-in", data={"email": "ada@example.org", "password": PASSWORD})
        assert signed_in.location == "/"

    def test_a_text_that_gave_way_can_be_read_and_removed_by_its_owner_alone(
        self, client: FlaskClient, ada: Person, mallory: Person, browser_of: Any, db: Session
    ) -> None:
        client.post("/items/why/draft", data={"text": "the newer text"})
        draft(db, ada, "why", "the older <text>", at=NOW)
        client.post("/sign-in", data={"email": "ada@example.org", "password": PASSWORD})
        client.post("/account/work")
        assert "the older &lt;text&gt;" in client.get("/account").text
        text = db.scalars(select(SetAsideText)).one()
        assert browser_of(mallory).post(f"/account/texts/{text.public_id}/remove").status_code == 404
        assert client.post(f"/account/texts/{text.public_id}/remove").status_code == 303
        assert "the older" not in client.get("/account").text


class TestBringingSubmissions:
    def test_they_are_counted_on_from_the_accounts_own_in_their_order(
        self, db: Session, ada: Person, stranger: Person, version: ContentVersion
    ) -> None:
        own = [answer(db, ada, version, number) for number in (1, 2)]
        brought = [answer(db, stranger, version, number) for number in (1, 2, 3)]
        elsewhere = answer(db, stranger, version, 1, item_id="other")
        assert join(db, stranger, ada) is Joined.DONE
        assert [row.attempt_no for row in (*own, *brought)] == [1, 2, 3, 4, 5]
        assert elsewhere.attempt_no == 1
        assert {row.person_id for row in (*own, *brought, elsewhere)} == {ada.id}
        assert db.get(Person, stranger.id) is None

    def test_one_form_that_both_have_sent_stays_two_answers(
        self, db: Session, ada: Person, stranger: Person, version: ContentVersion
    ) -> None:
        answer(db, ada, version, 1, once="the same form")
        answer(db, stranger, version, 1, once="the same form")
        assert join(db, stranger, ada) is Joined.DONE
        assert db.scalar(select(func.count()).where(Submission.person_id == ada.id)) == 2

    def test_nothing_is_moved_while_something_is_being_graded(
        self, db: Session, ada: Person, stranger: Person, version: ContentVersion
    ) -> None:
        waiting = answer(db, stranger, version, 1, waits_for="grader")
        db.add(
            InFlight(
                person_id=stranger.id,
                kind=FlightKind.SUBMISSION.value,
                submission_id=waiting.id,
                created_at=NOW,
            )
        )
        db.commit()
        assert join(db, stranger, ada) is Joined.IN_FLIGHT
        assert waiting.person_id == stranger.id

    def test_runs_come_along(
        self, db: Session, ada: Person, stranger: Person, version: ContentVersion
    ) -> None:
        run = Run(person_id=stranger.id, item_id="sum", version_id=version.id, source="x = 1", created_at=NOW)
        db.add(run)
        db.commit()
        assert join(db, stranger, ada) is Joined.DONE
        assert run.person_id == ada.id

    def test_an_account_is_never_moved_into_another(
        self, db: Session, ada: Person, mallory: Person, stranger: Person
    ) -> None:
        assert join(db, mallory, ada) is Joined.NOT_POSSIBLE
        assert join(db, stranger, stranger) is Joined.NOT_POSSIBLE
        assert people(db) == 3


class TestBringingDrafts:
    def test_of_two_the_newer_stays_and_the_older_is_set_aside(
        self, db: Session, ada: Person, stranger: Person
    ) -> None:
        draft(db, ada, "why", "ada's older", at=NOW)
        draft(db, stranger, "why", "the stranger's newer", at=NOW + MINUTE)
        draft(db, ada, "sum", "ada's newer", at=NOW + MINUTE)
        draft(db, stranger, "sum", "the stranger's older", at=NOW)
        draft(db, stranger, "leaf", "only one", at=NOW)
        assert join(db, stranger, ada) is Joined.DONE
        assert drafts_of(db, ada) == {"why": "the stranger's newer", "sum": "ada's newer", "leaf": "only one"}
        kept = {(text.item_id, text.answer["text"]) for text in queries.set_aside_texts(db, ada)}
        assert kept == {("why", "ada's older"), ("sum", "the stranger's older")}

    def test_a_page_that_shows_the_older_one_is_not_up_to_date(
        self, db: Session, ada: Person, stranger: Person
    ) -> None:
        own = draft(db, ada, "why", "ada's older", at=NOW, revision=5)
        draft(db, stranger, "why", "the stranger's newer", at=NOW + MINUTE, revision=2)
        join(db, stranger, ada)
        assert own.revision == 6

    def test_of_two_equal_ones_none_is_set_aside(self, db: Session, ada: Person, stranger: Person) -> None:
        draft(db, ada, "why", "the same", at=NOW)
        draft(db, stranger, "why", "the same", at=NOW + MINUTE)
        join(db, stranger, ada)
        assert queries.set_aside_texts(db, ada) == []
