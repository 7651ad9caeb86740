"""A folder that is an exercise loads; every way not to be one is named in one line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from graders.authoring import MAX_FILE_BYTES
from graders.exercise import Exercise, ExerciseError, Limits, load_exercise

ITEM = """\
id = "branch-gradient"
title = "A gradient through a branch"
difficulty = "easy"
concepts = ["autograd"]
hints = ["Look at y."]
explanation = '''
Multiply.

[not a table]
'''

[limits]
cpu_seconds = 1.5

[[expect]]
expect = "x.grad == 6.0"
name = "x.grad is 6.0"
points = 1.2
hint = "Call backward()."

[[expect]]
expect = "z.item() == 6"
"""
CHECKS = """\
from graders.checks import check

@check("both branches", points=2, hint="try 0.5")
def both(answer, draw):
    assert answer.call("f", 0.5) == 8.0
"""
WRONG = '# expect: failed, "both branches", "it is \\"8\\""\nx = 1\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole exercise that loads."""
    folder = tmp_path / "branch-gradient"
    (folder / "wrong").mkdir(parents=True)
    (folder / "item.toml").write_text(ITEM)
    (folder / "prompt.md").write_text("Do it.\n")
    (folder / "starter.py").write_text("x = ...\n")
    (folder / "solution.py").write_text("x = 2\n")
    (folder / "checks.py").write_text(CHECKS)
    (folder / "wrong" / "constant.py").write_text(WRONG)
    return folder


def complaint(folder: Path) -> str:
    with pytest.raises(ExerciseError) as caught:
        load_exercise(folder)
    text = str(caught.value)
    assert "\n" not in text
    return text.removeprefix(f"{folder}/")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


class TestLoadingAnExercise:
    def test_everything_that_was_written_is_there(self, folder: Path) -> None:
        exercise = load_exercise(folder)
        assert exercise.id == "branch-gradient"
        assert exercise.limits == Limits(cpu_seconds=1.5)
        assert exercise.prompt == "Do it.\n"
        assert [(e.name, e.expression, e.centipoints) for e in exercise.expects] == [
            ("x.grad is 6.0", "x.grad == 6.0", 120),
            ("z.item() == 6", "z.item() == 6", 100),
        ]
        assert exercise.explanation == "Multiply.\n\n[not a table]"
        (wrong,) = exercise.wrong
        assert (wrong.filename, wrong.status, wrong.check) == ("constant.py", "failed", "both branches")
        assert wrong.says == 'it is "8"'
        assert wrong.source == WRONG

    def test_points_are_summed_over_both_kinds_of_check_without_rounding(self, folder: Path) -> None:
        assert load_exercise(folder).max_centipoints == 120 + 100 + 200

    def test_json_there_and_back_gives_the_same_exercise(self, folder: Path) -> None:
        exercise = load_exercise(folder)
        assert Exercise.from_json(json.loads(json.dumps(exercise.to_json()))) == exercise

    def test_the_same_files_in_another_folder_give_the_same_json(self, folder: Path, tmp_path: Path) -> None:
        other = tmp_path / "elsewhere"
        shutil.copytree(folder, other)
        assert load_exercise(other).to_json() == load_exercise(folder).to_json()

    def test_windows_line_ends_and_a_byte_order_mark_change_nothing(self, folder: Path) -> None:
        before = load_exercise(folder)
        for name in ("item.toml", "solution.py", "checks.py"):
            path = folder / name
            path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
        assert load_exercise(folder) == before

    def test_checks_and_wrong_answers_may_be_absent_if_something_is_expected(self, folder: Path) -> None:
        (folder / "checks.py").unlink()
        shutil.rmtree(folder / "wrong")
        exercise = load_exercise(folder)
        assert exercise.checks == ""
        assert exercise.wrong == ()

    def test_hidden_files_and_bytecode_are_passed_over(self, folder: Path) -> None:
        (folder / ".prompt.md.swp").write_text("")
        (folder / "__pycache__").mkdir()
        (folder / "wrong" / ".constant.py.swp").write_text("")
        load_exercise(folder)

    def test_it_needs_neither_torch_nor_flask(self) -> None:
        code = (
            "import sys, graders.exercise\n"
            "found = {'torch', 'flask', 'numpy', 'sqlalchemy'} & set(sys.modules)\n"
            "assert not found, found\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True)


class TestTheFilesOfAFolder:
    @pytest.mark.parametrize("name", ["item.toml", "prompt.md", "starter.py", "solution.py"])
    def test_a_missing_file_is_named(self, folder: Path, name: str) -> None:
        (folder / name).unlink()
        assert complaint(folder) == f"{name}: is missing; write it"

    def test_no_folder_at_all_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(ExerciseError, match="is no folder"):
            load_exercise(tmp_path / "nothing")

    def test_a_strange_file_is_refused_with_the_name_that_was_meant(self, folder: Path) -> None:
        (folder / "check.py").write_text("")
        assert complaint(folder) == 'check.py: does not belong to an exercise; did you mean "checks.py"?'

    def test_a_strange_file_among_the_wrong_answers_is_refused(self, folder: Path) -> None:
        (folder / "wrong" / "notes.txt").write_text("")
        assert "notes.txt: does not belong" in complaint(folder)

    def test_a_file_where_a_folder_belongs_is_refused(self, folder: Path) -> None:
        shutil.rmtree(folder / "wrong")
        (folder / "wrong").write_text("")
        assert "wrong: does not belong" in complaint(folder)

    def test_a_link_is_refused_even_if_it_leads_to_a_good_file(self, folder: Path, tmp_path: Path) -> None:
        (folder / "solution.py").rename(tmp_path / "solution.py")
        (folder / "solution.py").symlink_to(tmp_path / "solution.py")
        assert complaint(folder) == "solution.py: is a link; put the file itself here"

    def test_an_empty_solution_is_refused(self, folder: Path) -> None:
        (folder / "solution.py").write_text("\n")
        assert complaint(folder) == "solution.py: is empty; write it"

    def test_a_file_of_exactly_the_allowed_size_loads_and_one_byte_more_does_not(self, folder: Path) -> None:
        (folder / "prompt.md").write_text("x" * MAX_FILE_BYTES)
        load_exercise(folder)
        (folder / "prompt.md").write_text("x" * (MAX_FILE_BYTES + 1))
        assert "is larger than 256 KiB" in complaint(folder)

    def test_bytes_that_are_no_utf8_are_named_with_their_line(self, folder: Path) -> None:
        (folder / "prompt.md").write_bytes(b"one\ntwo \xff\n")
        assert complaint(folder).startswith("prompt.md:2: is not UTF-8 here")

    @pytest.mark.parametrize("sign", ["\u202c", "\u200b", "\ufeff", "\u2066"])
    def test_a_sign_that_nobody_can_see_is_named_with_its_line(self, folder: Path, sign: str) -> None:
        (folder / "solution.py").write_text(f"x = 1\ny = 2{sign}\n")
        assert complaint(folder).startswith(
            f"solution.py:2: holds the invisible sign U+{ord(sign):04X}; take it out"
        )


class TestItemToml:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ("hints =", "hnts =", 'item.toml:5: hnts: unknown key "hnts"; did you mean "hints"?'),
            (
                "cpu_seconds",
                "cpu_second",
                'item.toml:13: limits.cpu_second: unknown key "cpu_second"; did you mean "cpu_seconds"?',
            ),
            (
                "hint = ",
                "hnt = ",
                'item.toml:19: expect 1, hnt: unknown key "hnt"; did you mean "hint"?',
            ),
            (
                'title = "A gradient through a branch"\n',
                "",
                'item.toml: title: "title" is missing; add title = …',
            ),
            (
                '"easy"',
                '"eassy"',
                "item.toml:3: difficulty: the value is \"eassy\"; it must be 'easy', 'medium' or 'hard'",
            ),
            (
                '"branch-gradient"',
                '"Branch gradient"',
                'item.toml:1: id: "Branch gradient" is no id; use small',
            ),
            (
                "= 1.5",
                '= "1.5"',
                'item.toml:13: limits.cpu_seconds: the value is "1.5"; it must be a valid number',
            ),
            (
                "= 1.5",
                "= 60.1",
                "item.toml:13: limits.cpu_seconds: the value is 60.1; it must be less than or",
            ),
            ("= 1.5", "= 6", "item.toml:12: limits: wall_seconds 5 is less than cpu_seconds 6; give"),
            ('"Look at y."', '" "', "item.toml:5: hints 1: is blank; write it or leave the key out"),
            ("points = 1.2", "points = 1.234", "item.toml:18: expect 1, points: points is 1.234; write 0.01"),
            ("points = 1.2", "points = 0", "item.toml:18: expect 1, points: points is 0.0; write 0.01"),
            ("points = 1.2", "points = nan", "item.toml:18: expect 1, points: points is nan; write 0.01"),
            ("z.item() == 6", "z.item() ==", 'item.toml:21: expect 2: expect is "z.item() ==", which is no'),
            ("z.item() == 6", "z = 6", "item.toml:21: expect 2: expect is"),
            ('"easy"', "easy", "item.toml:3: is no TOML: Invalid value; mend the file there"),
            (
                'name = "x.grad is 6.0"',
                'name = "z.item() == 6"',
                'item.toml:21: expect 2: two checks are named "z.item() == 6"; give each its own name',
            ),
        ],
    )
    def test_a_fault_is_one_line_with_file_place_and_remedy(
        self, folder: Path, old: str, new: str, expected: str
    ) -> None:
        change(folder / "item.toml", old, new)
        assert complaint(folder).startswith(expected)

    @pytest.mark.parametrize("value", ["0.1", "60"])
    def test_a_limit_at_its_boundary_is_accepted(self, folder: Path, value: str) -> None:
        change(folder / "item.toml", "cpu_seconds = 1.5", f"cpu_seconds = {value}\nwall_seconds = 300")
        assert load_exercise(folder).limits.cpu_seconds == float(value)

    def test_an_exercise_without_any_check_is_refused(self, folder: Path) -> None:
        shutil.rmtree(folder / "wrong")
        (folder / "checks.py").unlink()
        text = (folder / "item.toml").read_text()
        (folder / "item.toml").write_text(text[: text.index("[[expect]]")])
        assert complaint(folder).startswith("item.toml: the exercise checks nothing; write checks.py")

    def test_brackets_without_end_are_a_fault_of_the_file_and_not_of_ours(self, folder: Path) -> None:
        (folder / "item.toml").write_text("a = " + "[" * 50_000)
        assert complaint(folder).startswith("item.toml: is nested too deeply")


class TestTheChecksOfAnExercise:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ('"both branches", ', "NAME, ", "checks.py:3: a check without a plain name"),
            ("points=2", "points=TWO", 'checks.py:3: check "both branches": points is no plain number'),
            ("points=2", "points=True", 'checks.py:3: check "both branches": points is no plain number'),
            ("points=2", "points=0.001", 'checks.py:3: check "both branches": points is 0.001; write 0.01'),
            ("def both", "def both(", "checks.py:4: is no Python"),
            ('"both branches"', '"x.grad is 6.0"', 'checks.py:3: two checks are named "x.grad is 6.0"'),
        ],
    )
    def test_names_and_points_must_be_readable_without_running_it(
        self, folder: Path, old: str, new: str, expected: str
    ) -> None:
        change(folder / "checks.py", old, new)
        assert complaint(folder).startswith(expected)

    def test_points_may_be_the_second_plain_value(self, folder: Path) -> None:
        change(folder / "checks.py", "points=2", "2.5")
        assert load_exercise(folder).max_centipoints == 120 + 100 + 250

    def test_a_check_without_points_is_worth_one(self, folder: Path) -> None:
        change(folder / "checks.py", ", points=2", "")
        assert load_exercise(folder).max_centipoints == 120 + 100 + 100


class TestTheFirstLineOfAWrongAnswer:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("x = 1", "the first line does not say how this answer ends"),
            ('# expect: failed "both branches", "8"', "the first line does not say how this answer ends"),
            ("# expect: timeout", "the first line does not say how this answer ends"),
            ('# expect: failed, "both branches", "8", "9"', "the first line does not say how"),
            (
                '# expect: fialed, "both branches", "8"',
                '"fialed" is no way for a wrong answer to end; did you mean "failed"?',
            ),
            (
                '# expect: passed, "both branches", "8"',
                '"passed" is no way for a wrong answer to end; known here: crashed, error',
            ),
            (
                '# expect: broken, "8"',
                '"broken" is no way for a wrong answer to end; known here: crashed, error',
            ),
            ('# expect: failed, "8"', "a failed answer must name the check that fails"),
            ('# expect: failed, "both branches", " "', "says nothing about what the learner is told"),
            (r'# expect: failed, "both branches", "\q"', "a text in the first line cannot be read"),
            (
                '# expect: failed, "both branch", "8"',
                'there is no check "both branch"; did you mean "both branches"?',
            ),
        ],
    )
    def test_another_form_is_refused(self, folder: Path, line: str, expected: str) -> None:
        (folder / "wrong" / "constant.py").write_text(line + "\n")
        assert complaint(folder).startswith(f"wrong/constant.py:1: {expected}")

    def test_an_ending_without_checks_needs_no_check_in_it(self, folder: Path) -> None:
        (folder / "wrong" / "constant.py").write_text('# expect: timeout, "2 s"\nwhile True: pass\n')
        (wrong,) = load_exercise(folder).wrong
        assert (wrong.status, wrong.check, wrong.says) == ("timeout", None, "2 s")

    def test_a_one_line_check_can_be_named_too(self, folder: Path) -> None:
        (folder / "wrong" / "constant.py").write_text('# expect: failed, "x.grad is 6.0", "x.grad"\n')
        assert load_exercise(folder).wrong[0].check == "x.grad is 6.0"


REPLACE = """
[[replace]]
literal = 2
variable = "x"
low = -3
high = 3
compare = ["x"]
"""


def test_a_literal_to_be_replaced_is_read(folder: Path) -> None:
    before = load_exercise(folder)
    (folder / "item.toml").write_text(ITEM + REPLACE)
    exercise = load_exercise(folder)
    assert exercise.replaces[0].name == "x with another number for x"
    assert exercise.max_centipoints == before.max_centipoints + 100
    assert (before.constants_only, exercise.constants_only) == (True, False)
    assert Exercise.from_json(json.loads(json.dumps(exercise.to_json()))) == exercise


def test_a_version_that_was_stored_without_the_newer_fields_is_read(folder: Path) -> None:
    data = load_exercise(folder).to_json()
    del data["replaces"], data["limits"]["disk_mib"], data["limits"]["open_files"]
    assert Exercise.from_json(data) == load_exercise(folder)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("literal = 7", "no line of solution.py that makes x has a 7"),
        ('variable = "y"', "no line of solution.py that makes y has a 2"),
        ('variable = "x.grad"', "write the plain name"),
        ("low = 4", "low 4 is not less than high 3"),
        ("high = inf", "not finite"),
        ("low = 2\nclear_of = [3]", "has no other whole number"),
        ("high = -2.5\nclear_of = [-3]", "has no other whole number"),
        ('compare = ["x ="]', "no Python expression"),
    ],
)
def test_a_literal_that_cannot_be_replaced_is_told(folder: Path, wrong: str, says: str) -> None:
    key = wrong.split(" ", maxsplit=1)[0]
    lines = [wrong if line.startswith(key + " ") else line for line in REPLACE.splitlines()]
    (folder / "item.toml").write_text(ITEM + "\n".join(lines) + "\n")
    with pytest.raises(ExerciseError) as told:
        load_exercise(folder)
    assert says in str(told.value)


def test_an_exercise_that_draws_nothing_is_known(folder: Path) -> None:
    assert load_exercise(folder).constants_only  # its check takes draw and does not use it
    (folder / "checks.py").write_text(CHECKS + "    draw.floats(0, 1)\n")
    assert not load_exercise(folder).constants_only
