"""One-time links: the first teacher's, and those with which a new password is chosen."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from quizapp.accounts import links, passwords, queries, rules
from quizapp.accounts.models import OneTimeLink, Person
from quizapp.cli import main
from quizapp.config import Settings

NEW = "four other words here"
GRACE = {"name": "Grace", "email": "grace@example.org", "password": NEW}


@pytest.fixture
def first_link(db: Session) -> str:
    token = links.make_first_teacher_link(db, now=datetime.now(UTC))
    db.commit()
    return f"/links/{token}"


@pytest.fixture
def adas_link(db: Session, ada: Person) -> str:
    token = links.make_password_link(db, ada, made_by=None, now=datetime.now(UTC))
    db.commit()
    return f"/links/{token}"


@pytest.fixture
def quizapp(settings: Settings, db: Session) -> Callable[..., Result]:
    """The command line, with the test's data folder."""

    def run(*arguments: str, typed: str = "") -> Result:
        environ = {"QUIZAPP_DATA": str(settings.data)}
        return CliRunner().invoke(main, arguments, input=typed, env=environ)

    return run


class TestTheCommandLine:
    @pytest.mark.parametrize("arguments", [["reset", "lea@example.org"], ["first-link"]])
    def test_makes_no_database_where_there_is_none_to_look_into(
        self, arguments: list[str], tmp_path: Path
    ) -> None:
        folder = tmp_path / "elsewhere"
        refused = CliRunner().invoke(main, ["user", *arguments, "--data", str(folder)])
        assert refused.exit_code == 2
        assert f"there is no database in {folder}" in refused.stderr
        assert not folder.exists()

    def test_says_in_which_folder_nobody_was_found(
        self, quizapp: Callable[..., Result], settings: Settings
    ) -> None:
        refused = quizapp("user", "reset", "nobody@example.org")
        assert f"(looked in {settings.data})" in refused.stderr

    def test_says_which_address_it_assumes_and_not_where_one_is_given(
        self, quizapp: Callable[..., Result]
    ) -> None:
        assert "Its start is an assumption" in quizapp("user", "first-link").output
        given = quizapp("user", "first-link", "--address", "https://quiz.example.org")
        assert "https://quiz.example.org/links/" in given.output
        assert "assumption" not in given.output

    @pytest.mark.parametrize("address", ["nonsense", "ftp://example.org", "https://", "http://a:port"])
    def test_refuses_what_is_no_address(self, quizapp: Callable[..., Result], address: str) -> None:
        refused = quizapp("user", "first-link", "--address", address)
        assert refused.exit_code == 2
        assert "is no address of a site. Write it like https://quiz.example.org" in refused.stderr

    def test_making_an_account_in_a_new_folder_says_so(self, tmp_path: Path) -> None:
        folder = tmp_path / "fresh"
        arguments = ["--email", "ada@example.org", "--name", "Ada", "--data", str(folder)]
        added = CliRunner().invoke(main, ["user", "add", *arguments])
        assert added.exit_code == 0
        assert f"The database in {folder} is new" in added.output


class TestTheFirstTeachersLink:
    def test_it_makes_a_teacher_who_is_signed_in_at_once(
        self, client: FlaskClient, first_link: str, db: Session
    ) -> None:
        assert client.post(first_link, data=GRACE).status_code == 303
        assert client.get("/people").status_code == 200
        assert db.scalars(select(Person)).one().role == "teacher"

    def test_looking_at_it_does_not_use_it_up(self, app: Flask, first_link: str) -> None:
        for _ in range(3):
            assert app.test_client().get(first_link).status_code == 200
        assert app.test_client().post(first_link, data=GRACE).status_code == 303

    def test_it_works_once(self, app: Flask, first_link: str, db: Session) -> None:
        app.test_client().post(first_link, data=GRACE)
        again = app.test_client().post(first_link, data={**GRACE, "email": "mallory@example.org"})
        assert again.status_code == 410
        assert app.test_client().get(first_link).status_code == 410
        assert len(db.scalars(select(Person)).all()) == 1

    def test_a_faulty_form_does_not_use_it_up_and_says_what_is_wrong(
        self, client: FlaskClient, first_link: str
    ) -> None:
        refused = client.post(first_link, data={"name": "", "email": "grace", "password": "short"})
        assert refused.status_code == 422
        for words in ("the name that others may call you by", "not an email address", "at least 10 signs"):
            assert words in refused.text
        assert client.post(first_link, data=GRACE).status_code == 303

    def test_an_address_with_an_account_is_not_taken_over(
        self, client: FlaskClient, first_link: str, ada: Person
    ) -> None:
        refused = client.post(first_link, data={**GRACE, "email": "ada@example.org"})
        assert refused.status_code == 422
        assert "already an account with this address" in refused.text

    def test_it_expires(self, client: FlaskClient, db: Session) -> None:
        long_ago = datetime.now(UTC) - timedelta(hours=rules.FIRST_LINK_HOURS)
        token = links.make_first_teacher_link(db, now=long_ago)
        db.commit()
        assert client.post(f"/links/{token}", data=GRACE).status_code == 410

    def test_it_is_void_as_soon_as_there_is_a_teacher(
        self, client: FlaskClient, first_link: str, grace: Person
    ) -> None:
        assert client.get(first_link).status_code == 410

    def test_it_can_be_printed_again_and_then_the_older_one_is_void(
        self, client: FlaskClient, first_link: str, quizapp: Callable[..., Result]
    ) -> None:
        printed = quizapp("user", "first-link")
        assert printed.exit_code == 0
        newer = re.search(r"/links/\S+", printed.output)
        assert newer is not None
        assert client.get(first_link).status_code == 410
        assert client.post(newer.group(), data=GRACE).status_code == 303

    def test_it_is_not_printed_once_somebody_teaches(
        self, grace: Person, quizapp: Callable[..., Result]
    ) -> None:
        refused = quizapp("user", "first-link")
        assert refused.exit_code == 2
        assert "There is a teacher already" in refused.stderr

    def test_only_its_hash_is_kept(self, first_link: str, db: Session) -> None:
        (row,) = db.scalars(select(OneTimeLink)).all()
        token = first_link.rpartition("/")[2]
        assert row.token_sha256 == links.fingerprint(token)
        assert token not in str(vars(row))


class TestALinkForAForgottenPassword:
    def test_it_sets_the_password_and_signs_in(
        self, client: FlaskClient, adas_link: str, ada: Person, db: Session
    ) -> None:
        assert client.post(adas_link, data={"password": NEW}).status_code == 303
        assert "ada@example.org" in client.get("/account").text
        db.rollback()
        db.expire_all()
        assert passwords.matches(ada.password_hash, NEW)

    def test_it_works_once(self, app: Flask, adas_link: str) -> None:
        app.test_client().post(adas_link, data={"password": NEW})
        assert app.test_client().post(adas_link, data={"password": "mine from now on"}).status_code == 410

    def test_sessions_that_were_open_end(
        self, app: Flask, adas_link: str, ada: Person, browser_of: Callable[[Person], FlaskClient]
    ) -> None:
        open_before = browser_of(ada)
        assert open_before.get("/account").status_code == 200
        app.test_client().post(adas_link, data={"password": NEW})
        assert open_before.get("/account").status_code == 302

    def test_it_lets_in_while_guesses_are_waiting(self, app: Flask, adas_link: str, ada: Person) -> None:
        guess = {"email": "ada@example.org", "password": "wrong horse battery"}
        for _ in range(rules.FAILURES_PER_ACCOUNT):
            app.test_client().post("/sign-in", data=guess)
        assert app.test_client().post("/sign-in", data=guess).status_code == 429
        app.test_client().post(adas_link, data={"password": NEW})
        assert app.test_client().post("/sign-in", data={**guess, "password": NEW}).status_code == 303

    def test_an_older_one_is_void_but_other_peoples_stay(
        self, client: FlaskClient, adas_link: str, ada: Person, mallory: Person, db: Session
    ) -> None:
        now = datetime.now(UTC)
        other = links.make_password_link(db, mallory, made_by=None, now=now)
        newer = links.make_password_link(db, ada, made_by=None, now=now)
        db.commit()
        assert client.get(adas_link).status_code == 410
        assert client.get(f"/links/{other}").status_code == 200
        assert client.get(f"/links/{newer}").status_code == 200

    def test_changing_the_password_voids_it(
        self, adas_link: str, ada: Person, db: Session, client: FlaskClient
    ) -> None:
        queries.set_password(ada, passwords.hash_password(NEW))
        db.commit()
        client.post("/sign-in", data={"email": "ada@example.org", "password": NEW})
        client.post("/account/password", data={"current": NEW, "password": "yet another few words"})
        assert client.get(adas_link).status_code == 410

    def test_a_made_up_one_is_closed(self, client: FlaskClient) -> None:
        assert client.get("/links/made-up").status_code == 410
        assert client.get("/links/%F0%9F%92%A5").status_code == 410


class TestWhoMakesThem:
    def test_a_teacher_for_a_learner(
        self, browser_of: Callable[[Person], FlaskClient], grace: Person, ada: Person, client: FlaskClient
    ) -> None:
        page = browser_of(grace).post(f"/people/{ada.public_id}/link")
        assert page.status_code == 200
        link = re.search(r"http://localhost(/links/[\w-]+)", page.text)
        assert link is not None
        assert client.post(link.group(1), data={"password": NEW}).status_code == 303

    def test_not_a_teacher_for_a_teacher(
        self, browser_of: Callable[[Person], FlaskClient], grace: Person
    ) -> None:
        assert browser_of(grace).post(f"/people/{grace.public_id}/link").status_code == 403

    def test_to_a_learner_the_address_does_not_exist(
        self, browser_of: Callable[[Person], FlaskClient], ada: Person, mallory: Person, db: Session
    ) -> None:
        assert browser_of(mallory).post(f"/people/{ada.public_id}/link").status_code == 404
        assert db.scalars(select(OneTimeLink)).all() == []

    def test_whoever_runs_the_server_for_anybody(
        self, grace: Person, quizapp: Callable[..., Result], client: FlaskClient
    ) -> None:
        printed = quizapp("user", "reset", "grace@example.org", "--address", "https://quiz.example.org/")
        link = re.search(r"https://quiz\.example\.org(/links/\S+)", printed.output)
        assert link is not None
        assert client.post(link.group(1), data={"password": NEW}).status_code == 303

    def test_for_an_unknown_address_there_is_none(self, quizapp: Callable[..., Result]) -> None:
        refused = quizapp("user", "reset", "nobody@example.org")
        assert refused.exit_code == 2
        assert refused.stderr.startswith(
            "quizapp: Nobody has an account with the address nobody@example.org ("
        )


class TestAddingPeople:
    def test_with_a_password_from_standard_input(
        self, quizapp: Callable[..., Result], client: FlaskClient
    ) -> None:
        arguments = (
            "--email",
            "grace@example.org",
            "--name",
            "Grace",
            "--role",
            "teacher",
            "--password-stdin",
        )
        added = quizapp("user", "add", *arguments, typed=NEW + "\n")
        assert added.exit_code == 0, added.output
        assert "/links/" not in added.output
        client.post("/sign-in", data={"email": "grace@example.org", "password": NEW})
        assert client.get("/people").status_code == 200

    def test_without_a_password_with_a_link_to_choose_one(
        self, quizapp: Callable[..., Result], client: FlaskClient
    ) -> None:
        added = quizapp("user", "add", "--email", "ada@example.org", "--name", "Ada")
        link = re.search(r"/links/\S+", added.output)
        assert link is not None
        assert client.post(link.group(), data={"password": NEW}).status_code == 303
        assert client.get("/people").status_code == 404, "a learner, unless said otherwise"

    @pytest.mark.parametrize(
        ("changed", "typed", "words"),
        [
            ({"--email": "ada"}, NEW, "'ada' is not an email address"),
            ({"--name": " "}, NEW, "no name of 1 to 80 letters"),
            ({}, "short", "The password on standard input will not do. This has 5 of the at least 10 signs"),
            ({"--email": "ADA@example.org"}, NEW, "ada@example.org has an account already"),
        ],
    )
    def test_what_is_wrong_is_said_in_one_line(
        self, quizapp: Callable[..., Result], ada: Person, changed: dict[str, str], typed: str, words: str
    ) -> None:
        options = {"--email": "new@example.org", "--name": "New"} | changed
        arguments = [part for option in options.items() for part in option]
        refused = quizapp("user", "add", *arguments, "--password-stdin", typed=typed + "\n")
        assert refused.exit_code == 2
        assert words in refused.stderr
        assert refused.stderr.count("\n") == 1
