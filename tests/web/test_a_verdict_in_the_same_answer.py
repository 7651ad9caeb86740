"""From the form to the verdict in one answer, with the real worker and the real grader."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from quizapp.accounts.models import Person
from quizapp.catalogue import Catalogue
from quizapp.config import Settings
from quizapp.grading.worker import Worker
from quizapp.submissions import queries, views

pytestmark = pytest.mark.sandbox
HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def browser(
    settings: Settings,
    browser_of: Callable[[Person], FlaskClient],
    ada: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[FlaskClient]:
    """Ada's browser, before a server whose worker runs, and which waits as long as a busy machine needs."""
    monkeypatch.setattr(views, "WAIT_SECONDS", 60.0)
    worker = Worker(settings)
    thread = threading.Thread(target=worker.run_forever)
    thread.start()
    try:
        while thread.is_alive() and not _listens(settings):
            thread.join(0.02)
        yield browser_of(ada)
    finally:
        worker.stop()
        thread.join(60)
    assert not thread.is_alive()


def _listens(settings: Settings) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(settings.worker_socket)) == 0


def test_right_wrong_raising_and_run_code_each_get_theirs(
    browser: FlaskClient, catalogue: Catalogue, db: Session, ada: Person
) -> None:
    item = catalogue.item("double")
    assert item is not None
    form = {"version": item.version, "once": "form"}
    for source, status in (
        ("x = 1.0\ny = 3.0\n", "failed"),
        ("x = 1.0\ny = x / 0\n", "error"),
        ("x = 1.0\ny = 2.0\n", "passed"),
    ):
        answer = browser.post("/items/double/submissions", data={**form, "source": source}, headers=HTMX)
        assert f'data-status="{status}"' in answer.text
    ran = browser.post("/items/double/runs", data={**form, "source": "print(6 * 7)"}, headers=HTMX)
    assert 'data-status="ran"' in ran.text
    assert "42" in ran.text
    state = queries.states(db, ada)["double"]
    assert (state.passed, state.attempts) == (True, 3)
    newest = queries.latest(db, ada, ["double"])["double"]
    assert newest.verdict is not None
    assert re.fullmatch("[0-9a-f]{32}", newest.verdict.seed)
    assert newest.verdict.milliseconds > 0
