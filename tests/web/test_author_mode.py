"""With `quizapp serve --author` pages have a bar for the author; anywhere else nothing of it exists."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine

from quizapp import create_app
from quizapp.config import ConfigError, Settings
from quizapp.serve import ServeError, _prepare

WRONG = "/items/double?code=wrong/adds.py"


@pytest.fixture
def author_app(settings: Settings, engine: Engine) -> Flask:
    app = create_app(replace(settings, author=True))
    app.config["WTF_CSRF_ENABLED"] = False
    return app


@pytest.fixture
def author(author_app: Flask) -> FlaskClient:
    return author_app.test_client()


class TestAnywhereElse:
    @pytest.mark.parametrize(
        "path", ["/", "/items/double", "/topics/tiny", WRONG, "/items/double?code=solution"]
    )
    def test_there_is_no_bar_and_no_solution(self, client: FlaskClient, path: str) -> None:
        page = client.get(path).text
        assert "data-author-stamp" not in page
        assert "y = 2 * x" not in page
        assert "y = 3.0" not in page

    def test_its_addresses_do_not_exist(self, client: FlaskClient) -> None:
        assert client.get("/author/stamp").status_code == 404
        assert client.post("/author/role", data={"as": "author"}).status_code == 404


class TestAnAuthor:
    @pytest.mark.parametrize(("code", "line"), [("wrong/adds.py", "y = 3.0"), ("solution", "y = 2 * x")])
    def test_finds_any_code_in_the_editor(self, author: FlaskClient, code: str, line: str) -> None:
        page = author.get("/items/double").text
        assert f"/items/double?code={code}" in page.replace("%2F", "/")
        assert line in author.get(f"/items/double?code={code}").text

    @pytest.mark.parametrize("code", ["wrong/../solution.py", "wrong/none.py", "checks.py"])
    def test_finds_nothing_that_is_not_offered(self, author: FlaskClient, code: str) -> None:
        page = author.get(f"/items/double?code={code}")
        assert page.status_code == 200
        assert "y = 0.0" in page.text

    def test_sees_what_is_wrong_with_the_files(self, author: FlaskClient, content: Path) -> None:
        assert "No problems in the files." in author.get("/").text
        path = content / "tiny" / "cards.toml"
        path.write_text(path.read_text().replace("beginner", "beginer"))
        time.sleep(1.05)  # the catalogue looks at most once a second
        page = author.get("/").text
        assert re.search(r"\d+ problems? in the files", page)
        assert "cards.toml:8" in page
        assert "beginer" in page

    def test_looks_as_a_learner_and_back(self, author: FlaskClient) -> None:
        switched = author.post("/author/role", data={"as": "learner", "back": "/items/double"})
        assert switched.location == "/items/double"
        page = author.get("/items/double").text
        assert "wrong/adds.py" not in page
        assert "Look as the author" in page
        author.post("/author/role", data={"as": "author", "back": "/items/double"})
        assert "wrong/adds.py" in author.get("/items/double").text

    @pytest.mark.parametrize(
        "back", ["https://example.org/", "//example.org/", "/\\example.org", "elsewhere"]
    )
    def test_is_sent_back_to_this_server_only(self, author: FlaskClient, back: str) -> None:
        assert author.post("/author/role", data={"as": "learner", "back": back}).location == "/"

    def test_has_a_stamp_that_changes_with_the_files_and_is_the_same_in_every_process(
        self, author: FlaskClient, settings: Settings, content: Path
    ) -> None:
        def stamp(client: FlaskClient) -> str:
            answer = client.get("/author/stamp")
            assert answer.headers["Cache-Control"] == "no-store"
            return str(answer.json["stamp"])

        first = stamp(author)
        (shown,) = re.findall(r'data-author-stamp="([0-9a-f]{64})"', author.get("/").text)
        assert shown == first
        assert stamp(create_app(replace(settings, author=True)).test_client()) == first
        os.utime(content / "tiny" / "double" / "prompt.md", (1, 1))
        time.sleep(1.05)
        assert stamp(author) != first


class TestTheSetting:
    @pytest.mark.parametrize("reached", [{"host": "0.0.0.0"}, {"trusted_proxies": 1}])
    def test_is_refused_where_others_can_reach_the_server(
        self, settings: Settings, reached: dict[str, object]
    ) -> None:
        with pytest.raises(ServeError, match="shows solutions, so it serves on this machine alone"):
            _prepare(replace(settings, author=True, **reached))

    def test_is_read_from_the_environment(self, tmp_path: Path) -> None:
        def read(value: str) -> bool:
            return Settings.from_environ({"QUIZAPP_DATA": str(tmp_path), "QUIZAPP_AUTHOR": value}).author

        assert read("1") is True
        assert read("0") is read("") is False
        with pytest.raises(ConfigError, match="QUIZAPP_AUTHOR is 'yes'"):
            read("yes")
