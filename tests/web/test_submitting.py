"""Sending answers, running code and asking for verdicts, through the web client."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from graders.verdict import Status, Verdict
from quizapp.accounts.models import Person
from quizapp.catalogue import Catalogue
from quizapp.catalogue.items import StoredItems
from quizapp.config import Settings
from quizapp.db import begin_write
from quizapp.grading import queries as grading
from quizapp.submissions import drafts, models, queries, versions, views
from quizapp.submissions.models import Draft, FlightKind, InFlight, Run, Submission
from quizapp.submissions.rules import LONGEST_TEXT

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}
KEY = re.compile(r"KEY-[A-Z0-9-]+")


@pytest.fixture
def adas(browser_of: Callable[[Person], FlaskClient], ada: Person) -> FlaskClient:
    """Ada's browser."""
    return browser_of(ada)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker runs here, so nothing comes of waiting."""
    monkeypatch.setattr(views, "WAIT_SECONDS", 0.05)


class Form:
    """Sends what the form of an item sends."""

    def __init__(self, app: Flask) -> None:
        self.catalogue: Catalogue = app.extensions["catalogue"]

    def __call__(self, item_id: str, *, once: str = "form-1", **fields: Any) -> dict[str, Any]:
        item = self.catalogue.item(item_id)
        assert item is not None
        return {"version": item.version, "once": once, **fields}


@pytest.fixture
def form(app: Flask) -> Form:
    return Form(app)


def count(db: Session, table: type) -> int:
    db.rollback()
    return db.scalar(select(func.count()).select_from(table)) or 0


def public_id(response: TestResponse) -> UUID:
    return UUID(response.location.rsplit("/", 1)[-1])


def give(db: Session, person: Person, which: UUID, verdict: Verdict) -> None:
    """What the worker does when it has graded."""
    db.rollback()
    found = queries.submission_for(db, person, which)
    assert found is not None
    db.commit()
    begin_write(db)
    assert grading.settle_submission(db, found.id, verdict, now=found.created_at)
    db.commit()


@pytest.mark.filterwarnings("error::sqlalchemy.exc.SAWarning")  # it warns if a transaction is open already
@pytest.mark.parametrize("path", ["/items/double/submissions", "/items/double/runs"])
def test_an_item_read_for_the_first_time_is_read_before_the_transaction_that_writes(
    adas: FlaskClient, form: Form, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(versions, "_items", StoredItems())
    assert adas.post(path, data=form("double", source="y = 2.0"), headers=HTMX).status_code == 200


class TestAChoice:
    def test_is_graded_in_the_same_answer(self, adas: FlaskClient, form: Form, db: Session) -> None:
        response = adas.post("/items/sum/submissions", data=form("sum", option="B"), headers=HTMX)
        assert response.status_code == 200
        assert 'data-state="passed"' in response.text
        assert "KEY-WHY-A" in response.text
        assert count(db, models.Verdict) == 1

    def test_without_a_script_leads_to_a_page_of_its_own(self, adas: FlaskClient, form: Form) -> None:
        response = adas.post("/items/sum/submissions", data=form("sum", option="A"))
        assert response.status_code == 303
        page = adas.get(response.location)
        assert page.status_code == 200
        assert 'data-state="failed"' in page.text
        assert "Refresh" not in page.headers

    def test_clicked_twice_is_one_attempt(self, adas: FlaskClient, form: Form, db: Session) -> None:
        sent = [adas.post("/items/sum/submissions", data=form("sum", option="A", seen="0")) for _ in range(2)]
        assert sent[0].location == sent[1].location
        assert count(db, Submission) == 1

    def test_after_the_key_was_seen_in_another_tab_is_refused_and_kept(
        self, adas: FlaskClient, form: Form, db: Session
    ) -> None:
        adas.post("/items/sum/submissions", data=form("sum", option="A", seen="0"))
        other_tab = form("sum", option="B", seen="0", once="form-2")
        response = adas.post("/items/sum/submissions", data=other_tab)
        assert response.status_code == 409
        assert 'data-refusal="answered-elsewhere"' in response.text
        assert count(db, Submission) == 1
        again = dict(re.findall(r'name="(version|once|seen|option)" value="([^"]+)"', response.text))
        assert again["option"] == "B"
        assert adas.post("/items/sum/submissions", data=again).status_code == 303
        assert count(db, Submission) == 2

    def test_without_an_option_is_refused_and_stores_nothing(
        self, client: FlaskClient, form: Form, db: Session
    ) -> None:
        response = client.post("/items/sum/submissions", data=form("sum"), headers=HTMX)
        assert response.status_code == 422
        assert 'data-refusal="empty"' in response.text
        assert count(db, Person) == 0


class TestNothingTellsTheKey:
    @pytest.mark.parametrize("item_id", ["sum", "leaf", "why", "double"])
    def test_before_an_answer_is_stored(self, client: FlaskClient, item_id: str) -> None:
        page = client.get(f"/items/{item_id}")
        assert page.status_code == 200
        allowed = (
            {"KEY-BACK"} if item_id == "leaf" else set()
        )  # a card is turned before one says whether one knew
        assert set(KEY.findall(page.text)) <= allowed

    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_in_a_refusal(self, adas: FlaskClient, form: Form, headers: dict[str, str]) -> None:
        for item_id, fields in (
            ("sum", {"option": "Z"}),
            ("why", {"text": " "}),
            ("double", {"source": ""}),
        ):
            response = adas.post(
                f"/items/{item_id}/submissions", data=form(item_id, **fields), headers=headers
            )
            assert response.status_code == 422
            assert not KEY.findall(response.text)

    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_while_code_waits(self, adas: FlaskClient, form: Form, headers: dict[str, str]) -> None:
        sent = adas.post("/items/double/submissions", data=form("double", source="y = 3"))
        assert not KEY.findall(adas.get(sent.location, headers=headers).text)

    @pytest.mark.parametrize(
        ("status", "shown"), [(Status.FAILED, True), (Status.NOT_GRADABLE, False), (Status.BROKEN, False)]
    )
    def test_after_an_attempt_that_did_not_count(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person, status: Status, shown: bool
    ) -> None:
        sent = adas.post("/items/double/submissions", data=form("double", source="y = 3"))
        verdict = Verdict(status, "As it is.", 0, 100, author_log="KEY-AUTHOR-LOG")
        give(db, ada, public_id(sent), verdict)
        found = set(KEY.findall(adas.get(sent.location).text))
        assert found == ({"KEY-WORKED"} if shown else set())


class TestCode:
    def test_waits_for_the_worker_and_asks_again(self, adas: FlaskClient, form: Form, db: Session) -> None:
        response = adas.post("/items/double/submissions", data=form("double", source="y = 2"), headers=HTMX)
        assert response.status_code == 200
        assert 'data-status="waiting"' in response.text
        assert 'hx-get="/submissions/' in response.text
        assert count(db, InFlight) == 1

    def test_waits_without_a_script_too(self, adas: FlaskClient, form: Form) -> None:
        sent = adas.post("/items/double/submissions", data=form("double", source="y = 2"))
        page = adas.get(sent.location)
        assert page.headers["Refresh"] == str(views.ASK_AGAIN_SECONDS)
        assert f'href="{sent.location}"' in page.text

    def test_shows_its_verdict(self, adas: FlaskClient, form: Form, db: Session, ada: Person) -> None:
        sent = adas.post("/items/double/submissions", data=form("double", source="y = 2"))
        give(db, ada, public_id(sent), Verdict(Status.PASSED, "1 of 1 checks pass.", 100, 100))
        page = adas.get(sent.location)
        assert 'data-status="passed"' in page.text
        assert "1 of 1 checks pass." in page.text
        assert "Refresh" not in page.headers

    def test_that_costs_nothing_takes_no_number_anywhere(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person
    ) -> None:
        for number, status in enumerate((Status.NOT_GRADABLE, Status.FAILED)):
            fields = form("double", once=f"form-{number}", source=f"y = {number}")
            sent = adas.post("/items/double/submissions", data=fields)
            give(db, ada, public_id(sent), Verdict(status, "As it is.", 0, 100))
            for address in (sent.location, "/items/double"):
                says = "Attempt 1" if status is Status.FAILED else "No attempt used"
                assert says in adas.get(address).text
        assert "Attempt 2" not in adas.get("/items/double").text
        assert "not counted" in adas.get("/items/double").text
        assert "1 attempt" in adas.get("/progress").text

    def test_that_we_cannot_grade_is_said_to_be_kept(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person
    ) -> None:
        sent = adas.post("/items/double/submissions", data=form("double", source="y = 2"))
        found = queries.submission_for(db, ada, public_id(sent))
        assert found is not None
        db.commit()
        begin_write(db)
        job = grading.Job(FlightKind.SUBMISSION, found.id)
        grading.put_back(db, job, tries=3, next_try_at=found.created_at)
        db.commit()
        page = adas.get(sent.location)
        assert 'data-status="delayed"' in page.text
        assert "kept" in page.text
        more = adas.post("/items/double/submissions", data=form("double", source="y = 4", once="form-2"))
        assert more.status_code == 303

    def test_in_a_second_tab_waits_for_the_first_and_is_kept(
        self, adas: FlaskClient, form: Form, db: Session
    ) -> None:
        adas.post("/items/double/submissions", data=form("double", source="y = 2"))
        second = adas.post("/items/double/submissions", data=form("double", source="y = 2 * x # é", once="b"))
        assert second.status_code == 409
        assert 'data-refusal="in-flight"' in second.text
        assert "y = 2 * x # é" in second.text
        assert count(db, Submission) == 1
        assert db.scalars(select(Draft)).one().answer == {"source": "y = 2 * x # é"}

    def test_that_is_too_long_comes_back_whole(self, adas: FlaskClient, form: Form) -> None:
        source = "x" * (LONGEST_TEXT + 1)
        response = adas.post("/items/double/submissions", data=form("double", source=source))
        assert response.status_code == 422
        assert source in response.text

    def test_changed_after_going_back_is_another_attempt(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person
    ) -> None:
        first = adas.post("/items/double/submissions", data=form("double", source="y = 1"))
        give(db, ada, public_id(first), Verdict(Status.FAILED, "No.", 0, 100))
        second = adas.post("/items/double/submissions", data=form("double", source="y = 2"))
        assert second.location != first.location
        assert count(db, Submission) == 2

    def test_by_ten_clicks_at_once_is_one_attempt(
        self, app: Flask, browser_of: Callable[[Person], FlaskClient], ada: Person, form: Form, db: Session
    ) -> None:
        data, start = form("double", source="y = 2"), threading.Barrier(10)
        locations = []

        def click(browser: FlaskClient) -> None:
            start.wait()
            locations.append(browser.post("/items/double/submissions", data=data).location)

        threads = [threading.Thread(target=click, args=(browser_of(ada),)) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(locations)) == 1
        assert count(db, Submission) == 1


class TestRuns:
    def test_wait_and_keep_the_draft(self, adas: FlaskClient, form: Form, db: Session) -> None:
        response = adas.post("/items/double/runs", data=form("double", source="print(1)\r\n"), headers=HTMX)
        assert response.status_code == 200
        assert 'hx-get="/runs/' in response.text
        assert count(db, Submission) == 0
        assert db.scalars(select(Draft)).one().answer == {"source": "print(1)\n"}

    def test_lead_to_a_page_of_their_own_without_a_script(self, adas: FlaskClient, form: Form) -> None:
        sent = adas.post("/items/double/runs", data=form("double", source="print(1)"))
        assert sent.status_code == 303
        page = adas.get(sent.location)
        assert page.status_code == 200
        assert "Refresh" in page.headers

    def test_are_for_code_alone(self, adas: FlaskClient, form: Form) -> None:
        assert adas.post("/items/sum/runs", data=form("sum", option="B")).status_code == 404

    def test_of_one_address_are_limited_for_people_without_account(
        self, app: Flask, settings: Settings, form: Form, db: Session
    ) -> None:
        for number in range(settings.anonymous_in_flight + 1):
            browser = app.test_client()
            response = browser.post(
                "/items/double/runs", data=form("double", source="print(1)"), headers=HTMX
            )
            assert response.status_code == (503 if number == settings.anonymous_in_flight else 200)
        assert 'data-refusal="address-busy"' in response.text
        assert count(db, Run) == settings.anonymous_in_flight


class TestPrompts:
    def test_are_written_first_and_ticked_then(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person
    ) -> None:
        sent = adas.post("/items/why/submissions", data=form("why", text="They branch."))
        page = adas.get(sent.location)
        assert 'data-state="ticks"' in page.text
        assert "KEY-MODEL" in page.text
        ticks = f"{sent.location}/ticks"
        assert adas.post(ticks, data={"ticked": ["0", "2"]}).status_code == 303
        assert adas.post(ticks, data={"ticked": ["0", "1", "2"]}).status_code == 303
        found = queries.submission_for(db, ada, public_id(sent))
        assert found is not None
        assert found.verdict is not None
        assert (found.verdict.status, found.verdict.centipoints) == ("failed", 200)
        assert found.answer["ticked"] == [0, 2]

    def test_that_are_not_there_cannot_be_ticked(self, adas: FlaskClient, form: Form) -> None:
        sent = adas.post("/items/why/submissions", data=form("why", text="They branch."))
        assert adas.post(f"{sent.location}/ticks", data={"ticked": "7"}).status_code == 422


def test_a_card_is_stored_by_what_one_says(adas: FlaskClient, form: Form, db: Session, ada: Person) -> None:
    adas.post("/items/leaf/submissions", data=form("leaf", knew="yes"))
    assert queries.states(db, ada)["leaf"].passed


class TestVersions:
    def test_an_answer_is_graded_against_the_page_that_was_open(
        self, app: Flask, adas: FlaskClient, form: Form, content: Path
    ) -> None:
        assert adas.get("/items/sum").status_code == 200
        page = form("sum", option="B")
        path = content / "tiny/questions.toml"
        path.write_text(path.read_text().replace('key = "B"', 'key = "A"'))
        app.extensions["catalogue"]._scan()
        response = adas.post("/items/sum/submissions", data=page, headers=HTMX)
        assert 'data-state="passed"' in response.text
        assert "has changed since" in response.text

    def test_an_unknown_version_is_refused_and_the_text_is_kept(
        self, adas: FlaskClient, form: Form, db: Session
    ) -> None:
        data = {**form("double", source="y = 2 # kept"), "version": "0" * 64}
        response = adas.post("/items/double/submissions", data=data)
        assert response.status_code == 409
        assert 'data-refusal="unknown-version"' in response.text
        assert "y = 2 # kept" in response.text
        assert db.scalars(select(Draft)).one().answer == {"source": "y = 2 # kept"}
        assert count(db, Submission) == 0
        again = dict(re.findall(r'name="(version|once|seen)" value="([^"]+)"', response.text))
        assert adas.post("/items/double/submissions", data={**data, **again}).status_code == 303

    def test_the_version_of_another_item_is_unknown(self, adas: FlaskClient, form: Form) -> None:
        data = {**form("double", source="y"), "version": form("sum")["version"]}
        assert adas.post("/items/double/submissions", data=data).status_code == 409

    def test_an_item_that_is_gone_still_takes_the_answer_of_an_open_page(
        self, app: Flask, adas: FlaskClient, form: Form, content: Path
    ) -> None:
        adas.get("/items/sum")
        page = form("sum", option="B")
        (content / "tiny/topic.toml").unlink()
        app.extensions["catalogue"]._scan()
        assert app.extensions["catalogue"].item("sum") is None
        assert adas.post("/items/sum/submissions", data=page, headers=HTMX).status_code == 200

    def test_an_item_that_never_was_is_not_found(self, adas: FlaskClient) -> None:
        assert adas.post("/items/nothing/submissions", data={"version": "0" * 64}).status_code == 404


class TestWhoMaySee:
    @pytest.mark.parametrize("headers", [{}, HTMX])
    def test_nobody_sees_anothers_submission_or_run(
        self,
        adas: FlaskClient,
        client: FlaskClient,
        form: Form,
        browser_of: Callable[[Person], FlaskClient],
        mallory: Person,
        headers: dict[str, str],
    ) -> None:
        prompt = adas.post("/items/why/submissions", data=form("why", text="…")).location
        run = adas.post("/items/double/runs", data=form("double", source="y")).location
        for browser in (client, browser_of(mallory)):
            assert browser.get(prompt, headers=headers).status_code == 404
            assert browser.get(run, headers=headers).status_code == 404
            assert browser.post(f"{prompt}/ticks", data={"ticked": "0"}, headers=headers).status_code == 404

    def test_a_first_answer_makes_a_learner_who_is_known_again(
        self, client: FlaskClient, form: Form, db: Session
    ) -> None:
        sent = client.post("/items/sum/submissions", data=form("sum", option="B"))
        assert client.get(sent.location).status_code == 200
        client.post("/items/leaf/submissions", data=form("leaf", knew="no"))
        assert count(db, Person) == 1

    def test_looking_stores_nothing(self, client: FlaskClient, db: Session) -> None:
        for path in ("/", "/items/sum", "/items/double"):
            client.get(path)
        assert count(db, Person) == 0


class TestDrafts:
    def test_a_script_saves_and_is_told_the_revision(self, adas: FlaskClient) -> None:
        first = adas.put("/items/double/draft", data={"source": "y", "revision": "0"})
        assert (first.status_code, first.json["revision"]) == (200, 1)
        second = adas.put("/items/double/draft", data={"source": "", "revision": "1"})
        assert (second.status_code, second.json["revision"]) == (200, 2)

    def test_a_page_that_is_behind_is_told_what_is_stored(self, adas: FlaskClient) -> None:
        adas.put("/items/double/draft", data={"source": "newer", "revision": "0"})
        late = adas.put("/items/double/draft", data={"source": "older", "revision": "0"})
        assert late.status_code == 409
        assert late.json == {"revision": 1, "answer": {"source": "newer"}}

    def test_a_choice_that_was_not_sent_is_kept_too(
        self, adas: FlaskClient, db: Session, ada: Person
    ) -> None:
        adas.put("/items/sum/draft", data={"option": "A"})
        kept = drafts.draft(db, ada, "sum")
        assert kept is not None
        assert kept.answer == {"option": "A"}

    def test_a_plain_form_goes_back_to_the_item(self, adas: FlaskClient) -> None:
        saved = adas.post("/items/double/draft", data={"source": "y = kept"})
        assert saved.status_code == 303
        assert "y = kept" in adas.get(saved.location).text

    def test_what_does_not_fit_the_item_is_refused(self, adas: FlaskClient) -> None:
        refused = adas.put("/items/sum/draft", data={"option": "Z"})
        assert refused.status_code == 422
        assert "A, B" in refused.json["problem"]


@pytest.mark.parametrize("action", ["runs", "submissions"])
class TestTwoPagesOfOneExercise:
    """The older page knows the revision that it was opened with, and says it in its form."""

    def draft(self, db: Session, person: Person) -> str:
        db.rollback()
        kept = drafts.draft(db, person, "double")
        assert kept is not None
        return str(kept.answer["source"])

    def test_the_older_one_leaves_the_newer_draft_alone(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person, action: str
    ) -> None:
        assert 'name="revision" value="0"' in adas.get("/items/double").text
        adas.put("/items/double/draft", data={"source": "y = 'newer'", "revision": "0"})
        old = form("double", source="y = 'older'", revision="0")
        sent = adas.post(f"/items/double/{action}", data=old)
        assert self.draft(db, ada) == "y = 'newer'"
        page = adas.get(sent.location).text
        assert "data-newer-draft" in page
        assert "y = &#39;older&#39;" in page  # what was sent is what was taken
        assert "y = &#39;newer&#39;</textarea>" in adas.get("/items/double").text
        # With a script the page asks by saving, and shows the choice.
        asked = adas.put("/items/double/draft", data={"source": "y = 'older'", "revision": "0"})
        assert (asked.status_code, asked.json["answer"]) == (409, {"source": "y = 'newer'"})

    def test_so_does_the_partial(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person, action: str
    ) -> None:
        adas.put("/items/double/draft", data={"source": "newer", "revision": "0"})
        adas.post(f"/items/double/{action}", data=form("double", source="older", revision="0"), headers=HTMX)
        assert self.draft(db, ada) == "newer"
        assert count(db, Run) + count(db, Submission) == 1

    def test_the_page_that_knows_the_draft_replaces_it(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person, action: str
    ) -> None:
        adas.put("/items/double/draft", data={"source": "newer", "revision": "0"})
        assert 'name="revision" value="1"' in adas.get("/items/double").text
        sent = adas.post(f"/items/double/{action}", data=form("double", source="newest", revision="1"))
        assert self.draft(db, ada) == "newest"
        assert "newer=1" not in sent.location

    def test_a_page_gone_back_to_without_a_script_keeps_what_it_sends(
        self, adas: FlaskClient, form: Form, db: Session, ada: Person, action: str
    ) -> None:
        adas.post(f"/items/double/{action}", data=form("double", source="first", revision="0"))
        refused = adas.post(f"/items/double/{action}", data=form("double", source="second", revision="0"))
        assert refused.status_code == 409  # the first still waits
        assert self.draft(db, ada) == "second"
        assert 'name="revision" value="2"' in refused.text


class TestSourceIsShownAsTyped:
    SOURCE = "\n# **bold**\n```\n<b>&</b> [a](/b)\n\t\n" + "\t\n" * 1000 + "y = 2"
    SHOWN = '<pre class="code"><code>\n# **bold**\n```\n&lt;b&gt;&amp;&lt;/b&gt; [a](/b)\n\t\n'

    @pytest.mark.parametrize("action", ["submissions", "runs"])
    def test_and_never_rendered(self, app: Flask, adas: FlaskClient, form: Form, action: str) -> None:
        rendered: list[str] = []
        for name in ("md", "md_line"):
            real = app.jinja_env.filters[name]
            app.jinja_env.filters[name] = lambda text, real=real: rendered.append(text) or real(text)
        sent = adas.post(f"/items/double/{action}", data=form("double", source=self.SOURCE))
        assert self.SHOWN in adas.get(sent.location).text
        assert adas.get("/items/double").status_code == 200
        assert adas.get(sent.location, headers=HTMX).status_code == 200
        assert rendered  # the exercise's own text
        assert not [text for text in rendered if "**bold**" in text]


class TestWaiting:
    def test_every_answer_depends_on_who_asks_for_it(self, adas: FlaskClient, form: Form) -> None:
        sent = adas.post("/items/sum/submissions", data=form("sum", option="B"))
        assert "HX-Request" in sent.headers["Vary"]
        assert "HX-Request" in adas.get(sent.location).headers["Vary"]

    def test_a_partial_is_no_page_and_a_page_is_whole(self, adas: FlaskClient, form: Form) -> None:
        sent = adas.post("/items/sum/submissions", data=form("sum", option="B"))
        assert "<html" not in adas.get(sent.location, headers=HTMX).text
        assert "<html" in adas.get(sent.location).text
        assert "<html" in adas.get(sent.location, headers={**HTMX, "HX-Request-Type": "full"}).text

    def test_only_half_of_the_threads_wait_and_the_rest_answer_at_once(
        self,
        app: Flask,
        settings: Settings,
        form: Form,
        browser_of: Callable[[Person], FlaskClient],
        ada: Person,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        waited: list[float] = []

        def note(_settings: Settings, _kind: FlightKind, _id: int, seconds: float) -> bool:
            waited.append(seconds)
            return False

        monkeypatch.setattr(views, "nudge_and_wait", note)
        waits = app.extensions["verdict_waits"]
        for taken in range(settings.web_threads // 2 + 1):
            data = form("double", source="print(1)", once=str(taken))
            browser = app.test_client()
            response = browser.post(
                "/items/double/runs",
                data=data,
                headers=HTMX,
                environ_base={"REMOTE_ADDR": f"192.0.2.{taken}"},
            )
            assert response.status_code == 200
            waits.acquire(blocking=False)  # as if this one still waited
        assert waited == [views.WAIT_SECONDS] * (settings.web_threads // 2) + [0]

    def test_a_place_to_wait_is_given_back(self, app: Flask, adas: FlaskClient, form: Form) -> None:
        before = app.extensions["verdict_waits"]._value
        adas.post("/items/double/runs", data=form("double", source="y"))
        assert app.extensions["verdict_waits"]._value == before
