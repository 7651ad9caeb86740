"""The learner's pages, with the real course: what is in them, and above all what is not in them yet."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine, event, select
from sqlalchemy.orm import Session

from graders.verdict import Status, Verdict
from quizapp import create_app
from quizapp.accounts.models import Person
from quizapp.catalogue import Catalogue, Kind
from quizapp.catalogue.content import ChoiceContent
from quizapp.config import PROJECT, Settings
from quizapp.migrate import upgrade
from quizapp.submissions import queries
from quizapp.submissions.models import Submission
from tests.web.pages_of_the_course import Page, addresses, secrets_of, squeeze

COURSE = Catalogue(PROJECT / "exercises")
ADDRESSES = addresses(COURSE)
ITEMS = [item for topic in COURSE.topics() for item in topic.items]
CHOICES = [item for item in ITEMS if item.kind is Kind.CHOICE]
SECRETS = {secret for item in ITEMS for secret in secrets_of(item)}
TICKED = [item for item in ITEMS if item.kind in {Kind.PROMPT, Kind.INTERVIEW}]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """An installation with the real course."""
    return Settings(
        data=tmp_path / "var",
        exercises=PROJECT / "exercises",
        secret_key="for-tests-only-" + "x" * 32,
        testing=True,
    )


@pytest.fixture
def app(settings: Settings, engine: Engine) -> Flask:
    """The app with CSRF as in production: these tests send what the page's own form holds."""
    return create_app(settings)


@pytest.fixture
def adas(browser_of: Callable[[Person], FlaskClient], ada: Person) -> FlaskClient:
    """Ada's browser."""
    return browser_of(ada)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """Every page as somebody sees it who has not answered anything."""
    settings = Settings(
        data=tmp_path_factory.mktemp("var"),
        exercises=PROJECT / "exercises",
        secret_key="for-tests-only-" + "x" * 32,
        testing=True,
    )
    upgrade(settings)
    client = create_app(settings).test_client()
    return {address: read(client, address) for address in ADDRESSES}


def read(client: FlaskClient, address: str, status: int = 200) -> Page:
    response = client.get(address)
    assert response.status_code == status, address
    return Page(response.text)


def send(client: FlaskClient, address: str, *, status: int = 200, **answer: Any) -> Page:
    """Open the page and send its (first answer) form as a browser without scripts does."""
    page = read(client, address)
    form = next(one for one in page.all("form") if re.search(r"/submissions", one.attributes["action"]))
    fields = {
        element.attributes["name"]: element.attributes.get("value", "")
        for element in page.all("input")
        if element.within(form) and element.attributes.get("type") == "hidden"
    }
    response = client.post(form.attributes["action"], data=fields | answer, follow_redirects=True)
    assert response.status_code == status, response.text[:500]
    return Page(response.text)


def grade(db: Session, submission_id: int, status: Status, maximum: int) -> None:
    verdict = Verdict(status, "A verdict for a test.", maximum if status is Status.PASSED else 0, maximum)
    queries.add_verdict(db, submission_id, verdict, now=datetime.now(UTC))


def test_the_course_has_what_these_tests_walk() -> None:
    assert not COURSE.problems()
    assert len(CHOICES) >= 14
    assert {item.kind for item in ITEMS} == set(Kind)


@pytest.mark.parametrize("address", ADDRESSES)
class TestEveryPage:
    def test_is_there_with_one_title_and_one_first_heading(
        self, pages: dict[str, Page], address: str
    ) -> None:
        page = pages[address]
        assert len(page.all("h1")) == 1
        assert len(page.all("title")) >= 1
        assert page.all("html")[0].attributes["lang"] == "en"

    def test_holds_no_script_or_style_of_its_own(self, pages: dict[str, Page], address: str) -> None:
        page = pages[address]
        assert all(script.attributes.get("src") and not script.text for script in page.all("script"))
        assert not page.all("style")
        assert not page.attribute("style")
        names = {name for element in page.elements for name in element.attributes}
        assert not [name for name in names if name.startswith(("on", "hx-on"))]

    def test_sends_a_csrf_token_with_every_form(self, pages: dict[str, Page], address: str) -> None:
        page = pages[address]
        for form in page.all("form"):
            if form.attributes["method"] == "post":
                inside = [one.attributes for one in page.all("input") if one.within(form)]
                assert [one["value"] for one in inside if one["name"] == "csrf_token"], form.attributes

    def test_works_by_forms_and_links_where_htmx_works_too(
        self, pages: dict[str, Page], address: str
    ) -> None:
        for element in pages[address].elements:
            attributes = element.attributes
            if "hx-post" in attributes:
                plain = attributes.get("action" if element.tag == "form" else "formaction")
                assert plain == attributes["hx-post"]
            if "hx-get" in attributes:
                assert attributes["href"] == attributes["hx-get"]

    def test_names_every_control(self, pages: dict[str, Page], address: str) -> None:
        page = pages[address]
        labelled = {label.attributes["for"] for label in page.all("label") if "for" in label.attributes}
        for control in page.all("input", "textarea", "select"):
            if control.attributes.get("type") == "hidden":
                continue
            in_label = any(parent.tag == "label" for parent in control.parents)
            assert in_label or control.attributes.get("id") in labelled, control.attributes
        for button in page.all("button", "summary", "a"):
            assert squeeze(button.text) or any(one.within(button) for one in page.all("svg")), (
                button.attributes
            )

    def test_names_every_drawing_or_hides_it(self, pages: dict[str, Page], address: str) -> None:
        for drawing in pages[address].all("svg"):
            named = {"aria-label", "aria-labelledby"} & set(drawing.attributes)
            assert named or drawing.attributes.get("aria-hidden") == "true"

    def test_uses_no_id_twice_and_points_at_none_that_is_missing(
        self, pages: dict[str, Page], address: str
    ) -> None:
        page = pages[address]
        ids = page.attribute("id")
        assert sorted(ids) == sorted(set(ids))
        pointers = [
            *page.attribute("aria-labelledby"),
            *(one for ids_of in page.attribute("aria-describedby") for one in ids_of.split()),
            *page.attribute("for"),
            *(one[1:] for one in page.attribute("hx-target") if one.startswith("#")),
            *(one[1:] for one in page.attribute("href") if len(one) > 1 and one.startswith("#")),
        ]
        assert set(pointers) <= set(ids)

    def test_holds_nothing_that_is_to_be_seen_after_the_answer(
        self, pages: dict[str, Page], address: str
    ) -> None:
        page = pages[address]
        values = [value for element in page.elements for value in element.attributes.values()]
        seen = f"{page.text} {squeeze(' '.join(values))}"
        assert [secret for secret in SECRETS if secret in seen] == []


def test_every_link_and_file_of_every_page_is_there(client: FlaskClient, pages: dict[str, Page]) -> None:
    targets: set[str] = set()
    for page in pages.values():
        for target in [*page.attribute("href"), *page.attribute("src")]:
            if target.startswith("/"):
                targets.add(target.partition("#")[0])
    assert any(target.startswith("/static/js/") for target in targets)
    for target in targets:
        assert client.get(target).status_code == 200, target


def test_an_option_looks_the_same_whether_it_is_the_key_or_not(client: FlaskClient) -> None:
    for item in CHOICES:
        html = client.get(f"/items/{item.id}").text
        rows = re.findall(r'<li class="option">.*?</li>', html, re.DOTALL)
        assert isinstance(item.content, ChoiceContent)
        assert len(rows) == len(item.content.options)
        tags = [
            re.sub(r'value="[A-D]"', "", "".join(re.findall(r"<(?:li|label|input|span class)[^>]*>", row)))
            for row in rows
        ]
        assert len({tag.split("option__text")[0] for tag in tags}) == 1


@pytest.mark.parametrize("item", CHOICES, ids=lambda item: item.id)
def test_a_choice_shows_key_and_whys_once_it_is_answered_and_those_of_no_other(
    adas: FlaskClient, item: Any
) -> None:
    wrong = next(option.letter for option in item.content.options if option.letter != item.content.key)
    page = send(adas, f"/items/{item.id}", option=wrong)
    for secret in secrets_of(item):
        assert secret in page.text
    assert "Your answer, and it is not right" in page.text
    assert page.text.count("The right answer") == 1
    own = [*secrets_of(item)]
    others = [secret for other in ITEMS if other.id != item.id for secret in secrets_of(other)]
    told = [secret for secret in others if secret in page.text]
    assert [secret for secret in told if not any(secret in text for text in own)] == []


def test_a_right_answer_says_so_and_leads_to_the_next_question(adas: FlaskClient) -> None:
    page = send(adas, "/sets/practice?view=one&n=1", option="A")
    assert "Your answer, and it is right" in page.text
    onward = [link.attributes["href"] for link in page.all("a") if "Next question" in link.text]
    assert onward == ["/sets/practice?n=2"]


def test_an_answered_question_can_be_answered_again_without_its_key_in_the_form(adas: FlaskClient) -> None:
    send(adas, "/items/practice-1", option="B")
    assert "The right answer" in read(adas, "/items/practice-1").text
    again = read(adas, "/items/practice-1?again=1")
    assert not [secret for item in CHOICES for secret in secrets_of(item) if secret in again.text]
    assert "Your answer, and it is right" in send(adas, "/items/practice-1?again=1", option="A").text


@pytest.mark.parametrize("item", TICKED, ids=lambda item: item.id)
def test_a_prompt_shows_its_points_after_something_was_written(adas: FlaskClient, item: Any) -> None:
    page = send(adas, f"/items/{item.id}", text="The graph is made while the code runs.")
    assert "Which of these does your answer hold?" in page.text
    assert "The graph is made while the code runs." in page.text
    for secret in secrets_of(item):
        assert secret in page.text


def test_what_was_typed_last_stands_in_the_form(adas: FlaskClient) -> None:
    page = read(adas, "/items/prompt-1")
    token = next(
        one.attributes["value"] for one in page.all("input") if one.attributes["name"] == "csrf_token"
    )
    adas.put("/items/prompt-1/draft", data={"csrf_token": token, "text": "Half a thought"})
    adas.put("/items/branch-gradient/draft", data={"csrf_token": token, "source": "x = 1  # half"})
    assert "Half a thought" in read(adas, "/items/prompt-1").text
    assert "x = 1 # half" in read(adas, "/items/branch-gradient").text


class TestAnExercise:
    def test_keeps_its_solution_until_a_verdict_counts(
        self, adas: FlaskClient, ada: Person, db: Session
    ) -> None:
        exercise = next(item for item in ITEMS if item.id == "branch-gradient")
        page = send(adas, "/items/branch-gradient", source="x = 1\n")
        assert "Grading your answer" in page.text
        assert not [secret for secret in secrets_of(exercise) if secret in page.text]
        submission = db.scalars(select(Submission).where(Submission.item_id == exercise.id)).one()
        grade(db, submission.id, Status.FAILED, exercise.max_centipoints)
        submission.waits_for = None
        db.commit()
        page = read(adas, "/items/branch-gradient")
        assert "A verdict for a test." in page.text
        assert "Worked solution" in page.text
        assert "The solution as code" not in page.text
        assert "Your attempts" in page.text

    def test_shows_the_code_that_was_sent_last(self, adas: FlaskClient) -> None:
        send(adas, "/items/tracked-addition", source="a = 'mine'\n")
        area = read(adas, "/items/tracked-addition").all("textarea")[0]
        assert area.text.strip() == "a = 'mine'"


def test_the_experiment_says_what_was_measured_to_who_has_built_it(
    adas: FlaskClient, ada: Person, db: Session
) -> None:
    experiment = next(item for item in ITEMS if item.kind is Kind.EXPERIMENT)
    built: str = experiment.content.exercise  # type: ignore[union-attr]
    send(adas, f"/items/{built}", source="class DynamicModel: pass\n")
    page = read(adas, f"/items/{experiment.id}")
    assert not [secret for secret in secrets_of(experiment) if secret in page.text]
    submission = db.scalars(select(Submission).where(Submission.item_id == built)).one()
    grade(db, submission.id, Status.FAILED, 100)
    submission.waits_for = None
    db.commit()
    page = read(adas, f"/items/{experiment.id}")
    assert [secret for secret in secrets_of(experiment) if secret not in page.text] == []


def test_progress_counts_what_was_done_and_names_what_is_next(adas: FlaskClient) -> None:
    assert "Begin: A tracked addition" in read(adas, "/progress").text
    send(adas, "/items/practice-2", option="D")
    send(adas, "/items/practice-1", option="B")
    page = read(adas, "/progress")
    assert "1 of 1 · 1 attempt" in page.text
    assert "0 of 1 · 1 attempt" in page.text
    marks = [
        drawing.attributes["aria-label"] for drawing in page.all("svg") if "aria-label" in drawing.attributes
    ]
    assert (marks.count("done"), marks.count("started")) == (1, 1)
    assert "Next: An addition that is tracked" in page.text


def test_mallory_sees_nothing_of_what_ada_did(
    adas: FlaskClient, browser_of: Callable[[Person], FlaskClient], mallory: Person
) -> None:
    send(adas, "/items/practice-1", option="B")
    page = read(browser_of(mallory), "/items/practice-1")
    assert not [secret for item in CHOICES for secret in secrets_of(item) if secret in page.text]
    assert "0 of" in read(browser_of(mallory), "/progress").text


@pytest.mark.parametrize(
    "address", ["/", "/topics/dynamic-graphs", "/sets/practice?view=all", "/items/experiment", "/progress"]
)
def test_a_page_asks_the_database_as_often_after_many_answers_as_after_two(
    adas: FlaskClient, engine: Engine, app: Flask, address: str
) -> None:
    send(adas, "/items/practice-1", option="B")
    send(adas, "/items/experiment-1", option="A")
    before = _queries(app, adas, address)
    for item in CHOICES:
        send(adas, f"/items/{item.id}?again=1", option="A")
    assert _queries(app, adas, address) == before
    assert before <= 10


def _queries(app: Flask, client: FlaskClient, address: str) -> int:
    asked: list[str] = []

    def count(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        asked.append(statement)

    own_engine: Engine = app.extensions["quizapp_engine"]
    read(client, address)  # what is stored once (content versions) is stored
    event.listen(own_engine, "before_cursor_execute", count)
    try:
        read(client, address)
    finally:
        event.remove(own_engine, "before_cursor_execute", count)
    return len([one for one in asked if one.lstrip().upper().startswith(("SELECT", "INSERT", "UPDATE"))])


@pytest.mark.parametrize(
    "address", ["/topics/none", "/sets/none", "/items/none", "/nowhere", "/submissions/none"]
)
def test_what_does_not_exist_says_so_and_offers_a_way_on(client: FlaskClient, address: str) -> None:
    page = read(client, address, status=404)
    assert "There is nothing here" in page.text
    assert "/" in [link.attributes["href"] for link in page.all("a")]


def test_patterns_shows_every_status_and_stays_away_from_learners(
    client: FlaskClient, settings: Settings
) -> None:
    page = read(client, "/patterns")
    shown = set(page.attribute("data-status"))
    assert {status.value for status in Status} <= shown
    assert {"waiting", "delayed", "ran"} <= shown
    live = create_app(replace(settings, testing=False))
    assert live.test_client().get("/patterns").status_code == 404


def test_the_home_page_shows_two_runs_without_a_script(client: FlaskClient) -> None:
    page = read(client, "/")
    assert "At x = 0.75, y is 1.50: the else branch runs, and x.grad is 8.0." in page.text
    assert "At x = 1.00, y is 2.00: the if branch runs, and x.grad is 6.0." in page.text
    graphs = [one for one in page.all("svg") if one.attributes.get("class") == "graph"]
    assert [graph.attributes["data-branch"] for graph in graphs] == ["else", "if"]


def hrefs(page: Page, text: str) -> list[str | None]:
    return [link.attributes["href"] for link in page.all("a") if text in link.text]


def test_the_next_exercise_is_the_next_one_of_the_chapter(
    adas: FlaskClient, ada: Person, db: Session
) -> None:
    send(adas, "/items/tracked-addition", source="x = 1\n")
    submission = db.scalars(select(Submission).where(Submission.item_id == "tracked-addition")).one()
    grade(db, submission.id, Status.PASSED, 300)
    submission.waits_for = None
    db.commit()
    assert hrefs(read(adas, "/items/tracked-addition"), "Next exercise") == ["/items/missing-requires-grad"]


def test_the_end_of_a_quiz_says_how_it_went_and_leads_past_it(adas: FlaskClient, app: Flask) -> None:
    quiz = app.extensions["catalogue"].item_set("quick-check")
    for item in quiz.items[1:]:
        page = send(adas, f"/items/{item.id}", option=item.content.key)
    (end,) = hrefs(page, "See how it went")
    page = read(adas, str(end))
    assert f"{len(quiz.items) - 1} of {len(quiz.items)} right" in page.text
    assert "Not answered" in page.text
    assert hrefs(page, "Go on with the chapter") == ["/topics/dynamic-graphs#at-work-it-out"]


def test_an_item_of_its_own_page_leads_back_to_its_place_in_the_chapter(adas: FlaskClient) -> None:
    page = send(adas, "/items/practice-1", option="B")
    assert hrefs(page, "Back to its place") == ["/topics/dynamic-graphs#at-practice-1"]


@pytest.mark.parametrize(("asked", "nearest"), [("0", "1"), ("9", "5")])
def test_a_number_past_the_end_of_a_set_leads_to_the_nearest(
    client: FlaskClient, asked: str, nearest: str
) -> None:
    assert client.get(f"/sets/quick-check?n={asked}").location == f"/sets/quick-check?n={nearest}"


def test_a_number_that_is_none_is_not_found(client: FlaskClient) -> None:
    assert "Not found" in read(client, "/sets/quick-check?n=abc", status=404).text


def test_code_that_was_given_or_sent_can_be_put_back_into_the_editor(
    adas: FlaskClient, ada: Person, db: Session
) -> None:
    send(adas, "/items/tracked-addition", source="a = 'first'\n")
    submission = db.scalars(select(Submission).where(Submission.item_id == "tracked-addition")).one()
    given = read(adas, "/items/tracked-addition?code=given")
    assert "'first'" not in given.all("textarea")[0].text
    assert "Take what I typed last" in given.text
    sent = read(adas, f"/items/tracked-addition?code={submission.public_id}")
    assert "'first'" in sent.all("textarea")[0].text
    assert "Put this code into the editor" in read(adas, f"/submissions/{submission.public_id}").text


def test_an_empty_answer_is_offered_again_with_its_button(adas: FlaskClient) -> None:
    page = send(adas, "/items/tracked-addition", source=" ", status=422)
    assert [one for one in page.all("button") if one.text.strip() == "Send"]
