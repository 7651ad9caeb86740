"""Exercises as tests of pytest, in projects of their own and without a jail."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bare_grader import BareGrader

from graders.grader import SandboxError
from graders.verdict import Status, Verdict

pytest_plugins = ["pytester"]

EXERCISE = {
    "item.toml": (
        'id = "double"\ntitle = "Double it"\ndifficulty = "easy"\nexplanation = "Twice."\n'
        '[[expect]]\nname = "y is 2.0"\nexpect = "y == 2.0"\n'
    ),
    "prompt.md": "Make `y` twice `x`.\n",
    "starter.py": "x = 1.0\ny = 0.0\n",
    "solution.py": "x = 1.0\ny = 2 * x\n",
    "wrong/test_adds.py": '# expect: failed, "y is 2.0", "x is 1.0"\nx = 1.0\ny = 3.0\n',
}
PROOFS = [
    "solution[1]",
    "solution[2]",
    "solution[3]",
    "solution[backwards]",
    "solution[2 threads]",
    "starter",
    "wrong/test_adds.py",
    "mutants",
]

Project = Callable[..., Path]
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def exercise(pytester: pytest.Pytester) -> Project:
    """Writes an exercise into the project: the right one, with the files that are named changed."""

    def write(name: str = "course/double", **changes: str) -> Path:
        folder = pytester.path / name
        for file, text in {
            **EXERCISE,
            **{key.replace("_toml", ".toml"): changes[key] for key in changes},
        }.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        return folder

    return write


@pytest.fixture
def graders(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BareGrader]]:
    """The graders that were started; none of them has a jail."""
    started: list[BareGrader] = []

    class Bare(BareGrader):
        def __init__(self, slots: int) -> None:
            super().__init__()
            started.append(self)

        def close(self) -> None:
            self.started -= 1

    monkeypatch.setattr("graders.grader.Grader", Bare)
    yield started
    assert [one.started for one in started] == [-1] * len(started), "a grader was not closed, or twice"


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest on the project, with no plugin but ours."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def runs(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(
            "-p", "graders.pytest_plugin", "-p", "no:cacheprovider", *arguments
        )

    return runs


def names(result: pytest.RunResult) -> list[str]:
    """The tests of a verbose run, in order."""
    rows = [line for line in result.outlines if "::" in line and "%]" in line]
    return [row.split("::", 1)[1].split(" PASSED")[0] for row in rows]


class TestAnExercise:
    def test_is_a_test_for_each_of_its_proofs(
        self, exercise: Project, graders: list[BareGrader], run: Run
    ) -> None:
        exercise()
        exercise("course/again")
        result = run("-v")
        result.assert_outcomes(passed=2 * len(PROOFS))
        assert names(result) == 2 * PROOFS
        assert len(graders) == 1

    def test_can_be_chosen_by_its_path_and_proofs_by_their_names(
        self, exercise: Project, graders: list[BareGrader], run: Run
    ) -> None:
        exercise()
        run("course/double/item.toml::starter").assert_outcomes(passed=1)
        run("course/double/item.toml::wrong/test_adds.py").assert_outcomes(passed=1)
        run("course/double", "-k", "solution").assert_outcomes(passed=5, deselected=3)

    def test_that_does_not_hold_says_what_was_seen_and_what_to_do(
        self, exercise: Project, graders: list[BareGrader], run: Run
    ) -> None:
        folder = exercise()
        (folder / "starter.py").write_text(EXERCISE["solution.py"])
        result = run()
        result.assert_outcomes(passed=7, failed=1)
        result.stdout.fnmatch_lines(
            [
                "course/double/starter.py: not so: starter.py does not pass",
                "  seen: passed, 1 of 1",
                "    take the answer out of starter.py, or check more",
                "FAILED course/double/item.toml::starter*",
            ]
        )
        for inner in ("pytest_plugin", "Traceback"):
            assert inner not in result.stdout.str()

    def test_that_is_faulty_is_one_failed_test_with_the_line_that_names_the_fault(
        self, exercise: Project, graders: list[BareGrader], run: Run
    ) -> None:
        exercise(item_toml=EXERCISE["item.toml"].replace("easy", "eassy"))
        result = run()
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["course/double/item.toml:3: difficulty*eassy*"])
        assert "pytest_plugin" not in result.stdout.str()
        assert graders == []

    def test_cannot_move_the_cursor_of_the_terminal(
        self, exercise: Project, graders: list[BareGrader], run: Run
    ) -> None:
        folder = exercise()
        (folder / "solution.py").write_text('raise ValueError("\\x1b[2Jpassed")\n')
        result = run()
        result.assert_outcomes(passed=3, failed=5)
        assert "\x1b" not in result.stdout.str()
        assert r"\x1b[2Jpassed" in result.stdout.str()

    def test_whose_check_breaks_on_the_solution_says_so_once(
        self, exercise: Project, graders: list[BareGrader], run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = 'item.toml:6: check "y is 2.0": NameError: nmae; mend it\nTraceback (most recent call last):\n'
        broken = Verdict(Status.BROKEN, "Not your fault.", author_log=log)
        monkeypatch.setattr(BareGrader, "grade", lambda *_arguments, **_options: broken)
        exercise()
        result = run()
        result.assert_outcomes(failed=1, skipped=7)
        result.stdout.fnmatch_lines(
            ['    course/double/item.toml:6: check "y is 2.0": NameError: nmae; mend it']
        )
        assert "Traceback" not in result.stdout.str()
        assert "Traceback" in run("-v").stdout.str()

    def test_is_shared_among_processes(self, pytester: pytest.Pytester, exercise: Project) -> None:
        exercise()
        (pytester.path / "conftest.py").write_text(
            f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\n"
            "import graders.grader\nfrom bare_grader import BareGrader\n"
            "class Bare(BareGrader):\n"
            "    def __init__(self, slots): super().__init__()\n"
            "    def close(self): pass\n"
            "graders.grader.Grader = Bare\n"
        )
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "graders.pytest_plugin", "-p", "xdist", "-n", "2", "-q"],
            cwd=pytester.path,
            env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "8 passed" in done.stdout, done.stdout + done.stderr


class TestAMachineWithoutASandbox:
    @pytest.fixture(autouse=True)
    def no_sandbox(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        tried: list[int] = []

        def refuse(**_options: Any) -> None:
            tried.append(1)
            raise SandboxError("unshare: Operation not permitted")

        monkeypatch.setattr("graders.grader.Grader", refuse)
        return tried

    def test_gives_an_error_for_each_proof_and_says_what_to_do(
        self, exercise: Project, run: Run, no_sandbox: list[int]
    ) -> None:
        exercise()
        result = run()
        result.assert_outcomes(errors=len(PROOFS))
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.stdout.fnmatch_lines(
            ["Nothing can be graded on this machine: unshare: Operation not permitted. Run `quizapp doctor`*"]
        )
        assert "pytest_plugin" not in result.stdout.str()
        assert len(no_sandbox) == 1

    def test_gives_an_error_to_a_test_that_grades(self, pytester: pytest.Pytester, run: Run) -> None:
        pytester.makepyfile("def test_it(grade):\n    pass")
        result = run()
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["Nothing can be graded on this machine*"])


class TestATestOfOnesOwn:
    def test_grades_an_answer(
        self, pytester: pytest.Pytester, exercise: Project, graders: list[BareGrader], run: Run
    ) -> None:
        exercise()
        pytester.makepyfile(
            """
            def test_adding(grade):
                assert grade("course/double", "x = 1.0\\ny = 3.0").status == "failed"

            def test_doubling(grade):
                verdict = grade("course/double", "x = 1.0\\ny = x + x", seed="0" * 32)
                assert verdict.status == "passed"
                assert verdict.centipoints == 100
            """
        )
        run("--no-exercises").assert_outcomes(passed=2)
        assert len(graders) == 1
        assert graders[0].seeds[1] == "0" * 32

    def test_fails_on_a_faulty_exercise(
        self, pytester: pytest.Pytester, graders: list[BareGrader], run: Run
    ) -> None:
        pytester.makepyfile("def test_it(grade):\n    grade('nowhere', 'x = 1')")
        result = run()
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["nowhere: is no folder; name the folder that holds item.toml"])

    def test_fails_when_the_grader_does_even_if_it_expects_no_pass(
        self,
        pytester: pytest.Pytester,
        exercise: Project,
        graders: list[BareGrader],
        run: Run,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        fault = Verdict(Status.FAULT, "The grader itself failed.", author_log="fork: no memory")
        monkeypatch.setattr(BareGrader, "grade", lambda *_arguments, **_options: fault)
        exercise()
        pytester.makepyfile(
            "def test_it(grade):\n    assert grade('course/double', 'x = 1').status != 'passed'"
        )
        result = run("--no-exercises")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["This answer was not graded*", "fork: no memory"])


class TestOtherProjects:
    def test_nothing_of_an_exercise_is_imported_by_pytest(
        self, exercise: Project, graders: list[BareGrader], run: Run
    ) -> None:
        folder = exercise()
        (folder / "wrong" / "test_adds.py").write_text(
            '# expect: error, "boom"\nraise RuntimeError("boom")\n'
        )
        run("-o", "python_files=*.py", "--doctest-modules").assert_outcomes(passed=len(PROOFS))

    @pytest.mark.parametrize("off", [["--no-exercises"], ["-o", "quizapp_exercises=false"]])
    def test_exercises_can_be_switched_off(
        self, exercise: Project, graders: list[BareGrader], run: Run, off: list[str]
    ) -> None:
        folder = exercise()
        (folder / "wrong" / "test_adds.py").unlink()
        assert run(*off).ret == pytest.ExitCode.NO_TESTS_COLLECTED
        assert graders == []

    def test_a_file_of_that_name_without_an_exercise_is_none_of_ours(
        self, pytester: pytest.Pytester, graders: list[BareGrader], run: Run
    ) -> None:
        pytester.makefile(".toml", item="sword = 1")
        pytester.makepyfile(test_sword="def test_it():\n    pass")
        run().assert_outcomes(passed=1)
        assert graders == []

    def test_without_exercises_neither_torch_nor_the_grader_is_even_imported(
        self, pytester: pytest.Pytester
    ) -> None:
        pytester.makepyfile(
            """
            import sys

            def test_it():
                assert "graders.pytest_plugin" in sys.modules
                assert not {"torch", "pydantic", "graders.grader", "graders.exercise"} & set(sys.modules)
            """
        )
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "graders.pytest_plugin", "-q"],
            cwd=pytester.path,
            env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "1 passed" in done.stdout, done.stdout + done.stderr
