"""What every level of tests shares: a tiny course, a migrated database, the cast, an app with a client.

The cast: ada learns, grace teaches, mallory is signed in and does not belong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from quizapp import create_app
from quizapp.accounts.models import Person, Role
from quizapp.catalogue import Catalogue
from quizapp.config import Settings
from quizapp.db import make_engine
from quizapp.migrate import upgrade

FILES = {
    "topic.toml": """
id = "tiny"
title = "A tiny topic"
summary = "One item of each kind that is answered."
chapter = "chapter.md"
files = ["questions.toml", "cards.toml", "prompts.toml"]
exercises = ["double"]

[concepts]
autograd = "Autograd"
""",
    "chapter.md": (
        "## Start\n\nRead, then answer.\n\n::item sum\n\n::set cards\n\n::set prompts\n\n::item double\n"
    ),
    "questions.toml": """
id = "questions"
title = "Questions"
kind = "quiz"
intro = "One question."

[[question]]
id = "sum"
difficulty = "easy"
title = "A sum"
prompt = "What is 1 + 1?"
key = "B"
hint = "Count on your fingers."
mistakes = ["Writing the digits side by side."]
solution = ["One and one more.", "KEY-SOLUTION"]
quick_check = "Two."
explanation = "KEY-EXPLANATION"
concepts = ["autograd"]

[question.options.A]
text = "1"
why = "KEY-WHY-A"

[question.options.B]
text = "2"
why = "KEY-WHY-B"
""",
    "cards.toml": """
id = "cards"
title = "Cards"
kind = "cards"
intro = "One card."

[[card]]
id = "leaf"
difficulty = "beginner"
front = "What is a leaf?"
back = "KEY-BACK"
concepts = ["autograd"]
""",
    "prompts.toml": """
id = "prompts"
title = "Prompts"
kind = "prompts"
intro = "One prompt."

[[prompt]]
id = "why"
title = "Why"
prompt = "Why are graphs dynamic?"
cue = "Think of a branch."
key_points = ["KEY-POINT-0", "KEY-POINT-1", "KEY-POINT-2"]
model_answer = "KEY-MODEL"
concepts = ["autograd"]
""",
    "double/item.toml": """
id = "double"
title = "Double it"
difficulty = "easy"
concepts = ["autograd"]
hints = ["Multiply by two."]
mistakes = ["Adding two."]
explanation = "KEY-WORKED"

[[expect]]
name = "y is 2.0"
expect = "y == 2.0"
hint = "Twice one."
""",
    "double/prompt.md": "Make `y` twice `x`.\n",
    "double/starter.py": "x = 1.0\ny = 0.0\n",
    "double/solution.py": "x = 1.0\ny = 2 * x\n",
    "double/wrong/adds.py": '# expect: failed, "y is 2.0", "3.0"\nx = 1.0\ny = 3.0\n',
}


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A folder with the topic `tiny`: choice `sum` (key B), card `leaf`, prompt `why`, exercise `double`.

    What must not be seen before an answer is stored begins with "KEY-".
    """
    folder = tmp_path / "exercises"
    for name, text in FILES.items():
        path = folder / "tiny" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.removeprefix("\n"))
    return folder


@pytest.fixture
def settings(tmp_path: Path, content: Path) -> Settings:
    """Settings of an installation of its own, in the test's folder."""
    return Settings(
        data=tmp_path / "var", exercises=content, secret_key="for-tests-only-" + "x" * 32, testing=True
    )


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    """The migrated database file."""
    upgrade(settings)
    engine = make_engine(f"sqlite:///{settings.database_path}")
    yield engine
    engine.dispose()


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    """A session for looking and for arranging what a test needs; commit what others shall see."""
    with Session(engine, expire_on_commit=False) as session:
        yield session


@pytest.fixture
def catalogue(settings: Settings) -> Catalogue:
    """The tiny topic, loaded."""
    return Catalogue(settings.exercises)


@pytest.fixture
def app(settings: Settings, engine: Engine) -> Flask:
    """The app on the migrated database. Forms need no CSRF token here; tests of CSRF switch it on again."""
    app = create_app(settings)
    app.config["WTF_CSRF_ENABLED"] = False
    return app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser that nobody has used yet."""
    return app.test_client()


def _person(db: Session, name: str, role: Role) -> Person:
    person = Person(
        name=name.title(), email=f"{name}@example.org", role=role.value, created_at=datetime.now(UTC)
    )
    db.add(person)
    db.commit()
    return person


@pytest.fixture
def ada(db: Session) -> Person:
    """A learner with an account."""
    return _person(db, "ada", Role.LEARNER)


@pytest.fixture
def grace(db: Session) -> Person:
    """A teacher."""
    return _person(db, "grace", Role.TEACHER)


@pytest.fixture
def mallory(db: Session) -> Person:
    """A learner with an account who has no business here."""
    return _person(db, "mallory", Role.LEARNER)


@pytest.fixture
def browser_of(app: Flask) -> Callable[[Person], FlaskClient]:
    """Makes a browser in which the person is signed in."""

    def signed_in(person: Person) -> FlaskClient:
        client = app.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = person.get_id()
            session["_fresh"] = True
        return client

    return signed_in
