"""What `quizapp check --junit` and `quizapp grade --junit` write: XML that every reader of JUnit's takes."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NoReturn

import pytest
from bare_grader import BareGrader
from click.testing import CliRunner
from content_tree import Tree

from graders.grader import SandboxError
from graders.verdict import CheckResult, CheckStatus, ErrorReport, Status, Verdict
from quizapp.catalogue.check import check
from quizapp.cli import main
from quizapp.grading.command import cases
from quizapp.junit import Case, ReportError, write

# Of each element, in the schema of Jenkins's xUnit plugin: what it may hold and which attributes it may have.
SCHEMA = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "disabled", "errors"}),
    "testsuite": (
        {"properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package"},
    ),
    "properties": ({"property"}, set()),
    "property": (set(), {"name", "value"}),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name", "classname", "time", "assertions", "status"},
    ),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), {"type", "message"}),
    "system-out": (set(), set()),
}


def read(file: Path) -> ET.Element:
    """The one suite of a report that is valid and counts right."""
    root = ET.parse(file).getroot()
    for element in root.iter():
        children, attributes = SCHEMA[element.tag]
        assert {child.tag for child in element} <= children, element.tag
        assert set(element.attrib) <= attributes, element.tag
    [suite] = root
    for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.get(count) == str(len(suite.findall(f"testcase/{tag}")))
    assert suite.get("tests") == str(len(suite.findall("testcase")))
    return suite


def ends(suite: ET.Element) -> dict[str, list[str]]:
    return {case.get("name", ""): [child.tag for child in case] for case in suite.iter("testcase")}


class TestAReport:
    def test_says_how_each_case_ended_and_how_long_it_took(self, tmp_path: Path) -> None:
        write(
            tmp_path / "deep" / "report.xml",
            "all",
            [
                Case("one", "passes", 0.25),
                Case("one", "fails", 0.5, "failure", "proof", "not so", "what\nwas seen"),
                Case("two", "breaks", 0, "error", "sandbox", "no"),
                Case("two", "waits", 0, "skipped", message="later"),
            ],
            properties={"seed": "0"},
            output="printed",
        )
        suite = read(tmp_path / "deep" / "report.xml")
        assert ends(suite) == {"passes": [], "fails": ["failure"], "breaks": ["error"], "waits": ["skipped"]}
        assert (suite.get("time"), suite[1].get("time"), suite[1].get("classname")) == (
            "0.750",
            "0.250",
            "one",
        )
        failure = suite.find("testcase/failure")
        assert failure is not None
        assert (failure.attrib, failure.text) == ({"message": "not so", "type": "proof"}, "what\nwas seen")
        assert suite.findtext("system-out") == "printed"

    @pytest.mark.parametrize(
        ("sign", "spelled"),
        [("\x00", r"\x00"), ("\x1b", r"\x1b"), ("\ufffe", r"\ufffe"), ("\ud800", r"\ud800"), ("\r", r"\r")],
    )
    def test_spells_what_xml_cannot_hold(self, tmp_path: Path, sign: str, spelled: str) -> None:
        text = f'<a> & {sign} "]]>'
        case = Case(text, text, 0, "failure", "proof", text, text)
        write(tmp_path / "report.xml", "all", [case], properties={"seed": text}, output=text)
        suite = read(tmp_path / "report.xml")
        failure = suite.find("testcase/failure")
        assert failure is not None
        expected = text.replace(sign, spelled)
        assert [failure.text, failure.get("message"), suite.findtext("system-out")] == [expected] * 3

    def test_that_cannot_be_written_is_told_in_a_line(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(ReportError, match=r"the report .*report\.xml cannot be written"):
            write(tmp_path / "file" / "report.xml", "all", [])


class TestChecking:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Tree:
        return Tree(tmp_path / "exercises")

    def test_reports_every_proof_and_every_problem(self, tree: Tree, tmp_path: Path) -> None:
        tree.change("branch/solution.py", (tree.topic / "branch/solution.py").read_text(), "x = 7\n")
        tree.write("stray.txt", "?")
        out = io.StringIO()
        file = tmp_path / "report.xml"
        assert check(tree.root, as_json=False, grader_factory=BareGrader, out=out, junit=file) == 1
        suite = read(file)
        found = ends(suite)
        assert found["solution.py passes, seed 1"] == ["failure"]
        assert found["starter.py does not pass"] == []
        assert found["is not part of the topic"] == ["failure"]
        assert f"{len(suite.findall('testcase')) - 1} proofs" in out.getvalue()
        messages = [failure.get("message", "") for failure in suite.iter("failure")]
        assert any(message.startswith("mend solution.py or the checks") for message in messages)
        assert all(message and "\n" not in message for message in messages)

    def test_reports_an_error_where_there_is_no_sandbox(self, tree: Tree, tmp_path: Path) -> None:
        def refuse() -> NoReturn:
            raise SandboxError("unshare: Operation not permitted")

        file = tmp_path / "report.xml"
        with pytest.raises(SandboxError):
            check(tree.root, as_json=False, grader_factory=refuse, out=io.StringIO(), junit=file)
        suite = read(file)
        assert ends(suite) == {"the sandbox": ["error"]}

    def test_prints_no_sign_that_steers_the_terminal(self, tree: Tree, tmp_path: Path) -> None:
        raises = r"""code = 'raise ValueError("\x1b[2J\x07")'"""
        tree.change("practice.toml", 'code = "print(1)"', raises)
        out = io.StringIO()
        assert check(tree.root, as_json=False, verbose=True, grader_factory=BareGrader, out=out) == 1
        assert "\x1b" not in out.getvalue()
        assert r"\x1b[2J\x07" in out.getvalue()


class TestGrading:
    def test_reports_each_check(self) -> None:
        checks = (
            CheckResult("y is 2.0", CheckStatus.PASSED, 50, 50),
            CheckResult("x stays", CheckStatus.FAILED, 0, 50, "x has changed.", "3.0", "1.0", "Copy it."),
            CheckResult("z", CheckStatus.BROKEN, 0, 50, "Not your fault."),
            CheckResult("w", CheckStatus.NOT_RUN, 0, 50, "It was not reached."),
        )
        found = cases("double", Verdict(Status.FAILED, "1 of 4 checks pass.", checks=checks))
        assert [(case.name, case.end) for case in found] == [
            ("y is 2.0", "passed"),
            ("x stays", "failure"),
            ("z", "error"),
            ("w", "skipped"),
        ]
        assert found[1].message == "x has changed."
        assert "expected: 1.0" in found[1].details

    @pytest.mark.parametrize("status", [status for status in Status if status is not Status.PASSED])
    def test_never_looks_as_if_the_answer_had_passed(self, status: Status) -> None:
        not_run = CheckResult("y is 2.0", CheckStatus.NOT_RUN, 0, 50, "It was not reached.")
        for checks in ((), (not_run,)):
            found = cases("double", Verdict(status, "It ended.", checks=checks))
            no_verdict = status in {Status.NOT_GRADABLE, Status.STOPPED, Status.BROKEN, Status.FAULT}
            assert (found[0].name, found[0].message) == ("the answer", "It ended.")
            assert found[0].end == ("error" if no_verdict else "failure")

    def test_tells_the_error_that_the_answer_raised(self) -> None:
        error = ErrorReport("ValueError", "no", line=3)
        [case] = cases("double", Verdict(Status.ERROR, "Your code stopped.", error=error))
        assert case.details == "line 3: ValueError: no"

    def test_an_answer_that_cannot_be_read_is_an_error(self, content: Path, tmp_path: Path) -> None:
        file = tmp_path / "report.xml"
        arguments = ("grade", "double", str(tmp_path / "none.py"), "--exercises", str(content))
        assert CliRunner().invoke(main, (*arguments, "--junit", str(file))).exit_code == 2
        assert ends(read(file)) == {"the answer": ["error"]}
        (tmp_path / "folder").write_text("")
        refused = CliRunner().invoke(main, (*arguments, "--junit", str(tmp_path / "folder" / "r.xml")))
        assert refused.exit_code == 2
        assert "cannot be written (" in refused.stderr

    @pytest.mark.sandbox
    def test_an_answer_is_graded_and_reported(self, content: Path, tmp_path: Path) -> None:
        file = tmp_path / "report.xml"
        arguments = ("grade", "double", "-", "--exercises", str(content), "--junit", str(file))
        graded = CliRunner().invoke(main, arguments, input="x = 1.0\ny = 3.0\nprint('\\x1b')\n")
        assert graded.exit_code == 1, graded.output
        suite = read(file)
        assert ends(suite) == {"y is 2.0": ["failure"]}
        assert suite.findtext("system-out") == "\\x1b\n"
        properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
        assert (properties["status"], properties["points"], properties["maximum"]) == ("failed", "0", "1")
