"""Each kind of question that is not a single choice: its form, an answer, its review, no script needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from graders.verdict import Verdict
from quizapp.accounts.models import Person
from quizapp.catalogue.content import OrderContent
from quizapp.submissions import models
from quizapp.submissions.models import Draft, Submission

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}
KINDS = """\
id = "kinds"
title = "Kinds"
kind = "quiz"

[[question]]
id = "several"
kind = "multiple"
difficulty = "easy"
title = "Several"
prompt = "Which have a gradient?"
keys = ["A", "C"]
explanation = "KEY-EXPLANATION"
options.A = { text = "a leaf", why = "KEY-WHY-A" }
options.B = { text = "an integer", why = "KEY-WHY-B" }
options.C = { text = "a parameter", why = "KEY-WHY-C" }

[[question]]
id = "slope"
kind = "numeric"
difficulty = "easy"
title = "A slope"
prompt = "How steep?"
answer = 45.8
tolerance = 0.2
unit = "degrees"
explanation = "KEY-EXPLANATION"
known = [{ answer = "90", why = "KEY-WHY-90" }]

[[question]]
id = "name"
kind = "text"
difficulty = "easy"
title = "A name"
prompt = "Which attribute?"
answers = ["grad_fn"]
explanation = "KEY-EXPLANATION"

[[question]]
id = "printed"
kind = "output"
difficulty = "easy"
title = "Printed"
prompt = "What is printed?"
code = "print(1)\\nprint('<b>')"
output = "1\\n<b>"
explanation = "KEY-EXPLANATION"

[[question]]
id = "faulty"
kind = "line"
difficulty = "easy"
title = "Faulty"
prompt = "Which line is wrong?"
code = "x = 1\\n\\ny = x / 0"
line = 3
fixed = "y = x / KEY-FIXED"
raises = "ZeroDivisionError"
explanation = "KEY-EXPLANATION"
known = [{ line = 1, why = "KEY-WHY-LINE" }]

[[question]]
id = "ordered"
kind = "order"
difficulty = "easy"
title = "Ordered"
prompt = "In which order?"
lines = ["x = 1", "y = 2", "print(x + y)"]
also = [[2, 1, 3]]
distractors = ["print(z)"]
prints = "KEY-3"
explanation = "KEY-EXPLANATION"

[[question]]
id = "pairs"
kind = "match"
difficulty = "easy"
title = "Pairs"
prompt = "What belongs together?"
pairs = [{ left = "leaf", right = "no grad_fn here" }, { left = "result", right = "a node" }]
distractors = ["a loss"]
explanation = "KEY-EXPLANATION"

[[question]]
id = "filled"
kind = "gaps"
difficulty = "easy"
title = "Filled"
prompt = "Fill it."
code = "x = tensor(1.0, {{1}}=True)\\nx.{{2}}()"
gaps = [{ answers = ["KEY_requires_grad"] }, { answers = ["backward", "KEY_b"] }]
prints = "KEY-PRINTS"
explanation = "KEY-EXPLANATION"

[[question]]
id = "claim"
kind = "true-false"
difficulty = "easy"
title = "A claim"
prompt = "A leaf has a grad_fn."
key = false
why_true = "KEY-WHY-TRUE"
why_false = "KEY-WHY-FALSE"
explanation = "KEY-EXPLANATION"
"""


@pytest.fixture
def content(content: Path) -> Path:
    """The topic `tiny`, with one question of each kind."""
    topic = content / "tiny" / "topic.toml"
    topic.write_text(topic.read_text().replace('"questions.toml"', '"questions.toml", "kinds.toml"'))
    (content / "tiny" / "kinds.toml").write_text(KINDS)
    chapter = content / "tiny" / "chapter.md"
    chapter.write_text(chapter.read_text() + "\n::set kinds\n")
    return content


@pytest.fixture
def adas(browser_of: Callable[[Person], FlaskClient], ada: Person) -> FlaskClient:
    return browser_of(ada)


@pytest.fixture
def send(app: Flask, adas: FlaskClient) -> Callable[..., str]:
    """Answers as a page with htmx does; returns what takes the question's place."""
    sent = iter(range(1000))

    def answer(item_id: str, *, status: int = 200, **fields: str) -> str:
        item = app.extensions["catalogue"].item(item_id)
        data = {"version": item.version, "once": f"form-{next(sent)}", **fields}
        response = adas.post(f"/items/{item_id}/submissions", data=data, headers=HTMX)
        assert response.status_code == status, response.text
        return response.text

    return answer


def points(db: Session) -> list[int]:
    db.rollback()
    return [Verdict.from_json(row.body).centipoints for row in db.scalars(select(models.Verdict))]


ANSWERS = {
    "several": ({"option-A": "on", "option-C": "on"}, {"option-A": "on", "option-B": "on"}),
    "slope": ({"typed": "46"}, {"typed": "46.01"}),
    "name": ({"typed": " Grad_FN "}, {"typed": "grad"}),
    "printed": ({"typed": "1\r\n<b>  \r\n"}, {"typed": "1"}),
    "faulty": ({"line": "3"}, {"line": "1"}),
    "ordered": (("x = 1", "y = 2", "print(x + y)"), ("y = 2", "print(x + y)", "x = 1")),
    "pairs": (
        {"right-1": "no grad_fn here", "right-2": "a node"},
        {"right-1": "a node", "right-2": "a node"},
    ),
    "filled": (
        {"gap-1": " KEY_requires_grad ", "gap-2": "backward"},
        {"gap-1": "requires", "gap-2": "KEY_b"},
    ),
    "claim": ({"option": "B"}, {"option": "A"}),
}


def placed(*lines: str) -> dict[str, str]:
    """The fields that put these lines in this order; they stand in the order in which they are offered."""
    content = OrderContent.model_validate(
        {"prompt": "In which order?", "lines": LINES[:3], "distractors": LINES[3:], "prints": "3"}
    )
    return {f"place-{content.shown_lines.index(line) + 1}": str(at) for at, line in enumerate(lines, start=1)}


LINES = ("x = 1", "y = 2", "print(x + y)", "print(z)")
ANSWERS["ordered"] = (placed(*ANSWERS["ordered"][0]), placed(*ANSWERS["ordered"][1]))


@pytest.mark.parametrize("item_id", ANSWERS)
def test_nothing_of_the_key_is_on_the_page_before_an_answer(adas: FlaskClient, item_id: str) -> None:
    page = adas.get(f"/items/{item_id}").text
    assert 'data-state="open"' in page
    assert "KEY-" not in page
    assert "45.8" not in page
    assert "grad_fn" not in page or item_id in {"claim", "pairs"}


@pytest.mark.parametrize("item_id", ANSWERS)
def test_a_right_and_a_wrong_answer_are_told_apart_and_explained(
    send: Callable[..., str], item_id: str
) -> None:
    right, wrong = ANSWERS[item_id]
    for answer, state in ((right, "passed"), (wrong, "failed")):
        review = send(item_id, **answer)
        assert f'data-state="{state}"' in review
        assert "KEY-EXPLANATION" in review
        assert "right" in review


@pytest.mark.parametrize("item_id", ANSWERS)
def test_without_a_script_an_answer_leads_to_a_page_that_shows_it(
    app: Flask, adas: FlaskClient, item_id: str
) -> None:
    page = adas.get(f"/items/{item_id}").text
    hidden = dict(re.findall(r'name="(version|once|seen)" value="([^"]*)"', page))
    response = adas.post(f"/items/{item_id}/submissions", data={**hidden, **ANSWERS[item_id][1]})
    assert response.status_code == 303
    assert 'data-state="failed"' in adas.get(response.location).text


@pytest.mark.parametrize(
    ("lines", "state", "says"),
    [
        (("y = 2", "x = 1", "print(x + y)"), "passed", "Your order, and it is right"),
        (("x = 1", "y = 2"), "failed", "So far it is right, and there is more to come."),
        (("x = 1", "y = 2", "print(z)"), "failed", "The first 2 lines are right."),
        (("y = 2", "print(x + y)", "x = 1"), "failed", "The first line is right."),
        (("print(z)", "x = 1"), "failed", "It does not begin like this."),
        (("x = 1", "y = 2", "print(x + y)", "print(z)"), "failed", "The first 3 lines are right."),
    ],
)
def test_how_far_an_order_is_right_is_told(
    send: Callable[..., str], lines: tuple[str, ...], state: str, says: str
) -> None:
    review = send("ordered", **placed(*lines))
    assert f'data-state="{state}"' in review
    assert says in review


def test_the_order_in_which_lines_are_offered_says_nothing_and_stays(adas: FlaskClient) -> None:
    offered = [re.findall(r'<code class="line__code">([^<]*)', adas.get("/items/ordered").text) for _ in "ab"]
    assert offered[0] == offered[1]
    assert sorted(offered[0]) == sorted(LINES)
    assert offered[0] != list(LINES)


def test_a_line_that_is_often_blamed_is_explained(send: Callable[..., str]) -> None:
    review = send("faulty", line="1")
    assert "KEY-WHY-LINE" in review
    assert "KEY-FIXED" in review


@pytest.mark.parametrize(
    ("item_id", "fields", "says"),
    [
        ("faulty", {}, "Choose one of the lines."),
        ("faulty", {"line": "2"}, "Choose one of the lines."),
        ("faulty", {"line": "4"}, "Choose one of the lines."),
        ("ordered", {}, "Put the lines in order."),
        ("ordered", {"place-1": "1", "place-2": "1"}, "Two lines have the place 1."),
        ("ordered", {"place-1": "9"}, "Give each line a place, or leave it out."),
        ("ordered", {"place-1": "x"}, "Give each line a place, or leave it out."),
    ],
)
def test_lines_that_cannot_be_taken_are_said(
    send: Callable[..., str], db: Session, item_id: str, fields: dict[str, str], says: str
) -> None:
    assert says in send(item_id, status=422, **fields)
    assert db.scalar(select(Submission)) is None


@pytest.mark.parametrize("item_id", ["pairs", "filled"])
def test_each_pair_and_each_gap_counts(send: Callable[..., str], db: Session, item_id: str) -> None:
    right, wrong = ANSWERS[item_id]
    assert "1 of 2" in send(item_id, **wrong)
    assert points(db) == [50]
    send(item_id, **right)
    assert points(db) == [50, 100]


@pytest.mark.parametrize(
    ("item_id", "fields", "says"),
    [
        ("pairs", {}, "Choose something for each of them."),
        ("pairs", {"right-1": "a node"}, "Choose something for each of them."),
        ("pairs", {"right-1": "a node", "right-2": "a leaf"}, "Choose from what is offered."),
        ("filled", {"gap-1": "x"}, "Write something into each gap."),
        ("filled", {"gap-1": "x", "gap-2": "\u200b"}, "Write something into each gap."),
        ("filled", {"gap-1": "x" * 5_000, "gap-2": "y"}, "At most 4,000 signs fit here."),
    ],
)
def test_pairs_and_gaps_that_cannot_be_taken_are_said(
    send: Callable[..., str], db: Session, item_id: str, fields: dict[str, str], says: str
) -> None:
    assert says in send(item_id, status=422, **fields)
    assert db.scalar(select(Submission)) is None


@pytest.mark.parametrize(
    ("chosen", "expected"), [("AC", 100), ("A", 50), ("AB", 0), ("ABC", 50), ("B", 0), ("C", 50)]
)
def test_each_right_option_counts_and_each_wrong_one_takes_one_back(
    send: Callable[..., str], db: Session, chosen: str, expected: int
) -> None:
    review = send("several", **{f"option-{letter}": "on" for letter in chosen})
    assert points(db) == [expected]
    assert ('data-state="passed"' in review) is (chosen == "AC")


def test_the_rule_of_counting_stands_on_the_page(adas: FlaskClient) -> None:
    page = adas.get("/items/several").text
    assert "Each right one counts, and each wrong one takes one back." in page
    assert page.count('type="checkbox"') == 3


def test_the_tolerance_is_told_before_and_the_unit_shown(adas: FlaskClient) -> None:
    page = adas.get("/items/slope").text
    assert "Up to 0.2 more or less is right." in page
    assert "degrees" in page


def test_a_known_wrong_number_is_explained(send: Callable[..., str]) -> None:
    assert "KEY-WHY-90" in send("slope", typed="90.0")
    assert "KEY-WHY-90" not in send("slope", typed="91")


@pytest.mark.parametrize(
    ("item_id", "typed", "says"),
    [
        ("slope", "six", "Write a number with a point and no comma, such as 0.25, -3 or 1e-3."),
        ("slope", "1,5", "Write a number"),
        ("slope", " ", ""),
        ("name", "\u200b", "There is nothing in it that can be seen."),
        ("printed", "x" * 5_000, "At most 4,000 signs fit here."),
    ],
)
def test_what_cannot_be_taken_is_said_and_costs_nothing(
    send: Callable[..., str], db: Session, item_id: str, typed: str, says: str
) -> None:
    assert says in send(item_id, status=422, typed=typed)
    assert db.scalar(select(Submission)) is None


def test_a_page_without_script_offers_again_what_could_not_be_taken(app: Flask, adas: FlaskClient) -> None:
    item = app.extensions["catalogue"].item("slope")
    response = adas.post(
        "/items/slope/submissions", data={"version": item.version, "once": "form-1", "typed": "six"}
    )
    assert response.status_code == 422
    assert 'name="typed" rows="3">six</textarea>' in response.text


def test_options_that_were_refused_are_offered_again(app: Flask, adas: FlaskClient) -> None:
    item = app.extensions["catalogue"].item("several")
    fields = {"version": item.version, "seen": "0", "option-A": "on"}
    adas.post("/items/several/submissions", data={**fields, "once": "form-1"})
    refused = adas.post("/items/several/submissions", data={**fields, "once": "form-2", "option-C": "on"})
    assert refused.status_code == 409
    assert 'name="option-A" value="on"' in refused.text
    assert 'name="option-C" value="on"' in refused.text


@pytest.mark.parametrize(("item_id", "typed"), [("slope", "-"), ("name", "gra"), ("printed", "1\n")])
def test_what_is_typed_is_kept_meanwhile(
    app: Flask, adas: FlaskClient, db: Session, item_id: str, typed: str
) -> None:
    response = adas.put(f"/items/{item_id}/draft", data={"typed": typed, "revision": "0"})
    assert response.status_code == 200, response.text
    assert db.scalars(select(Draft)).one().answer == {"typed": typed}
    page = adas.get(f"/items/{item_id}").text
    assert typed in page.replace("&#34;", '"')


def test_an_answer_is_shown_as_it_was_typed_and_harms_nobody(send: Callable[..., str]) -> None:
    review = send("printed", typed="<script>alert(1)</script>")
    assert "<script>alert" not in review
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in review
