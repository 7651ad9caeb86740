"""Frames that a learner's program writes by itself: whatever they say, a verdict can be made and stored."""

from __future__ import annotations

import json
import signal
import threading
import time
import zlib
from dataclasses import replace
from typing import Any

import pytest

from graders import wire
from graders.exercise import Exercise, Limits
from graders.grader import Grader, Level
from graders.verdict import Status, Verdict

pytestmark = pytest.mark.sandbox

FRAME = {"line": 1, "function": "f", "text": "t"}
REPORT = {"type": "ValueError", "message": "x", "frames": [FRAME], "folded_frames": 0}


def program(*frames: Any) -> str:
    """A program that sends these frames and ends its own conversation."""
    sent = b"".join(len(data).to_bytes(4, "big") + data for data in map(wire.encode, frames))
    packed = zlib.compress(sent)
    return (
        f"import os, time, zlib\nleft = zlib.decompress({packed!r})\n"
        "while left:\n    left = left[os.write(3, left):]\ntime.sleep(60)\n"
    )


def storable(verdict: Verdict) -> bool:
    """Whether every text of it can be written out, and all of it is of a bounded size."""
    text = json.dumps(verdict.to_json(), ensure_ascii=False)
    return len(text.encode()) < 300_000


@pytest.fixture(scope="module")
def quick(branch_gradient: Exercise) -> Exercise:
    return replace(branch_gradient, limits=Limits(cpu_seconds=1, wall_seconds=1.5))


@pytest.mark.parametrize(
    "report",
    [
        {**REPORT, "frames": [{**FRAME, "line": b"zz"}]},
        {**REPORT, "frames": [{"surprise": 1}]},
        {**REPORT, "frames": [FRAME] * 9_000},
        {**REPORT, "frames": "none"},
        {**REPORT, "folded_frames": b"many"},
        {**REPORT, "line": -1, "column": 10**30, "end_column": 1.5},
        {**REPORT, "message": "\x01" * 1_000_000},
        {**REPORT, "surprise": "field"},
        {"type": "ValueError", "message": "x"},
    ],
    ids=["bytes", "odd frame", "many frames", "no list", "odd count", "odd places", "long", "extra", "short"],
)
def test_a_forged_error_is_read_field_by_field(
    report: dict[str, Any], grader: Grader, quick: Exercise
) -> None:
    verdict = grader.grade(quick, program({"raised": report}))
    assert verdict.status is Status.ERROR
    assert storable(verdict)
    assert len(verdict.summary) < 1000


@pytest.mark.parametrize("frame", [{"raised": 7}, {"raised": {}}, {"gone": "x"}, {}, [], 7], ids=repr)
def test_what_is_no_account_of_loading_is_a_crash(frame: Any, grader: Grader, quick: Exercise) -> None:
    assert grader.grade(quick, program(frame)).status is Status.CRASHED


@pytest.mark.parametrize(
    "reply",
    [
        {"gone": "x"},
        {"broken": "the author's fault"},
        {"reply": {"is": "tensor"}},
        {"reply": {"nodes": float("inf"), "handle": float("inf")}},
        {"reply": float("nan")},
        {"refused": b"\xff" * 100_000},
        {"raised": {**REPORT, "frames": [{**FRAME, "line": b"zz"}]}},
    ],
    ids=["gone", "broken", "half a tensor", "infinite", "nan", "refused", "raised"],
)
def test_a_forged_reply_never_makes_it_the_authors_fault(
    reply: dict[str, Any], grader: Grader, quick: Exercise
) -> None:
    verdict = grader.grade(quick, program({"loaded": True}, reply, reply, reply))
    assert verdict.status in (Status.FAILED, Status.ERROR, Status.CRASHED, Status.TIMEOUT), verdict
    assert storable(verdict)


@pytest.mark.parametrize(
    "value",
    [
        "dict.fromkeys(k * (2**61 - 1) for k in range(1, 4000))",
        "torch.empty(0).as_strided((0, 2**32 - 1, 2**32 - 1), (1, 1, 1))",
        "torch.empty(0, 5_000_000_000)",
        "torch.empty(0).as_strided((0, 2**31 - 1, 2**31 - 1, 2**31 - 1), (1, 1, 1, 1))",
    ],
)
def test_an_odd_value_is_the_learners_own_affair(value: str, grader: Grader, quick: Exercise) -> None:
    source = f"import torch\nx = z = {value}\n\n\ndef gradient_at(value):\n    return x\n"
    verdict = grader.grade(quick, source)
    assert verdict.status is Status.FAILED, verdict


def test_a_template_that_stalls_costs_nobody_anything(
    branch_gradient: Exercise, monkeypatch: pytest.MonkeyPatch, level: Level | None
) -> None:
    with Grader(slots=1, level=level) as own:
        template = own._nursery._template
        template._control.settimeout(0.5)  # in place of 20 s
        assert template.pidfd is not None
        signal.pidfd_send_signal(template.pidfd, signal.SIGSTOP)
        for _ in range(4):  # the jails that wait ready are used up; then one must be made
            assert own.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED
        assert own._nursery._template is not template
        assert own._nursery._keeper.is_alive()


def test_a_template_that_dies_while_the_checks_run_is_no_ones_fault(
    branch_gradient: Exercise, level: Level | None
) -> None:
    slow = replace(
        branch_gradient,
        expects=(),
        checks=(
            "import time\nfrom graders.checks import check\n\n\n"
            "@check('slow')\ndef slow(answer):\n    time.sleep(1.5)\n    assert answer['x'].grad == 6.0\n"
        ),
    )
    with Grader(slots=1, level=level) as own:
        pidfd = own._nursery._template.pidfd
        assert pidfd is not None
        killer = threading.Timer(0.7, signal.pidfd_send_signal, (pidfd, signal.SIGKILL))
        killer.start()
        assert own.grade(slow, slow.solution).status is Status.PASSED
        killer.join()
        assert own.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED


def test_a_jail_that_was_killed_while_it_waited_is_not_used(
    branch_gradient: Exercise, level: Level | None
) -> None:
    with Grader(slots=1, level=level) as own:
        for waiting in own._nursery._ready.values():
            for jail in waiting:
                jail.kill()
                assert jail.wait(5)
        time.sleep(0.05)
        assert own.grade(branch_gradient, branch_gradient.solution).status is Status.PASSED
