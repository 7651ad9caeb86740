"""Proofs hold for what is true, and for nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bare_grader import BareGrader

from graders.exercise import Exercise, Expect, Limits, WrongAnswer
from graders.proving import Claim, Proof, prove_claim, prove_exercise
from graders.verdict import Status, Verdict

EXERCISE = Exercise(
    id="two",
    title="Two",
    difficulty="easy",
    concepts=(),
    limits=Limits(),
    prompt="Make x two.",
    starter="x = 1\n",
    solution="x = 2\n",
    checks="",
    expects=(Expect("x is 2", "x == 2", 100, "Write 2."), Expect("x is even", "x % 2 == 0", 100, "")),
    hints=(),
    mistakes=(),
    errata=(),
    explanation="Two.",
    wrong=(
        WrongAnswer("four.py", "x = 4\n", "failed", "x is 2", "x is 4"),
        WrongAnswer("raises.py", "x = 1 / 0\n", "error", None, "division by zero"),
    ),
)


def failed(exercise: Exercise) -> list[Proof]:
    return [proof for proof in prove_exercise(exercise, BareGrader()) if not proof.ok]


def wrong(**changes: str | None) -> Exercise:
    return replace(EXERCISE, wrong=(replace(EXERCISE.wrong[0], **changes),))  # type: ignore[arg-type]


class TestAnExercise:
    def test_that_is_right_proves_itself(self) -> None:
        proofs = prove_exercise(EXERCISE, BareGrader())
        assert [proof.proof for proof in proofs] == [
            "solution.py passes, seed 1",
            "solution.py passes, seed 2",
            "solution.py passes, seed 3",
            "solution.py passes, checks last to first",
            "solution.py passes, 2 threads",
            "starter.py does not pass",
            "wrong/four.py: failed",
            "wrong/raises.py: error",
            "each check says no to something",
        ]
        assert all(proof.ok and proof.remedy == "" for proof in proofs)
        assert proofs[0].evidence == "passed, 2 of 2"
        assert proofs[6].evidence == "x is 4"

    def test_is_graded_with_seeds_that_differ_and_repeat(self) -> None:
        graders = [BareGrader(), BareGrader()]
        for grader in graders:
            prove_exercise(EXERCISE, grader)
        assert graders[0].seeds == graders[1].seeds
        assert len(set(graders[0].seeds[:3])) == 3
        assert all(len(seed or "") == 32 and int(seed or "", 16) for seed in graders[0].seeds)

    def test_whose_solution_fails_is_told_why(self) -> None:
        found = failed(replace(EXERCISE, solution="x = 6\n"))
        assert [proof.proof for proof in found] == [
            *(f"solution.py passes, seed {n}" for n in (1, 2, 3)),
            "solution.py passes, checks last to first",
            "solution.py passes, 2 threads",
        ]
        assert "x is 6" in found[0].remedy

    def test_whose_points_do_not_add_up_is_told(self) -> None:
        class Generous(BareGrader):
            def grade(self, *args: object, **options: object) -> Verdict:
                verdict = super().grade(*args, **options)  # type: ignore[arg-type]
                return replace(
                    verdict,
                    centipoints=verdict.centipoints + 1,
                    max_centipoints=verdict.max_centipoints + 1,
                )

        proof = prove_exercise(EXERCISE, Generous())[0]
        assert not proof.ok
        assert "worth 2 by their heads" in proof.remedy

    def test_whose_starter_passes_is_told_although_unchanged_code_is_usually_not_graded(self) -> None:
        proof, _ = failed(replace(EXERCISE, starter="x = 2\n"))
        assert proof.proof == "starter.py does not pass"
        assert "take the answer out of starter.py" in proof.remedy

    def test_with_a_check_that_says_no_to_nothing_is_told(self) -> None:
        (proof,) = failed(replace(EXERCISE, starter="x = 0\n"))
        assert proof.evidence == "1 of 2"
        assert proof.remedy.startswith('"x is even" says no to nothing; write a wrong/*.py')

    @pytest.mark.parametrize("status", [Status.BROKEN, Status.FAULT])
    def test_whose_checks_break_is_proved_by_nothing(self, status: Status) -> None:
        class Broken(BareGrader):
            def grade(self, *_args: object, **_options: object) -> Verdict:
                return Verdict(status, "could not be graded", author_log="Traceback: it was you")

        exercise = replace(EXERCISE, wrong=())
        proofs = prove_exercise(exercise, Broken())
        assert not any(proof.ok for proof in proofs)
        assert all("it was you" in proof.remedy for proof in proofs)


class TestAWrongAnswer:
    @pytest.mark.parametrize(
        ("changes", "remedy"),
        [
            ({"status": "error", "check": None}, "it ended as failed, not error"),
            ({"source": "x = 2\n"}, "it ended as passed, not failed"),
            ({"check": "x is 3"}, 'the verdict has no check "x is 3"'),
            ({"check": "x is even"}, '"x is even" passed; name the check that fails'),
            ({"says": "x is 5"}, 'nobody says "x is 5"; what is said: x is 4 | Write 2.'),
        ],
    )
    def test_that_ends_otherwise_is_told_how(self, changes: dict[str, str | None], remedy: str) -> None:
        (proof,) = failed(wrong(**changes))
        assert proof.proof.startswith("wrong/four.py")
        assert proof.remedy.startswith(remedy)

    def test_may_be_answered_by_the_hint_of_its_check(self) -> None:
        assert failed(wrong(says="Write 2.")) == []

    def test_may_not_be_answered_by_another_check(self) -> None:
        exercise = replace(wrong(source="x = 3\n", check="x is even", says="Write 2."))
        assert len(failed(exercise)) == 1


def proof_of(claim: Claim) -> Proof:
    return prove_claim("item", "proof", claim, BareGrader())


class TestAClaimAboutCode:
    @pytest.mark.parametrize(
        "claim",
        [
            Claim("print(1)", prints="1"),
            Claim("print(1)", prints="1\n"),
            Claim("print('a')\nprint('b')", prints="a\nb"),
            Claim("pass", prints=""),
            Claim("x = 1", holds=("x == 1",)),
            Claim("1 / 0", raises="ZeroDivisionError"),
            Claim("x = 1\n1 / 0", raises="ZeroDivisionError", says="by zero", line=2, holds=("x == 1",)),
            Claim("print(0)\n1 / 0", prints="0", raises="ZeroDivisionError"),
            Claim("print(x)", before="print('no')\nx = 5", prints="5"),
            Claim("x / 0", before="x = 5", raises="ZeroDivisionError", line=1, holds=("x == 5",)),
            Claim("print(1)\n", shows="1\n"),
            Claim("print(1)\n1 / 0", shows="1\nZeroDivisionError: division by zero"),
            Claim("print('anything')", shows=None),
            Claim("from math import pi", holds=("round(pi) == 3", "pi > 3")),
        ],
    )
    def test_that_is_true_holds(self, claim: Claim) -> None:
        proof = proof_of(claim)
        assert proof.ok, proof.remedy

    @pytest.mark.parametrize(
        ("claim", "remedy"),
        [
            (Claim("print(1)", prints="2"), 'it prints "1", not "2"'),
            (Claim("print(1); print(2)", prints="1"), 'it prints "1 2", not "1"'.replace(" 2", "\\n2")),
            (Claim("print(1)", prints=" 1"), 'it prints "1", not " 1"'),
            (Claim("print(1)", prints="1", raises="ValueError"), "it does not raise ValueError"),
            (Claim("\n1 / 0", prints=""), "it raises ZeroDivisionError in line 2: division by zero"),
            (Claim("1 / 0", raises="ValueError"), "it raises ZeroDivisionError, not ValueError"),
            (Claim("1 / 0", raises="ZeroDivisionError", says="six"), 'the error does not say "six" but "div'),
            (Claim("\n1 / 0", raises="ZeroDivisionError", line=1), "it raises in line 2, not 1"),
            (Claim("x = 1", holds=("x == 1", "x == 2")), "x == 2 does not hold"),
            (Claim("x = 1", holds=("y",)), "y does not hold"),
            (
                Claim("x / 0", before="x = 5\n", raises="ZeroDivisionError", line=2),
                "it raises in line 1, not 2",
            ),
            (Claim("pass", before="1 / 0", prints=""), "the code before it does not run"),
            (Claim("print(1)", shows="2"), 'it shows "1", not "2"'),
            (Claim("1 / 0", shows="1"), 'it shows "ZeroDivisionError: division by zero", not "1"'),
            (Claim("1 / 0"), "it raises ZeroDivisionError in line 1"),
            (Claim("# OVER THE LIMIT", prints=""), "it ended as timeout: It used 2 s, the limit."),
        ],
    )
    def test_that_is_false_is_refuted_with_what_is_true(self, claim: Claim, remedy: str) -> None:
        proof = proof_of(claim)
        assert not proof.ok
        assert proof.remedy.startswith(remedy)

    def test_a_program_that_prints_true_cannot_stand_in_for_its_expressions(self) -> None:
        proof = proof_of(Claim("print(\"'True'\")\nx = 1", holds=("x == 2",)))
        assert not proof.ok

    def test_an_expression_that_raises_is_shown_as_evidence(self) -> None:
        assert proof_of(Claim("x = 1", holds=("y",))).evidence == "y: NameError: name 'y' is not defined"
