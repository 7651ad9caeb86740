"""`quizapp grade`: exit codes, the JSON, and the words for a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from graders.verdict import CheckResult, CheckStatus, ErrorReport, Output, Status, Verdict
from quizapp.cli import main
from quizapp.grading.command import as_plain, exit_code, in_words

VERDICT = Verdict(
    Status.FAILED,
    "1 of 2 checks pass.",
    centipoints=50,
    max_centipoints=250,
    checks=(
        CheckResult("y is 2.0", CheckStatus.PASSED, 50, 50),
        CheckResult(
            "x stays",
            CheckStatus.FAILED,
            0,
            200,
            message="x has changed.",
            got="3.0",
            expected="1.0",
            hint="Copy it.",
        ),
    ),
    seed="0" * 32,
    milliseconds=12.4,
    output=Output(stdout="hello\n", stdout_cut=7),
)


def grade(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, ("grade", *arguments), input=typed)


class TestExitCodes:
    @pytest.mark.parametrize("status", list(Status))
    def test_passed_not_passed_and_not_graded_are_told_apart(self, status: Status) -> None:
        not_graded = {Status.NOT_GRADABLE, Status.STOPPED, Status.BROKEN, Status.FAULT}
        expected = 0 if status is Status.PASSED else 2 if status in not_graded else 1
        assert exit_code(status) == expected


class TestJson:
    def test_it_has_points_and_not_hundredths(self) -> None:
        plain = json.loads(json.dumps(as_plain(VERDICT)))
        assert (plain["status"], plain["points"], plain["maximum"]) == ("failed", 0.5, 2.5)
        assert (plain["seed"], plain["milliseconds"]) == ("0" * 32, 12.4)
        assert [
            (check["name"], check["status"], check["points"], check["maximum"]) for check in plain["checks"]
        ] == [
            ("y is 2.0", "passed", 0.5, 0.5),
            ("x stays", "failed", 0, 2),
        ]
        assert plain["checks"][1]["message"] == "x has changed."
        assert plain["output"]["stdout"] == "hello\n"


STEERING = "\x1b[2J\x1b[H\r\x9b1mpassed\u202e\x07"
SPELLED = r"\x1b[2J\x1b[H\r\x9b1mpassed\u202e\x07"


class TestTextsThatSteerATerminal:
    VERDICT = Verdict(
        Status.FAILED,
        f"a {STEERING}",
        checks=(
            CheckResult(
                f"b {STEERING}", CheckStatus.FAILED, 0, 100, f"c {STEERING}", f"d {STEERING}", f"e {STEERING}"
            ),
        ),
        output=Output(stdout=f"f {STEERING}\n\tg", stderr=f"h {STEERING}"),
        error=ErrorReport(type="ValueError", message=f"i {STEERING}", line=1),
    )

    def test_are_spelled_in_words(self) -> None:
        words = click.unstyle("\n".join(in_words(f"j {STEERING}", self.VERDICT)))
        assert not set(STEERING) - set("[2JH1mpassed") & set(words)
        for letter in "abcdefhij":
            assert f"{letter} {SPELLED}" in words
        assert "\n  \tg" in words

    def test_are_exact_in_json(self) -> None:
        plain = json.loads(json.dumps(as_plain(self.VERDICT)))
        assert plain["output"]["stdout"] == f"f {STEERING}\n\tg"


class TestWords:
    def test_a_failed_check_says_got_expected_and_what_next(self) -> None:
        words = click.unstyle("\n".join(in_words("Double it", VERDICT)))
        assert words.startswith("Double it: failed, 0.5 of 2.5 points\n1 of 2 checks pass.")
        assert "  passed  y is 2.0  (0.5 of 0.5)" in words
        for line in ("x has changed.", "got:      3.0", "expected: 1.0", "next:     Copy it."):
            assert f"\n      {line}" in words
        assert "It printed:\n  hello\n  … and 7 bytes more, which were not kept" in words
        assert f"--seed {'0' * 32}" in words

    def test_a_check_that_broke_is_one_line_with_file_and_line(self) -> None:
        log = 'checks.py:3: check "it": NameError: name; mend\nTraceback (most recent\n'
        verdict = Verdict(Status.BROKEN, "Not your fault.", author_log=log)
        words = click.unstyle("\n".join(in_words("It", verdict, folder="a/b")))
        assert '  a/b/checks.py:3: check "it": NameError: name; mend' in words
        assert "Not your fault" not in words
        assert "Traceback (most" not in words
        assert "Traceback (most" in "\n".join(in_words("It", verdict, verbose=True))

    def test_where_nothing_could_be_graded_there_are_no_points(self) -> None:
        words = click.unstyle("\n".join(in_words("Double it", Verdict(Status.NOT_GRADABLE, "Unchanged."))))
        assert words == "Double it: not-gradable\nUnchanged."


class TestWhatCannotBeGraded:
    def test_an_unknown_exercise_lists_those_there_are(self, content: Path) -> None:
        refused = grade("nothing", "-", "--exercises", str(content), typed="x = 1")
        assert refused.exit_code == 2
        assert "'nothing' is neither a folder nor an exercise" in refused.stderr
        assert "There are: double." in refused.stderr

    def test_a_file_that_is_not_there_or_not_text(self, content: Path, tmp_path: Path) -> None:
        refused = grade("double", str(tmp_path / "none.py"), "--exercises", str(content))
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "none.py cannot be read (No such file or directory)" in refused.stderr
        refused = grade("double", str(tmp_path / "none.py"), "--exercises", str(content), "--json")
        assert json.loads(refused.stdout)["status"] == "not-gradable"
        (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
        refused = grade("double", str(tmp_path / "latin.py"), "--exercises", str(content))
        assert refused.exit_code == 2
        assert "latin.py is not UTF-8 at byte 6" in refused.stderr

    def test_a_faulty_exercise_is_its_authors_fault(self, content: Path) -> None:
        (content / "tiny" / "double" / "solution.py").unlink()
        broken = grade("double", "-", "--json", "--exercises", str(content), typed="x = 1")
        assert broken.exit_code == 2
        verdict = json.loads(broken.stdout)
        assert verdict["status"] == "broken"
        assert "solution.py" in verdict["summary"]

    def test_a_seed_of_another_form_is_refused(self, content: Path) -> None:
        refused = grade("double", "-", "--seed", "12", "--exercises", str(content), typed="x = 1")
        assert refused.exit_code == 2
        assert "32 hexadecimal digits" in refused.stderr


@pytest.mark.sandbox
class TestGrading:
    def test_by_id_from_standard_input_and_by_folder_from_a_file(self, content: Path, tmp_path: Path) -> None:
        passed = grade("double", "-", "--json", "--exercises", str(content), typed="x = 1.0\ny = x + x\n")
        assert passed.exit_code == 0, passed.output
        assert json.loads(passed.stdout)["points"] == json.loads(passed.stdout)["maximum"] == 1
        (tmp_path / "answer.py").write_text("x = 1.0\ny = 3.0\n")
        failed = grade(str(content / "tiny" / "double"), str(tmp_path / "answer.py"))
        assert failed.exit_code == 1
        assert "Double it: failed, 0 of 1 points" in failed.stdout
