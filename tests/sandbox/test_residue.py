"""Nothing of one submission reaches the next, nor anything of an exercise the learner's process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graders.exercise import Exercise
from graders.grader import Grader, Level
from graders.verdict import Status

pytestmark = pytest.mark.sandbox

SEARCH = (Path(__file__).parent / "escapes" / "searches_memory_for_planted_words.py").read_text()
WORD = "REFTOKEN-0123456789abcdef"

# What one program leaves, and how the next one looks for it: an expression, false where nothing is left.
LEFT = {
    "files": (
        "import os, tempfile\nopen(os.path.join(tempfile.gettempdir(), 'left'), 'w').close()",
        "'left' in __import__('os').listdir(__import__('tempfile').gettempdir())",
    ),
    "shared memory files": (
        "try:\n    open('/dev/shm/left', 'w').close()\nexcept OSError:\n    pass",
        "__import__('os').path.exists('/dev/shm/left')",
    ),
    "System V shared memory": (
        "import ctypes\nctypes.CDLL(None).shmget(4711, 4096, 0o1666)",
        "__import__('ctypes').CDLL(None).shmget(4711, 4096, 0) >= 0",
    ),
    "System V semaphores": (
        "import ctypes\nctypes.CDLL(None).semget(4712, 1, 0o1666)",
        "__import__('ctypes').CDLL(None).semget(4712, 1, 0) >= 0",
    ),
    "System V queues": (
        "import ctypes\nctypes.CDLL(None).msgget(4713, 0o1666)",
        "__import__('ctypes').CDLL(None).msgget(4713, 0) >= 0",
    ),
    "POSIX queues": (
        "import ctypes\nctypes.CDLL(None).syscall(240, b'left', 0o102, 0o666, None)",
        "__import__('ctypes').CDLL(None).syscall(240, b'left', 0, 0, None) >= 0",
    ),
    "a key ring": (
        "import ctypes\nctypes.CDLL(None).syscall(248, b'user', b'left', b'x', 1, -4)",
        "__import__('ctypes').CDLL(None).syscall(249, b'user', b'left', None, -4) >= 0",
    ),
    "changed libraries": (
        "import torch, builtins, json\ntorch.zzz = builtins.zzz = json.zzz = 1\ntorch.Tensor.backward = None",
        "hasattr(torch, 'zzz') or hasattr(__builtins__, 'zzz') or torch.Tensor.backward is None",
    ),
    "settings of torch": (
        "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)",
        "torch.get_default_dtype() != torch.float32 or not torch.is_grad_enabled()",
    ),
    "the environment": ("import os\nos.environ['LEFT'] = '1'", "'LEFT' in __import__('os').environ"),
    "processes": (
        "import os, time\nif os.fork() == 0:\n    time.sleep(30)",
        "len([pid for pid in range(2, 200) if _alive(pid)])",
    ),
}


@pytest.mark.parametrize("what", LEFT)
def test_what_one_program_leaves_is_not_there_for_the_next(what: str, grader: Grader) -> None:
    leave, look = LEFT[what]
    if what == "processes" and grader.level is not Level.FULL:
        pytest.skip("where there are no namespaces no process can be started at all")
    head = (
        "import os, torch\ndef _alive(pid):\n    try:\n        os.kill(pid, 0)\n        return True\n"
        "    except OSError:\n        return False\n"
    )
    assert grader.run(leave).status is Status.PASSED
    assert grader.run(f"{head}print(bool({look}))").output.stdout == "False\n"


def test_random_numbers_are_new_for_each_program(grader: Grader) -> None:
    source = "import random, torch, numpy\nprint(random.random(), torch.rand(1).item(), numpy.random.rand())"
    seen = [grader.run(source).output.stdout.split() for _ in range(4)]
    for kind in zip(*seen, strict=True):
        assert len(set(kind)) == 4


def test_a_search_through_memory_finds_what_is_there(grader: Grader) -> None:
    """Or else the next test shows nothing."""
    planted = f"held = [bytes({WORD.encode()!r}) + bytes(9) for _ in range(3)]\n"
    report = grader.run(planted + SEARCH)
    assert f"ESCAPED: found {WORD.encode()!r}" in report.output.stdout, report


def test_nothing_of_an_exercise_or_of_another_learner_lies_in_a_learners_memory(
    grader: Grader, branch_gradient: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIZAPP_PLANTED", WORD)
    exercise = replace(
        branch_gradient,
        solution=f"PLANTED = {WORD!r}\n{branch_gradient.solution}",
        checks=f"PLANTED = {WORD!r}\n{branch_gradient.checks}",
    )
    for _ in range(4):  # so that jails are made while another learner's code and the checks are about
        earlier = f"PLANTED = {WORD!r}\nprint(PLANTED)\n{branch_gradient.solution}"
        assert grader.grade(exercise, earlier).status is Status.PASSED

    verdict = grader.grade(exercise, SEARCH)

    assert "searched" in verdict.output.stdout, verdict
    assert int(verdict.output.stdout.split("searched ")[1].split()[0]) > 50
    assert WORD not in repr(verdict.to_json())
