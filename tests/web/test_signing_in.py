"""Signing in, signing out, and how often one may guess."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from quizapp.accounts import passwords, queries, rules
from quizapp.accounts.models import Person, SignInAttempt

PASSWORD = "correct horse battery"


@pytest.fixture
def ada(ada: Person, db: Session) -> Person:
    queries.set_password(ada, passwords.hash_password(PASSWORD))
    db.commit()
    return ada


def sign_in(client: FlaskClient, email: str = "ada@example.org", password: str = PASSWORD, **more: str):
    return client.post("/sign-in", data={"email": email, "password": password, **more})


def is_signed_in(client: FlaskClient) -> bool:
    return client.get("/account").status_code == 200


class TestSigningIn:
    def test_the_right_password_lets_in(self, client: FlaskClient, ada: Person) -> None:
        response = sign_in(client)
        assert (response.status_code, response.location) == (303, "/")
        assert "ada@example.org" in client.get("/account").text

    def test_case_and_blanks_around_the_address_do_not_matter(self, client: FlaskClient, ada: Person) -> None:
        assert sign_in(client, " ADA@Example.org\u200b").status_code == 303

    def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(
        self, client: FlaskClient, ada: Person
    ) -> None:
        wrong = sign_in(client, password="wrong horse battery")
        unknown = sign_in(client, "nobody@example.org")
        assert wrong.status_code == unknown.status_code == 422
        words = re.compile('nonce="[^"]*"|value="[^"]*"')
        assert words.sub("", wrong.text) == words.sub("", unknown.text)
        assert not is_signed_in(client)

    def test_an_unknown_address_is_hashed_like_a_known_one(
        self, client: FlaskClient, ada: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        verified: list[str] = []
        real = passwords._hasher.verify

        class Counting:
            def verify(self, hashed: str, password: str) -> bool:
                verified.append(hashed.rpartition("$")[0].rpartition("$")[0])
                return real(hashed, password)

        monkeypatch.setattr(passwords, "_hasher", Counting())
        sign_in(client, password="wrong horse battery")
        sign_in(client, "nobody@example.org")
        assert len(verified) == 2
        assert verified[0] == verified[1], "with the same parameters"

    def test_an_account_without_a_password_lets_nobody_in(self, client: FlaskClient, mallory: Person) -> None:
        assert sign_in(client, "mallory@example.org", "").status_code == 422

    def test_it_goes_on_to_the_page_that_asked_for_it(self, client: FlaskClient, ada: Person) -> None:
        asked = client.get("/account")
        assert urlsplit(asked.location).path == "/sign-in"
        assert 'name="next" value="/account"' in client.get(asked.location).text
        assert sign_in(client, next="/account").location == "/account"

    @pytest.mark.parametrize("elsewhere", ["https://evil.example", "//evil.example", "/\\evil.example"])
    def test_it_never_goes_on_to_another_site(self, client: FlaskClient, ada: Person, elsewhere: str) -> None:
        assert sign_in(client, next=elsewhere).location == "/"

    def test_an_outdated_hash_is_made_anew(self, client: FlaskClient, ada: Person, db: Session) -> None:
        old = passwords.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
        db.execute(update(Person).where(Person.id == ada.id).values(password_hash=old))
        db.commit()
        assert sign_in(client).status_code == 303
        db.rollback()
        db.expire_all()
        assert ada.password_hash != old
        assert passwords.matches(ada.password_hash, PASSWORD)


class TestGuessing:
    def test_the_last_allowed_guess_may_be_right(self, client: FlaskClient, ada: Person) -> None:
        for _ in range(rules.FAILURES_PER_ACCOUNT - 1):
            assert sign_in(client, password="wrong horse battery").status_code == 422
        assert sign_in(client).status_code == 303

    def test_after_too_many_guesses_even_the_right_password_waits_and_is_told_how_long(
        self, app: Flask, ada: Person
    ) -> None:
        for _ in range(rules.FAILURES_PER_ACCOUNT):
            sign_in(app.test_client(), password="wrong horse battery")
        refused = sign_in(app.test_client())
        assert refused.status_code == 429
        assert "Try again in 15 minutes" in refused.text
        assert refused.headers["Retry-After"] == "900"

    def test_the_wait_ends(self, client: FlaskClient, ada: Person, db: Session) -> None:
        for _ in range(rules.FAILURES_PER_ACCOUNT):
            sign_in(client, password="wrong horse battery")
        for attempt in db.scalars(select(SignInAttempt)):
            attempt.at -= rules.ATTEMPT_WINDOW + timedelta(seconds=1)
        db.commit()
        assert sign_in(client).status_code == 303

    def test_one_address_that_tries_many_accounts_waits_too(self, client: FlaskClient, ada: Person) -> None:
        for number in range(rules.FAILURES_PER_ADDRESS):
            sign_in(client, f"nobody-{number}@example.org")
        assert sign_in(client).status_code == 429
        elsewhere = client.post(
            "/sign-in",
            data={"email": "ada@example.org", "password": PASSWORD},
            environ_overrides={"REMOTE_ADDR": "192.0.2.7"},
        )
        assert elsewhere.status_code == 303

    def test_of_many_guesses_at_once_no_more_get_through_than_of_as_many_in_a_row(
        self, app: Flask, ada: Person
    ) -> None:
        def guess(number: int) -> int:
            return sign_in(app.test_client(), password=f"wrong horse battery {number}").status_code

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(guess, range(2 * rules.FAILURES_PER_ACCOUNT)))
        assert answers.count(422) == rules.FAILURES_PER_ACCOUNT
        assert answers.count(429) == rules.FAILURES_PER_ACCOUNT

    def test_what_was_typed_as_the_address_is_not_kept_in_the_clear(
        self, client: FlaskClient, db: Session
    ) -> None:
        sign_in(client, "my password in the wrong box")
        assert "password" not in db.scalars(select(SignInAttempt)).one().account

    def test_making_accounts_does_not_tell_faster_which_addresses_have_one(
        self, client: FlaskClient, ada: Person
    ) -> None:
        taken = {"name": "Eve", "email": "ada@example.org", "password": "another long password"}
        for _ in range(rules.FAILURES_PER_ACCOUNT):
            assert client.post("/account/new", data=taken).status_code == 422
        assert client.post("/account/new", data=taken).status_code == 429


class TestSigningOut:
    def test_it_ends_the_session(self, client: FlaskClient, ada: Person) -> None:
        sign_in(client)
        assert client.post("/sign-out").status_code == 303
        assert not is_signed_in(client)

    def test_a_link_cannot_do_it(self, client: FlaskClient, ada: Person) -> None:
        sign_in(client)
        assert client.get("/sign-out").status_code == 405

    def test_it_ends_copies_of_the_session_and_those_of_other_browsers(
        self, app: Flask, client: FlaskClient, ada: Person
    ) -> None:
        other = app.test_client()
        sign_in(client)
        sign_in(other)
        cookie = client.get_cookie("session")
        assert cookie is not None
        client.post("/sign-out")
        thief = app.test_client()
        thief.set_cookie("session", cookie.value)
        assert not is_signed_in(thief)
        assert not is_signed_in(other)
        assert sign_in(client).status_code == 303
        assert is_signed_in(client)
        assert is_signed_in(client)


class TestChangingThePassword:
    def test_all_other_sessions_end_and_this_one_goes_on(self, app: Flask, ada: Person) -> None:
        here, elsewhere = app.test_client(), app.test_client()
        sign_in(here)
        sign_in(elsewhere)
        changed = here.post(
            "/account/password", data={"current": PASSWORD, "password": "four other words here"}
        )
        assert changed.status_code == 303
        assert is_signed_in(here)
        assert not is_signed_in(elsewhere)
        assert sign_in(app.test_client()).status_code == 422
        assert sign_in(app.test_client(), password="four other words here").status_code == 303

    def test_it_takes_the_old_one(self, client: FlaskClient, ada: Person) -> None:
        sign_in(client)
        refused = client.post("/account/password", data={"current": "x", "password": "four other words here"})
        assert refused.status_code == 422
        assert "not your current password" in refused.text

    def test_a_new_one_that_is_too_short_is_explained_and_costs_no_guess(
        self, client: FlaskClient, ada: Person
    ) -> None:
        sign_in(client)
        for _ in range(rules.FAILURES_PER_ACCOUNT + 1):
            refused = client.post("/account/password", data={"current": PASSWORD, "password": "short"})
            assert refused.status_code == 422
            assert "at least 10 signs" in refused.text


class TestTheSessionCookie:
    def test_a_cookie_that_was_changed_lets_nobody_in(self, client: FlaskClient, ada: Person) -> None:
        sign_in(client)
        cookie = client.get_cookie("session")
        assert cookie is not None
        at = len(cookie.value) - 10  # within the signature
        other = "A" if cookie.value[at] != "A" else "B"
        client.set_cookie("session", cookie.value[:at] + other + cookie.value[at + 1 :])
        assert not is_signed_in(client)

    def test_it_is_read_by_no_script_and_sent_by_no_other_site(
        self, client: FlaskClient, ada: Person
    ) -> None:
        cookie = sign_in(client).headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Secure" not in cookie

    def test_behind_https_it_is_secure(self, client: FlaskClient, ada: Person) -> None:
        response = client.post(
            "/sign-in", data={"email": "ada@example.org", "password": PASSWORD}, base_url="https://localhost"
        )
        assert "Secure" in response.headers["Set-Cookie"]


class TestWhoSeesPeople:
    def test_a_teacher_does(
        self, browser_of: Callable[[Person], FlaskClient], ada: Person, grace: Person
    ) -> None:
        page = browser_of(grace).get("/people")
        assert page.status_code == 200
        assert "ada@example.org" in page.text

    def test_to_a_learner_the_page_does_not_exist(
        self, browser_of: Callable[[Person], FlaskClient], mallory: Person
    ) -> None:
        assert browser_of(mallory).get("/people").status_code == 404

    def test_a_stranger_is_asked_to_sign_in(self, client: FlaskClient) -> None:
        assert client.get("/people").location.startswith("/sign-in?next=")

    def test_a_search_finds_by_part_of_the_name_and_takes_signs_as_they_are(
        self, browser_of: Callable[[Person], FlaskClient], ada: Person, mallory: Person, grace: Person
    ) -> None:
        browser = browser_of(grace)
        found = browser.get("/people?q=ADA").text
        assert "ada@example.org" in found
        assert "mallory@example.org" not in found
        assert "Nobody with an account" in browser.get("/people?q=%25").text
