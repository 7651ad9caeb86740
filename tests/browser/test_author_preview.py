"""An author saves a file, and the page in the browser shows it without being asked."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from quizapp.config import PROJECT

TOPIC = "tiny-topic"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A folder with the exercise tracked-addition in a topic of its own."""
    folder = tmp_path / "course" / TOPIC
    shutil.copytree(PROJECT / "exercises/dynamic-graphs/tracked-addition", folder / "tracked-addition")
    (folder / "topic.toml").write_text(
        f'id = "{TOPIC}"\ntitle = "Tiny"\nexercises = ["tracked-addition"]\n\n[concepts]\n'
        'requires-grad = "r"\nautograd = "a"\ntensor-operations = "t"\n'
    )
    (folder / "chapter.md").write_text("## Start\n\nBefore the change.\n\n::item tracked-addition\n")
    return tmp_path / "course"


@pytest.fixture
def address(course: Path, tmp_path: Path, chromium: str) -> Iterator[str]:
    """Of a server that was started with --author."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environ = {key: value for key, value in os.environ.items() if not key.startswith("QUIZAPP_")}
    environ |= {"QUIZAPP_EXERCISES": str(course), "QUIZAPP_DATA": str(tmp_path / "var")}
    command = [Path(sys.executable).parent / "quizapp", "serve", "--author", "--port", str(port)]
    with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        assert server.poll() is None, "the server has ended"
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail("the server does not answer")


def test_a_saved_file_is_shown_and_a_wrong_answer_is_a_click_away(
    browser: Browser, address: str, course: Path
) -> None:
    page = browser.new_page(base_url=address)
    page.set_default_timeout(30_000)
    page.goto(f"/topics/{TOPIC}")
    chapter = course / TOPIC / "chapter.md"
    chapter.write_text(chapter.read_text().replace("Before the change", "After the change"))
    expect(page.get_by_text("After the change.")).to_be_visible(timeout=30_000)

    topic = course / TOPIC / "topic.toml"
    topic.write_text(topic.read_text().replace("title", "titel"))
    expect(page.get_by_text("did you mean")).to_be_visible(timeout=30_000)
    topic.write_text(topic.read_text().replace("titel", "title"))
    expect(page.get_by_text("No problems in the files.")).to_be_visible(timeout=30_000)

    page.goto("/items/tracked-addition")
    page.get_by_role("link", name="wrong/multiplies.py").click()
    expect(page.locator("textarea[name=source]")).to_have_value(
        (course / TOPIC / "tracked-addition/wrong/multiplies.py").read_text(), timeout=30_000
    )
    page.get_by_role("button", name="Look as a learner").click()
    expect(page.get_by_role("link", name="wrong/multiplies.py")).to_have_count(0)
    page.close()
