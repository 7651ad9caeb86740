"""What every answer carries, which proxies and forms are believed, and what errors look like."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask, abort
from flask.testing import FlaskClient
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from quizapp import create_app
from quizapp.accounts.models import Person
from quizapp.config import Settings
from quizapp.static_files import Versions

PAGES = [
    "/",
    "/sign-in",
    "/account/new",
    "/topics/tiny",
    "/sets/questions",
    "/items/double",
    "/progress",
    "/nowhere",
]


def policy_of(client: FlaskClient, path: str) -> dict[str, str]:
    header = client.get(path).headers["Content-Security-Policy"]
    return dict(part.partition(" ")[::2] for part in header.split("; "))


class TestTheContentPolicy:
    @pytest.mark.parametrize("path", PAGES)
    def test_it_is_on_every_page_and_allows_only_what_is_ours(self, client: FlaskClient, path: str) -> None:
        policy = policy_of(client, path)
        nonce = policy["style-src"].removeprefix("'self' ")
        assert re.fullmatch(r"'nonce-[\w-]{20,}'", nonce)
        assert policy == {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": f"'self' {nonce}",
            "img-src": "'self' data:",
            "connect-src": "'self'",
            "font-src": "'self'",
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'none'",
        }

    def test_a_nonce_is_used_once(self, client: FlaskClient) -> None:
        assert policy_of(client, "/")["style-src"] != policy_of(client, "/")["style-src"]

    @pytest.mark.parametrize("path", PAGES)
    def test_no_page_has_an_inline_script_or_style(self, client: FlaskClient, path: str) -> None:
        page = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"<style\b", page)
        assert not re.search(r"<[^>]+\s(style|on\w+)=", page)

    def test_the_other_headers_are_there_too(self, client: FlaskClient) -> None:
        headers = client.get("/").headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in headers["Permissions-Policy"]


class TestCaching:
    def test_a_static_file_is_kept_for_a_year_under_its_hash_and_asked_for_without(
        self, client: FlaskClient
    ) -> None:
        found = re.search(r'href="(/static/css/tokens\.css\?v=[0-9a-f]{12})"', client.get("/").text)
        assert found is not None
        by_hash = client.get(found.group(1))
        assert by_hash.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert "Set-Cookie" not in by_hash.headers
        assert "Cookie" not in by_hash.headers.get("Vary", "")
        for other in ("/static/css/tokens.css", "/static/css/tokens.css?v=000000000000"):
            assert client.get(other).headers["Cache-Control"] == "no-cache"

    def test_the_hash_follows_the_content(self, tmp_path: Path) -> None:
        versions = Versions(tmp_path)
        (tmp_path / "a.css").write_text("a {}")
        first = versions.of("a.css")
        (tmp_path / "a.css").write_text("a { color: red }")
        assert versions.of("a.css") != first
        assert versions.of("none.css") is None

    def test_pages_of_somebody_known_are_stored_nowhere(self, client: FlaskClient, app: Flask) -> None:
        assert client.get("/").headers["Cache-Control"] == "private, no-cache"
        assert client.get("/sign-in").headers["Cache-Control"] == "no-store"
        client.post("/items/sum/draft", data={"option": "B"})
        assert client.get_cookie("learner") is not None
        assert client.get("/").headers["Cache-Control"] == "no-store"


class TestFormsOfOtherSites:
    @pytest.fixture
    def guarded(self, app: Flask) -> FlaskClient:
        app.config["WTF_CSRF_ENABLED"] = True
        return app.test_client()

    @pytest.mark.parametrize(
        "path",
        ["/sign-in", "/sign-out", "/account/new", "/account/password", "/account/work", "/links/x",
         "/items/sum/submissions", "/items/double/runs", "/items/double/draft"],
    )  # fmt: skip
    def test_none_is_believed(self, guarded: FlaskClient, path: str) -> None:
        guarded.get("/sign-in")
        response = guarded.post(path, data={"option": "B"})
        assert response.status_code == 400
        assert "This page was too old to send" in response.text

    def test_our_own_is(self, guarded: FlaskClient) -> None:
        token = re.search(r'name="csrf_token" value="([^"]+)"', guarded.get("/sign-in").text)
        assert token is not None
        sent = {"email": "nobody@example.org", "password": "x", "csrf_token": token.group(1)}
        assert guarded.post("/sign-in", data=sent).status_code == 422

    def test_a_long_text_is_given_back(self, guarded: FlaskClient) -> None:
        refused = guarded.post("/items/double/submissions", data={"source": "y = 2 * x  # <mine>"})
        assert "y = 2 * x  # &lt;mine&gt;" in refused.text

    def test_every_view_that_takes_a_form_is_guarded(self, app: Flask) -> None:
        assert not app.extensions["csrf"]._exempt_views
        assert not app.extensions["csrf"]._exempt_blueprints


class TestProxies:
    FORWARDED = {"X-Forwarded-For": "198.51.100.9", "X-Forwarded-Proto": "https"}  # noqa: RUF012

    def cookie(self, settings: Settings) -> str:
        return (
            create_app(settings).test_client().get("/sign-in", headers=self.FORWARDED).headers["Set-Cookie"]
        )

    def test_nobody_is_believed_unless_the_operator_says_so(self, settings: Settings, engine: Engine) -> None:
        assert "Secure" not in self.cookie(settings)

    def test_the_operators_own_is(self, settings: Settings, engine: Engine) -> None:
        assert "Secure" in self.cookie(replace(settings, trusted_proxies=1))

    def test_is_not_asked_for_port_and_prefix_which_a_learner_could_set(
        self, settings: Settings, engine: Engine
    ) -> None:
        client = create_app(replace(settings, trusted_proxies=1)).test_client()
        invented = {"X-Forwarded-Port": "81", "X-Forwarded-Prefix": "/elsewhere"}
        answer = client.get("/account", headers=self.FORWARDED | invented)
        assert answer.location.startswith("/sign-in")


class TestErrorPages:
    @pytest.mark.parametrize(
        ("status", "title"),
        [
            (400, "We could not read that"),
            (403, "This is not yours to change"),
            (404, "There is nothing here"),
            (405, "That does not work this way"),
            (413, "That is too much to send"),
            (429, "That was too much at once"),
            (500, "Something broke on our side"),
        ],
    )
    def test_each_says_what_happened_in_our_words(
        self, settings: Settings, engine: Engine, status: int, title: str
    ) -> None:
        app = create_app(settings)
        app.add_url_rule("/fails", view_func=lambda: abort(status))
        response = app.test_client().get("/fails")
        assert response.status_code == status
        assert f"<h1>{title}</h1>" in response.text

    def test_a_fault_of_ours_has_a_number_that_the_log_has_too(
        self, settings: Settings, engine: Engine, caplog: pytest.LogCaptureFixture
    ) -> None:
        app = create_app(replace(settings, testing=False))

        def fails() -> str:
            raise RuntimeError("a secret of ours")

        app.add_url_rule("/fails", view_func=fails)
        response = app.test_client().get("/fails")
        assert response.status_code == 500
        assert "a secret of ours" not in response.text
        number = re.search(r"<code>([0-9a-f]{8})</code>", response.text)
        assert number is not None
        assert f"error {number.group(1)}: GET /fails" in caplog.text

    def test_htmx_is_told_to_put_its_content_in_and_not_a_page_into_a_page(self, client: FlaskClient) -> None:
        response = client.get("/nowhere", headers={"HX-Request": "true"})
        assert response.headers["HX-Reselect"] == "#main > *"
        assert '<main id="main"' in response.text
        assert "HX-Reselect" not in client.get("/nowhere").headers

    def test_405_says_what_would_be_allowed(self, client: FlaskClient) -> None:
        response = client.get("/sign-out")
        assert response.status_code == 405
        assert "POST" in response.headers["Allow"]

    def test_an_answer_of_256_kib_is_read_and_one_byte_more_is_not(self, client: FlaskClient) -> None:
        def sent(length: int) -> int:
            body = b"email=" + b"a" * (length - len("email="))
            form = "application/x-www-form-urlencoded"
            return client.post("/sign-in", data=body, content_type=form).status_code

        assert sent(256 * 1024) == 422
        assert sent(256 * 1024 + 1) == 413


class TestLearnersWithoutAnAccount:
    def test_looking_stores_nobody(self, client: FlaskClient, db: Session) -> None:
        for path in PAGES:
            client.get(path)
        assert client.get_cookie("learner") is None
        assert db.scalar(select(func.count()).select_from(Person)) == 0

    def test_the_cookie_is_signed_and_read_by_no_script(self, client: FlaskClient, db: Session) -> None:
        response = client.post("/items/sum/draft", data={"option": "B"})
        (cookie,) = [line for line in response.headers.getlist("Set-Cookie") if line.startswith("learner=")]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        person = db.scalars(select(Person)).one()
        client.set_cookie("learner", person.public_id.hex)
        assert "Keep my work" not in client.get("/").text

    def test_a_double_click_on_the_first_answer_is_one_learner(self, app: Flask, db: Session) -> None:
        first = app.test_client()
        first.get("/items/sum")  # the form, and with it the session
        session = first.get_cookie("session")
        assert session is not None
        second = app.test_client()
        second.set_cookie("session", session.value)
        for client in (first, second):
            client.post("/items/sum/draft", data={"option": "B"})
        assert db.scalar(select(func.count()).select_from(Person)) == 1
