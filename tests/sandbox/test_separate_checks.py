"""Each check is decided by itself: one that hangs or ends a process does not take the others with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.exercise import Exercise, Limits, Replace, WrongAnswer
from graders.grader import Grader
from graders.learner_side import MAX_RESTARTS
from graders.proving import prove_exercise
from graders.verdict import CheckStatus, Status, Verdict

pytestmark = pytest.mark.sandbox

CHECKS = """
import os, time
from graders.checks import check

@check("first")
def first(answer):
    assert answer.call("f", 1) == 1

@check("second")
def second(answer):
    {second}

@check("third")
def third(answer):
    assert answer.call("f", 3) == 3
"""
RIGHT = "def f(x):\n    return x\n"


@pytest.fixture(scope="module")
def plain(branch_gradient: Exercise) -> Exercise:
    return replace(
        branch_gradient,
        expects=(),
        starter="",
        solution=RIGHT,
        limits=Limits(cpu_seconds=1, wall_seconds=1.5, memory_mib=128),
    )


def statuses(verdict: Verdict) -> list[str]:
    return [check.status.value for check in verdict.checks]


def grade(
    grader: Grader, plain: Exercise, source: str, second: str = 'assert answer.call("f", 2) == 2'
) -> Verdict:
    return grader.grade(replace(plain, checks=CHECKS.format(second=second)), source)


@pytest.mark.parametrize(
    ("program", "status", "told"),
    [
        ("os._exit(3)", Status.CRASHED, "exit code 3"),
        ("time.sleep(60)", Status.TIMEOUT, "1.5 seconds"),
        ("while True: pass", Status.TIMEOUT, "seconds"),
        ("held = [bytearray(1 << 20) for _ in range(500)]; time.sleep(1)", Status.ERROR, "MemoryError"),
        ("[print('x' * 10_000) for _ in range(1000)]", Status.OUTPUT_LIMIT, "1 MiB"),
        ("os.write(3, b'\\xff' * 99)", Status.CRASHED, "connection"),
    ],
)
def test_a_call_that_ends_the_program_fails_its_own_check(
    program: str, status: Status, told: str, grader: Grader, plain: Exercise
) -> None:
    source = f"import os, time\ndef f(x):\n    if x == 2:\n        {program}\n    return x\n"

    verdict = grade(grader, plain, source)

    assert statuses(verdict) == ["passed", "error", "passed"], verdict
    assert verdict.status in (status, Status.MEMORY), verdict
    assert told in verdict.checks[1].message or verdict.status is Status.MEMORY
    assert verdict.centipoints == 200


@pytest.mark.parametrize(
    ("second", "log"),
    [
        ("os._exit(0)", "has ended (exit code 0)"),
        ("os.write(3, b'\\xff' * 99)", "no message"),
        ("while True: pass", ""),
        ("1 / 0", "ZeroDivisionError"),
        ("import ctypes; ctypes.string_at(0)", "has ended"),
    ],
)
def test_a_check_that_ends_its_process_is_broken_and_the_others_are_decided(
    second: str, log: str, grader: Grader, plain: Exercise
) -> None:
    verdict = grade(grader, plain, RIGHT, second)

    assert statuses(verdict) == ["passed", "broken", "passed"], verdict
    assert verdict.status is Status.BROKEN
    assert "not your fault" in verdict.summary
    assert "not your mistake" in verdict.checks[1].message
    assert log in verdict.author_log


def test_the_same_seed_decides_all_of_them_the_same(grader: Grader, plain: Exercise) -> None:
    source = "import os, torch\ndef f(x):\n    if x == 2: os._exit(0)\n    return int(torch.rand(1) * 1e6)\n"
    first = grade(grader, plain, source)
    again = grader.grade(
        replace(plain, checks=CHECKS.format(second='answer.call("f", 2)')), source, seed=first.seed
    )
    assert [check.got for check in again.checks] == [check.got for check in first.checks]


def test_a_program_that_ends_in_every_check_is_started_only_so_often(grader: Grader, plain: Exercise) -> None:
    checks = "from graders.checks import check\n" + "".join(
        f"@check('{number}')\ndef c{number}(answer):\n    answer.call('f')\n"
        for number in range(MAX_RESTARTS + 3)
    )
    verdict = grader.grade(replace(plain, checks=checks), "import os\ndef f(): os._exit(0)\n")
    assert verdict.status is Status.CRASHED
    assert statuses(verdict).count("error") == MAX_RESTARTS + 1
    assert statuses(verdict).count("not-run") == 2
    assert "Not decided" in verdict.checks[-1].message


def test_after_a_hang_little_time_is_left_for_all_that_follow(grader: Grader, plain: Exercise) -> None:
    checks = "from graders.checks import check\n" + "".join(
        f"@check('{number}')\ndef c{number}(answer):\n    answer.call('f')\n" for number in range(6)
    )
    verdict = grader.grade(replace(plain, checks=checks), "import time\ndef f(): time.sleep(60)\n")
    assert verdict.status is Status.TIMEOUT
    # The first meets the limit, the second uses up what is left, and nothing is left for the others.
    assert statuses(verdict)[0] == "error"
    assert set(statuses(verdict)[1:]) == {"not-run"}


ROW = Replace("another number for x", 1.0, "x", -2.0, 2.0, (0.75,), ("x.grad", "y"), 100, "")
SOLUTION = (
    "import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = x * 2\n"
    "z = y * 3 if y.item() > 1.5 else y * 4\nz.backward()\n"
)
PLANTED = (
    "import torch\nx = torch.tensor(1.0, requires_grad=True)\n"
    "x.grad = torch.tensor(6.0)\ny = torch.tensor(2.0)\n"
)


@pytest.fixture(scope="module")
def replaced(plain: Exercise) -> Exercise:
    """The course's first snippet, checked by nothing but another number in it."""
    return replace(plain, checks="", solution=SOLUTION, replaces=(ROW,))


class TestReplacedLiterals:
    """Whoever has written down the answer has nothing to say about other numbers."""

    def test_an_honest_answer_passes(self, grader: Grader, replaced: Exercise) -> None:
        for source in (SOLUTION, SOLUTION.replace("(1.0,", "( 1., ")):
            verdict = grader.grade(replaced, source)
            assert verdict.status is Status.PASSED, verdict

    def test_a_planted_one_is_told_with_which_number(self, grader: Grader, replaced: Exercise) -> None:
        verdict = grader.grade(replaced, PLANTED)
        assert verdict.status is Status.FAILED
        assert "run again with" in verdict.checks[0].message
        assert "in place of 1.0" in verdict.checks[0].message

    def test_one_that_raises_for_another_number_is_told(self, grader: Grader, replaced: Exercise) -> None:
        verdict = grader.grade(replaced, SOLUTION + "assert x.item() == 1.0, 'only for one'\n")
        assert verdict.status is Status.ERROR
        assert "run again" in verdict.checks[0].message

    def test_where_the_number_is_not_there_it_is_said(self, grader: Grader, replaced: Exercise) -> None:
        verdict = grader.grade(
            replaced, "import torch\none = 1.0\nx = torch.tensor(one, requires_grad=True)\n"
        )
        assert verdict.checks[0].status is CheckStatus.FAILED
        assert "no line that makes x holds it" in verdict.checks[0].message

    def test_a_whole_number_stays_one_and_is_never_the_one_of_the_task(
        self, grader: Grader, replaced: Exercise
    ) -> None:
        row = Replace("another n", 3, "n", 3.0, 4.0, (), ("total",), 100, "")
        counted = replace(replaced, solution="n = 3\ntotal = sum(range(n))\n", replaces=(row,))
        assert grader.grade(counted, counted.solution).status is Status.PASSED
        planted = grader.grade(counted, "n = 3\ntotal = 3\n")
        assert planted.status is Status.FAILED
        assert "run again with 4 in place of 3" in planted.checks[0].message

    def test_an_honest_answer_with_a_byte_order_mark_passes(self, grader: Grader, replaced: Exercise) -> None:
        verdict = grader.grade(replaced, "\ufeff" + SOLUTION.replace("\n", "\r\n"))
        assert verdict.status is Status.PASSED, verdict

    def test_what_was_printed_is_of_the_code_as_it_was_submitted(
        self, grader: Grader, replaced: Exercise
    ) -> None:
        verdict = grader.grade(replaced, SOLUTION + "print(x.item())\n")
        assert verdict.output.stdout == "1.0\n"

    def test_the_next_check_meets_the_code_as_it_was_submitted(
        self, grader: Grader, replaced: Exercise
    ) -> None:
        after = (
            "from graders.checks import check\n"
            "@check('x')\ndef x(answer):\n    assert answer['x'].grad == 6.0\n"
        )
        verdict = grader.grade(replace(replaced, checks=after), SOLUTION)
        assert verdict.status is Status.PASSED, verdict


def test_a_known_mistake_that_breaks_is_shown_to_its_author_by_the_proof(
    grader: Grader, plain: Exercise
) -> None:
    checks = (
        CHECKS.format(second="pass")
        + "from graders.checks import mistake\n@mistake()\ndef m():\n    nothing\n"
    )
    wrong = WrongAnswer("off.py", "def f(x):\n    return 7\n", "failed", "first", "7")
    proofs = prove_exercise(replace(plain, checks=checks, starter="f = 1\n", wrong=(wrong,)), grader)
    (off,) = [proof for proof in proofs if "off.py" in proof.proof]
    assert not off.ok
    assert "mistake m: NameError" in off.remedy


def test_a_check_that_used_up_its_time_is_told_the_limit(grader: Grader, plain: Exercise) -> None:
    verdict = grade(grader, plain, RIGHT, "while True: pass")
    assert 'check "second"' in verdict.author_log
    assert "1 seconds of processor time" in verdict.author_log or "longer than 1.5 s" in verdict.author_log
