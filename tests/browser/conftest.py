"""A real server with its worker, and Chromium in front of it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

# Background networking is off: without a network its refusals would read like errors of the page.
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
START_SECONDS = 120  # for the first start of a server: migrations, content, and torch from a cold disk


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser. Without one the test is skipped, or fails where CI=true."""
    named = os.environ.get("QUIZAPP_CHROMIUM")
    found = named or next((path for path in map(shutil.which, NAMES) if path), None)
    if found:
        return found
    reason = (
        "Chromium was not found. On Debian: sudo apt install chromium."
        " Elsewhere set QUIZAPP_CHROMIUM to the path of a Chromium or Chrome."
    )
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass(frozen=True)
class Site:
    """A running product. address: without a slash at its end. data: its data folder; log: what it printed."""

    address: str
    data: Path
    log: Path


@pytest.fixture(scope="session")
def site(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """`quizapp serve` on a free port, from an empty data folder."""
    data = tmp_path_factory.mktemp("site")
    log = data / "serve.log"
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    command = [str(Path(sys.executable).parent / "quizapp"), "serve"]
    environ = {**os.environ, "QUIZAPP_DATA": str(data), "PORT": str(port)}
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    found = Site(f"http://127.0.0.1:{port}", data, log)
    try:
        _wait_until_it_answers(server, found)
        yield found
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
            raise


def _wait_until_it_answers(server: subprocess.Popen[bytes], site: Site) -> None:
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(site.address, timeout=10).close()
            return
        except urllib.error.HTTPError as error:
            pytest.fail(f"the first page answered {error.code}:\n{site.log.read_text()}")
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"quizapp serve did not come up:\n{site.log.read_text()}")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for all tests of a process; each test has contexts, and so cookies, of its own."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        yield started
        started.close()


@dataclass
class Complaints:
    """What no page should say: errors in the console, refusals by the content policy, exceptions, and answers
    with a server's error. A test that provokes one takes it out.
    """

    said: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        """Note whatever this page complains about from now on."""
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.said.append(f"{page.url}: {error}"))
        page.on(
            "response",
            lambda response: (
                self.said.append(f"{response.url} answered {response.status}")
                if response.status >= 500
                else None
            ),
        )

    def _on_console(self, message: ConsoleMessage) -> None:
        # Chromium prints an error for each 4xx; a refused answer is one, and the page then says why.
        if message.type in {"error", "warning"} and "status of 4" not in message.text:
            self.said.append(f"{message.location.get('url', '')}: {message.text}")


@pytest.fixture
def open_browser(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """A function that gives a new learner's page: open_browser(java_script_enabled=False, viewport=…).

    When the test has ended, no page may have complained about anything.
    """
    complaints = Complaints()
    contexts: list[BrowserContext] = []

    def make(**choices: object) -> Page:
        context = browser.new_context(base_url=site.address, **choices)  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        contexts.append(context)
        context.on("page", complaints.listen)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()
    assert complaints.said == []


@pytest.fixture
def page(open_browser: Callable[..., Page]) -> Page:
    """ada's browser: a laptop's width, light, with JavaScript."""
    return open_browser(viewport={"width": 1280, "height": 900})
