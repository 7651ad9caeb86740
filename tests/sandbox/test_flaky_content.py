"""Content that holds only sometimes does not hold: other seeds, threads and orders of checks find it out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.exercise import Exercise, WrongAnswer
from graders.grader import Grader
from graders.proving import Claim, Proof, prove_claim, prove_exercise
from graders.proving.exercises import with_threads
from graders.verdict import RunReport

pytestmark = pytest.mark.sandbox

HEAD = "from graders.checks import check, close\n\n"
DRAWS = HEAD + (
    '@check("it doubles")\ndef doubles(answer, draw):\n'
    "    x = draw.floats(1, 2, n=1)[0]\n"
    '    assert close(answer.call("double", x), 2 * x)\n'
)
RIGHT = "def double(x):\n    return 2 * x\n"


@pytest.fixture
def exercise(branch_gradient: Exercise) -> Exercise:
    return replace(
        branch_gradient,
        expects=(),
        replaces=(),
        excuses=(),
        starter="def double(x):\n    return x\n",
        solution=RIGHT,
        checks=DRAWS,
        wrong=(),
    )


def failed(exercise: Exercise, grader: Grader) -> dict[str, Proof]:
    return {proof.proof: proof for proof in prove_exercise(exercise, grader) if not proof.ok}


def test_what_always_holds_does(exercise: Exercise, grader: Grader) -> None:
    assert failed(exercise, grader) == {}


def test_a_check_that_leans_on_another_one_is_found(exercise: Exercise, grader: Grader) -> None:
    leans = DRAWS + (
        "    seen.append(x)\n\nseen = []\n\n"
        '@check("it doubled")\ndef doubled(answer):\n'
        '    assert close(answer.call("double", seen[0]), 2 * seen[0])\n'
    )
    (name,) = failed(replace(exercise, checks=leans), grader)
    assert name == "solution.py passes, checks last to first"


def test_a_solution_for_one_thread_only_is_found(exercise: Exercise, grader: Grader) -> None:
    narrow = 'import torch\n\ndef double(x):\n    """Twice."""\n    return 2 * x / torch.get_num_threads()\n'
    (name,) = failed(replace(exercise, solution=narrow), grader)
    assert name == "solution.py passes, 2 threads"


def test_a_solution_that_passes_by_luck_is_found(exercise: Exercise, grader: Grader) -> None:
    lucky = (
        "import random\nLUCK = random.getrandbits(9)\n\ndef double(x):\n    return 2 * x * (LUCK % 5 > 1)\n"
    )
    found = failed(replace(exercise, solution=lucky), grader)
    seeds = [name for name in found if "seed" in name]
    assert 0 < len(seeds) < 3


def test_a_wrong_answer_that_is_found_by_luck_is_found(exercise: Exercise, grader: Grader) -> None:
    always = WrongAnswer("adds.py", "def double(x):\n    return 2 + x\n", "failed", "it doubles", "expected")
    assert failed(replace(exercise, wrong=(always,)), grader) == {}
    often = replace(
        always,
        source="import random\nN = random.getrandbits(9)\ndef double(x):\n    return x * (1 + (N < 400))\n",
    )
    proof = failed(replace(exercise, wrong=(often,)), grader)["wrong/adds.py: failed"]
    assert "it ended as passed" in proof.remedy or "let no check depend on luck" in proof.remedy


def test_a_claim_that_holds_in_one_run_of_two_is_found(grader: Grader) -> None:
    class Alternating:
        """Runs a program in which `TURN` is 1, then 2."""

        def __init__(self) -> None:
            self.turn = 0

        def run(self, source: str) -> RunReport:
            self.turn += 1
            return grader.run(source.replace("TURN", str(self.turn)))

        grade = grader.grade

    assert prove_claim("item", "proof", Claim("print(1 + 1)", prints="2"), grader).ok
    proof = prove_claim("item", "proof", Claim("print(TURN)", prints="1"), Alternating())
    assert proof.remedy == 'only sometimes: it prints "2", not "1"; set a seed, or claim less'


def test_the_number_of_threads_is_set_after_what_must_come_first() -> None:
    source = '"""Doc."""\nfrom __future__ import annotations\n\nx = 1\n'
    assert with_threads(source, 2) == (
        '"""Doc."""\nfrom __future__ import annotations\n\nimport torch; torch.set_num_threads(2)\nx = 1\n'
    )
