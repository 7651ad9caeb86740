"""A real `quizapp serve` in a folder of its own, and a learner who sends answers to it."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.faults import NotMeasured

START_SECONDS = 60  # importing torch on a cold disk is the longest part
VERDICT_SECONDS = 30


@contextmanager
def running(data: Path) -> Iterator[int]:
    """Serve from an empty data folder; yields the port. The log is data/serve.log."""
    port = _free_port()
    command = [str(Path(sys.executable).parent / "quizapp"), "serve"]
    environ = {**os.environ, "QUIZAPP_DATA": str(data), "PORT": str(port)}
    with (data / "serve.log").open("wb") as log:
        server = subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_it_answers(server, port, data / "serve.log")
        yield port
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def _wait_until_it_answers(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise NotMeasured(f"quizapp serve ended with {server.returncode}:\n{log.read_text()}")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
    raise NotMeasured(f"quizapp serve did not answer within {START_SECONDS} s:\n{log.read_text()}")


class _Page(HTMLParser):
    """The hidden fields of the form with one action, and the data-status of the verdict."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
        self.fields: dict[str, str] = {}
        self.status: str | None = None
        self.ask_again = ""
        self._within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser for each start tag."""
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._within = found.get("action") == self.action
        if tag == "input" and self._within and found.get("type") == "hidden" and found.get("name"):
            self.fields[found["name"]] = found.get("value", "")
        if found.get("id") == "verdict":
            self.status = found.get("data-status")
            self.ask_again = found.get("hx-get", "")

    def handle_endtag(self, tag: str) -> None:
        """Called by the parser for each end tag."""
        if tag == "form":
            self._within = False


class Learner:
    """Someone without an account, in one browser; opening a page opens a connection, as in a browser."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=VERDICT_SECONDS)
        self._cookies: dict[str, str] = {}
        self._answered_at = 0.0

    def submit(self, item_id: str, source: str) -> float:
        """Send an answer as the page's script does. Returns milliseconds from sending to having the verdict.

        Opening the page beforehand is not counted. Raises: NotMeasured unless the verdict is passed.
        """
        self._connection.close()  # the server has closed it if this learner was quiet for some seconds
        action = f"/items/{item_id}/submissions"
        fields = self._ask("GET", f"/items/{item_id}", action).fields
        if "once" not in fields:
            raise NotMeasured(f"/items/{item_id} has no form for {action}")
        body = urlencode({**fields, "source": source})
        start = time.perf_counter()
        page = self._ask("POST", action, action, body)
        while page.status == "waiting" and time.perf_counter() - start < VERDICT_SECONDS:
            time.sleep(0.05)
            page = self._ask("GET", page.ask_again, action)
        milliseconds = (self._answered_at - start) * 1000
        if page.status != "passed":
            raise NotMeasured(f"{action} answered with status {page.status!r} and not with passed")
        return milliseconds

    def _ask(self, method: str, path: str, action: str, body: str | None = None) -> _Page:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if not path.startswith("/items/") or body is not None:
            headers["HX-Request"] = "true"
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        self._answered_at = time.perf_counter()  # taking the page apart is our work and not the server's
        if answer.status != 200:
            raise NotMeasured(f"{method} {path} answered {answer.status}: {text[:300]}")
        for line in answer.headers.get_all("Set-Cookie", []):
            self._cookies.update((name, morsel.value) for name, morsel in SimpleCookie(line).items())
        page = _Page(action)
        page.feed(text)
        return page
