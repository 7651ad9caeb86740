"""Every program of attacks/ ends as its first lines say, says nothing of an escape, and leaves no trace.

attacks/README.md says what the lines and the tokens in the programs mean. The two exercises that the programs
are submitted to hold planted strings in their checks and solutions, and so does the environment of this
process: none may ever be shown.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from graders.exercise import Exercise, Limits
from graders.grader import Grader, Level
from graders.verdict import Status, Verdict

ATTACKS = Path(__file__).parent / "attacks"
PROGRAMS = sorted(ATTACKS.glob("*/*.py"))
LIMITS = Limits(cpu_seconds=1, wall_seconds=2)
PLANTED = "REFTOKEN-" + secrets.token_hex(8)

pytestmark = pytest.mark.sandbox

CUBE = f"""
PLANTED = "{PLANTED}"
from graders.checks import check, close


@check("f is the gradient of the cube")
def cube(answer, draw):
    for x in draw.floats(-3, 3, n=6):
        assert close(answer.call("f", x), 3 * x * x, rtol=1e-4, atol=1e-4)
"""

LEAF = f"""
PLANTED = "{PLANTED}"
from graders.checks import check


@check("x.grad is 6.0")
def leaf(answer):
    assert answer["x"].is_leaf
    assert answer["x"].grad == 6.0
    assert answer["z"].grad_fn is not None
"""

RIGHT_LEAF = """
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y * 3 if y.item() > 1.5 else y * 4
z.backward()
"""


@dataclass
class Outside:
    """What stands outside of the jails and must not be reached. `reached` counts what was."""

    canary: Path
    secret: str
    markers: Path
    port: int
    unix_name: str
    reached: list[str] = field(default_factory=list)

    def fill(self, text: str, marker: Path) -> str:
        """The program with its tokens replaced."""
        for token, value in (
            ("@CANARY@", str(self.canary)),
            ("@MARKER@", str(marker)),
            ("@PORT@", str(self.port)),
            ("@USOCK@", self.unix_name),
        ):
            text = text.replace(token, value)
        return re.sub(
            r"@FILL:(\d+):(\\n|.)@",
            lambda found: ("\n" if found[2] == "\\n" else found[2]) * int(found[1]),
            text,
        )


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    """A canary, a folder that anybody may write, and three listeners."""
    folder = tmp_path_factory.mktemp("outside")
    secret = "CANARY-" + secrets.token_hex(8)
    canary = folder / "canary"
    canary.write_text(secret)
    canary.chmod(0o644)
    folder.chmod(0o777)
    name = "quizapp-test-" + secrets.token_hex(8)
    with (
        socket.socket() as stream,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        stream.bind(("127.0.0.1", 0))
        port = stream.getsockname()[1]
        datagram.bind(("127.0.0.1", port))
        unix.bind("\0" + name)
        found = Outside(canary, secret, folder, port, name)
        for listener in (stream, unix):
            listener.listen()
            threading.Thread(target=_note_connections, args=(listener, found), daemon=True).start()
        threading.Thread(target=_note_datagrams, args=(datagram, found), daemon=True).start()
        yield found
        stream.shutdown(socket.SHUT_RDWR)
        unix.shutdown(socket.SHUT_RDWR)


def _note_connections(listener: socket.socket, outside: Outside) -> None:
    while True:
        try:
            connection, _address = listener.accept()
        except OSError:
            return
        connection.close()
        outside.reached.append("a listener")


def _note_datagrams(listener: socket.socket, outside: Outside) -> None:
    while True:
        try:
            listener.recv(100)
        except OSError:
            return
        outside.reached.append("a datagram socket")


@pytest.fixture(scope="module")
def exercises(branch_gradient: Exercise) -> dict[str, Exercise]:
    """The two exercises of the corpus, by the `# target:` of a program."""
    plain = replace(
        branch_gradient, limits=LIMITS, expects=(), starter="", solution=f"PLANTED = {PLANTED!r}\n"
    )
    cube, leaf = replace(plain, checks=CUBE), replace(plain, checks=LEAF)
    return {"fx": cube, "leaf": leaf, "any": cube, "pair": cube}


Record = Callable[..., None]


@pytest.fixture(scope="module")
def record(pytestconfig: pytest.Config) -> Record:
    """Notes how a program ended, in the file of --corpus-record if there is one."""
    path = pytestconfig.getoption("corpus_record", None)

    def note(name: str, program: str, status: Status, *, contained: bool) -> None:
        if path:
            entry = {"class": name, "program": program, "status": status.value, "contained": contained}
            with open(path, "a") as file:
                file.write(json.dumps(entry) + "\n")

    return note


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret in this process's environment too."""
    monkeypatch.setenv("QUIZAPP_PLANTED", PLANTED)


def header(text: str, key: str) -> str:
    found = re.search(rf"^# {key}: (.*)$", text[:4000], re.MULTILINE)
    assert found, f"the program has no line '# {key}: …'"
    return found[1].strip()


def read(program: Path) -> str:
    """The program as a text; bytes that are no UTF-8 become lone surrogates."""
    return program.read_bytes().decode("utf-8", "surrogateescape")


# One program takes the lack of a process namespace for an escape, one that it has no children to wait for.
# Where there are no namespaces that is how it shall be: what they try is refused.
TRUE_WITHOUT_NAMESPACES = ("ESCAPED 0 children span", "ESCAPED no pid namespace: own pid is")


def escapes(verdict: Verdict, level: Level) -> list[str]:
    """What the program says of a boundary that failed."""
    said = verdict.output.stdout + verdict.output.stderr
    found = re.findall(r"(?:ESCAPED|REACHED)[^\n]*", said)
    if level is Level.FULL:
        return found
    return [line for line in found if not line.startswith(TRUE_WITHOUT_NAMESPACES)]


def assert_contained(verdict: Verdict, outside: Outside, marker: Path, level: Level) -> None:
    assert verdict.status not in (Status.BROKEN, Status.FAULT), verdict.author_log
    shown = repr(verdict.to_json())
    assert escapes(verdict, level) == []
    assert outside.secret not in shown
    assert PLANTED not in shown
    assert not marker.exists()
    assert outside.reached == []
    assert outside.canary.read_text() == outside.secret
    assert outside.canary.stat().st_mode & 0o7777 == 0o644


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_attack_is_contained(
    program: Path, grader: Grader, exercises: dict[str, Exercise], outside: Outside, record: Record
) -> None:
    text = read(program)
    marker = outside.markers / program.stem
    source = RIGHT_LEAF if program.stem == "correct_leaf_plain" else outside.fill(text, marker)

    verdict = grader.grade(exercises[header(text, "target")], source)

    record(header(text, "class"), program.stem, verdict.status, contained=False)
    expected = header(text, "expect")
    if expected == "passed":
        assert verdict.status is Status.PASSED, verdict
    elif expected == "not-passed":
        assert verdict.status is not Status.PASSED, verdict
    else:
        assert expected == "any"
    assert_contained(verdict, outside, marker, grader.level)
    right = read(ATTACKS / "controls" / "correct_f_plain.py")
    assert grader.grade(exercises["fx"], right).status is Status.PASSED
    record(header(text, "class"), program.stem, verdict.status, contained=True)


@pytest.mark.parametrize("name", ["files", "process_state", "shared_memory"])
def test_a_message_left_at_the_same_time_is_not_found(
    name: str, grader: Grader, exercises: dict[str, Exercise], outside: Outside
) -> None:
    def grade(half: str) -> Verdict:
        marker = outside.markers / f"{name}_{half}"
        text = outside.fill(read(ATTACKS / "residue" / f"{name}_{half}.py"), marker)
        return grader.grade(exercises["fx"], text)

    with ThreadPoolExecutor(2) as pool:
        for verdict in pool.map(grade, ["1_leave", "2_look"]):
            assert_contained(verdict, outside, outside.markers / "none", grader.level)


def test_the_corpus_is_whole() -> None:
    assert len(PROGRAMS) == 184
    assert os.path.exists(ATTACKS / "README.md")
