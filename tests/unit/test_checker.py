"""A whole grading in two forked processes: how each check ends, and whose doing that is."""

from __future__ import annotations

import pytest
from forked import asked_of_checker, child, grade

from graders.inside import checker, learner
from graders.wire import Closed

P3 = """
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y * 3 if y.item() > 1.5 else y * 4
z.backward()
print(x.grad.item())


def gradient_at(value):
    x = torch.tensor(value, requires_grad=True)
    y = x * 2
    z = y * 3 if y.item() > 1.5 else y * 4
    z.backward()
    return x.grad
"""

CHECKS = """
from graders.checks import check, close

@check("x.grad is 6.0", hint="Call backward() on z.")
def gradient(answer):
    assert answer["x"].grad == 6.0

@check("the gradient follows the branch", points=2)
def branches(answer, draw):
    for x in draw.floats(-2, 2, n=8, clear_of=[0.75]):
        assert close(answer.call("gradient_at", x), 6.0 if 2 * x > 1.5 else 8.0)
"""


def one(body: str, needs: str = "answer", before: str = "") -> str:
    """The source of a checks.py with one check."""
    lines = "\n".join(f"    {line}" for line in body.strip().split("\n"))
    imports = f"from graders.checks import check, close, raises\n{before}\n"
    return f"{imports}@check('it')\ndef it({needs}):\n{lines}\n"


def test_a_right_answer_passes_every_check_with_its_points() -> None:
    grading = grade(P3, CHECKS, expects=["x.grad == 6.0"])
    assert grading.passed
    assert grading.ready == {
        "ready": [
            {"name": "x.grad == 6.0", "max_centipoints": 100},
            {"name": "x.grad is 6.0", "max_centipoints": 100},
            {"name": "the gradient follows the branch", "max_centipoints": 200},
        ]
    }
    assert [c["centipoints"] for c in grading.checks.values()] == [100, 100, 200]


def test_a_failed_check_says_got_expected_and_why_and_the_others_go_on() -> None:
    grading = grade(
        P3.replace("y * 4\n    z.b", "y * 3\n    z.b").replace("1.0, req", "1.0 * 1, req"), CHECKS
    )
    failed = grading.checks["the gradient follows the branch"]
    assert (failed["status"], failed["got"], failed["expected"]) == ("failed", "6.0", "8.0")
    assert failed["message"].startswith("gradient_at(-")
    assert failed["centipoints"] == 0
    assert grading.checks["x.grad is 6.0"]["status"] == "passed"


def test_a_hint_is_shown_with_what_failed_and_not_with_what_passed() -> None:
    assert grade(P3, CHECKS).checks["x.grad is 6.0"]["hint"] == ""
    without = grade(P3.replace("z.backward()\nprint(x.grad.item())", ""), CHECKS).checks["x.grad is 6.0"]
    assert without["hint"] == "Call backward() on z."
    assert (
        without["message"]
        == "x.grad is None: backward() was not called on anything that was computed from x."
    )


def test_an_exception_of_the_learners_is_an_error_with_their_line() -> None:
    found = grade("def f(x):\n    return 1 / x\n", one('assert close(answer.call("f", 0), 1.0)')).only
    assert found["status"] == "error"
    assert found["message"] == "f(0) raised ZeroDivisionError: division by zero"
    assert (found["error"]["type"], found["error"]["line"]) == ("ZeroDivisionError", 2)
    assert found["error"]["frames"] == [{"line": 2, "function": "f", "text": "return 1 / x"}]
    assert found["error"]["folded_frames"] == 0


@pytest.mark.parametrize("how", ["sys.exit(0)", "raise KeyboardInterrupt", "raise GeneratorExit", "exit()"])
def test_a_function_that_ends_itself_is_an_error_and_the_next_check_goes_on(how: str) -> None:
    checks = CHECKS.replace("draw.floats(-2, 2, n=8, clear_of=[0.75])", "[2.0]")
    text = P3.replace("    x = torch.tensor(value", f"    import sys; {how}\n    x = torch.tensor(value")
    grading = grade(text, checks + one("assert answer['x'] == 1.0").replace("'it'", "'after'"))
    assert grading.checks["the gradient follows the branch"]["status"] == "error"
    assert grading.checks["after"]["status"] == "passed"


def test_a_process_that_ends_in_a_call_ends_that_check_and_not_the_others() -> None:
    grading = grade(
        "import os\nx = 1\ndef f(): os._exit(0)\n",
        one("assert answer['x'] == 1")
        + one("answer.call('f')").replace("'it'", "'second'")
        + one("pass").replace("'it'", "'third'"),
    )
    assert grading.done
    assert [check["status"] for check in grading.checks.values()] == ["passed", "error", "passed"]


def test_a_missing_name_fails_and_a_near_one_is_suggested() -> None:
    found = grade("gradient = 6.0\n", one("assert answer['gradients'] == 6.0")).only
    assert found["status"] == "failed"
    assert found["message"] == "Your code makes no gradients. Did you mean gradient to be it?"
    assert "Your code makes no f" in grade("", one("answer.call('f')")).only["message"]
    assert "f is no function" in grade("f = 3", one("answer.call('f')")).only["message"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ValueError('mine')", "ValueError: mine"),
        ("raise SystemExit(0)", "SystemExit"),
        ("return True", "returned a bool"),
        ("return 1.5", "returned a float"),
        ("reference.f(3)", "solution.py makes no f"),
        ("assert answer['x'] == object()", "cannot be expected"),
        ("answer.call('x', object())", "cannot be passed"),
        ("undefined", "NameError"),
    ],
)
def test_a_check_that_cannot_be_run_is_broken_and_only_its_author_is_told_why(body: str, says: str) -> None:
    grading = grade("x = 1", one(body, "answer, reference"))
    assert grading.only["status"] == "broken"
    assert grading.only["message"] == ""  # the supervisor's words stand there
    assert says in grading.logs["it"]
    assert grading.only["hint"] == ""


@pytest.mark.parametrize(
    ("checks", "says"),
    [
        ("", "there is no check"),
        ("x = (", "SyntaxError"),
        ("raise ValueError('mine')", "mine"),
        (one("pass") * 2, "two checks of this name"),
        (one("pass", "answr"), "there is no 'answr' to pass"),
        (one("pass").replace("'it'", "'it', points=0"), "must be more than 0"),
        (one("pass").replace("'it'", "'it', points=1/3"), "whole hundredths"),
        (one("pass").replace("'it'", "'it', points=float('nan')"), "finite"),
        (one("pass").replace("'it'", "'it', points=True"), "must be a number"),
        (one("pass").replace("'it'", "''"), "needs a name"),
    ],
)
def test_checks_that_cannot_be_loaded_say_why_before_anything_runs(checks: str, says: str) -> None:
    assert says in grade("x = 1", checks).ready["broken"]


def test_points_are_whole_hundredths_by_their_decimal_text() -> None:
    checks = "".join(one("pass").replace("'it'", f"'{p}', points={p}") for p in (0.29, 1.2, 0.01, 10_000))
    assert [c["max_centipoints"] for c in grade("", checks).ready["ready"]] == [29, 120, 1, 1_000_000]


def test_one_liners_see_the_learners_names_as_pictures() -> None:
    passed = grade(P3, expects=["x.grad == 6.0", "z.grad_fn is not None", "y.grad is None", "close(z, 6.0)"])
    assert passed.passed
    failed = grade("x = 5", expects=["x == 6", "all(x == n for n in (5, 6))", "nothing == 1", "x is None"])
    assert [c["status"] for c in failed.checks.values()] == ["failed"] * 4
    assert [c["message"] for c in failed.checks.values()] == [
        "x is 5; expected 6.",
        "x is 5; expected 6.",
        "Your code makes no nothing.",
        "x is 5.",
    ]


def test_a_one_liner_that_is_no_expression_is_told_to_the_author() -> None:
    assert "SyntaxError" in grade("x = 1", expects=["x = 1"]).ready["broken"]


def test_the_solution_runs_only_if_a_check_asks_for_it() -> None:
    explosive = "raise RuntimeError('the solution ran')"
    assert grade("x = 1", one("assert answer['x'] == 1", "answer, reference"), solution=explosive).passed
    asked = grade("x = 1", one("reference.f", "answer, reference"), solution=explosive)
    assert "the solution ran" in asked.logs["it"]


def test_the_authors_own_message_stands_beside_what_was_found() -> None:
    found = grade("x = 1", one("assert answer['x'] == 2, 'Two, please.'")).only
    assert (found["message"], found["got"], found["expected"]) == ("Two, please.", "1", "2")


def test_a_bare_assertion_says_what_it_looked_at_last_and_nothing_of_its_code() -> None:
    found = grade("x = 1", one("secret = 42\nassert secret == 41")).only
    assert (found["status"], found["message"]) == ("failed", "")
    looked = grade(P3, one("assert not answer['x'].is_leaf")).only
    assert looked["message"] == "x.is_leaf is True."


def test_a_changed_argument_is_told_apart_from_a_wrong_result() -> None:
    text = "def f(x):\n    x.zero_()\n    return x.sum()\ndef g(x):\n    return x.sum() + 1\n"
    body = "x = draw.tensor(3, low=1, high=2)\nassert close(answer.call('{}', x), x.sum())"
    changed = grade(text, one(body.format("f"), "answer, draw")).only
    assert "f changed argument 1 in place" in changed["message"]
    wrong = grade(text, one(body.format("g"), "answer, draw")).only
    assert "in place" not in wrong["message"]


def test_a_changed_argument_of_an_earlier_check_is_no_part_of_a_later_one() -> None:
    checks = one("answer.call('f', [1])") + one("assert answer.call('g') == 2").replace("'it'", "'later'")
    grading = grade("def f(x): x.append(1)\ndef g(): return 1\n", checks)
    assert grading.checks["later"]["message"] == "g() is 1; expected 2."


def test_both_sides_are_seeded_and_by_different_seeds() -> None:
    drawn = "[random.random(), float(numpy.random.rand()), torch.rand(1).item()]"
    text = f"import random, numpy, torch\nr = {drawn}\n"
    same = one(f"assert answer['r'] == {drawn}", before="import random, numpy, torch")
    assert grade(text, same, seed=5, learner_seed=5).passed
    assert not grade(text, same, seed=5, learner_seed=6).passed


def test_the_same_seed_gives_the_same_verdict_and_messages() -> None:
    wrong = P3.replace("return x.grad", "return x.grad + torch.rand(1).item()")
    assert grade(wrong, CHECKS, seed=9).checks == grade(wrong, CHECKS, seed=9).checks
    assert grade(wrong, CHECKS, seed=9).checks != grade(wrong, CHECKS, seed=10).checks


def test_what_the_learner_raises_at_load_is_reported_before_any_check() -> None:
    grading = grade("x = 1\ny = x / 0\n", CHECKS)
    assert grading.loaded["raised"]["line"] == 2
    assert grading.checks == {}


def test_what_cannot_be_read_is_told_with_its_place() -> None:
    loaded = grade("x = (1,\n", CHECKS).loaded
    assert loaded["unreadable"] == "Python cannot read line 1."
    assert loaded["error"]["what"] == "A bracket ( was opened and not closed."
    assert grade("x = '\0'", CHECKS).loaded["error"] is None


def test_a_main_guard_runs_and_a_mere_run_ends_after_its_threads_and_exit_handlers() -> None:
    text = """
import atexit, sys, threading, time
marks = []
if __name__ == "__main__":
    atexit.register(lambda: open("/dev/null").close())
    threading.Thread(target=lambda: time.sleep(0.01)).start()
    assert sys.argv == ["answer.py"] and __file__ == "answer.py"
"""
    first = {"role": "learner", "source": text, "seed": 1, "then": "stop"}
    with child(learner.serve, first) as theirs:
        assert theirs.receive() == {"loaded": True}


def test_a_checker_that_is_told_to_stop_says_nothing_more() -> None:
    first = asked_of_checker(CHECKS)
    with child(checker.serve, first) as judge:
        assert "ready" in judge.receive()
        judge.send({"go": False})
        with pytest.raises(Closed):
            judge.receive()


@pytest.mark.parametrize("frame", [5, [], "gone", None, {}, {"raised": 3}, {"reply": {"is": "tensor"}}])
def test_frames_that_are_no_answers_fail_the_check_and_never_break_it(frame: object) -> None:
    first = asked_of_checker(one("assert answer['x'] == 1"))
    with child(checker.serve, first) as judge:
        judge.receive()
        judge.send({"go": True})
        assert judge.receive() == {"ask": {"op": "get", "name": "x"}, "aside": False}
        judge.send(frame)
        assert judge.receive()["check"]["status"] == "failed"
        assert judge.receive() == {"done": True}


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (
            "answer.cal('f')",
            "checks.py:5: check \"it\": AttributeError: 'Answer' object has no attribute 'cal'; "
            'did you mean "call"?',
        ),
        ("assert clos(answer['x'], 1)", "name 'clos' is not defined; did you mean \"close\"?"),
        (
            "assert answer['x'] + 1 == 2",
            "a picture is compared, not computed with: write close(",
        ),
        ("return 1", "checks.py: check \"it\": check 'it' returned a int"),
        ("[][1]", 'checks.py:5: check "it": IndexError: list index out of range; mend the check'),
    ],
)
def test_the_author_is_told_in_one_line_where_and_what(body: str, line: str) -> None:
    first, rest = grade("x = 1", one(body)).logs["it"].split("\n", 1)
    assert line in first
    assert rest.startswith("Traceback")


def test_a_parameter_that_no_check_takes_is_told_with_its_line() -> None:
    told = grade("x = 1", one("pass", needs="answer, drawn")).ready["broken"].splitlines()[0]
    assert told.startswith("checks.py:3: check 'it': there is no 'drawn' to pass; a check takes answer, draw")


class TestKnownMistakes:
    """What an author knows to go wrong is said after what the check says."""

    CHECKS = """
from graders.checks import check, close, mistake

@check("y is twice x")
def twice(answer):
    assert answer["y"] == 2 * 3.0

@check("z is there")
def there(answer):
    assert answer["z"] == 1

@mistake("y is twice x")
def never_doubled(answer, source):
    if not source.uses("double"):
        return "double is never called."

@mistake("y is twice x")
def squared(answer):
    if (answer["y"] == 9.0).holds:
        return "That is the square."

@mistake()
def anything(answer):
    return "Look again."
"""

    def messages(self, source: str) -> dict[str, str]:
        return {name: check["message"] for name, check in grade(source, self.CHECKS).checks.items()}

    def test_the_first_that_it_was_is_told_and_no_other(self) -> None:
        assert (
            self.messages("y = 9.0\nz = 1")["y is twice x"]
            == "y is 9.0; expected 6.0. double is never called."
        )
        told = self.messages("double = None\nx = double\ny = 9.0\nz = 1")["y is twice x"]
        assert told == "y is 9.0; expected 6.0. That is the square."

    def test_one_without_names_explains_any_check(self) -> None:
        assert self.messages("y = 6.0\nz = 7") == {
            "y is twice x": "",
            "z is there": "z is 7; expected 1. Look again.",
        }

    def test_a_mistake_that_breaks_is_the_authors_to_mend_and_changes_no_result(self) -> None:
        checks = one("assert answer['x'] == 1") + (
            "\nfrom graders.checks import mistake\n@mistake()\ndef broken(answer):\n    return 1 / 0\n"
            "@mistake()\ndef wrong_kind(answer):\n    return 7\n"
            "@mistake()\ndef good(answer):\n    return 'Yes.'\n"
        )
        grading = grade("x = 7", checks)
        assert grading.only["status"] == "failed"
        assert grading.only["message"] == "x is 7; expected 1. Yes."
        assert "ZeroDivisionError" in grading.logs["it"]
        assert "returned a int" in grading.logs["it"]

    def test_a_look_that_ends_the_program_changes_no_result(self) -> None:
        checks = one("assert answer['x'] == 1") + (
            "\nfrom graders.checks import mistake\n@mistake()\ndef looks(answer):\n    answer.call('f')\n"
        )
        grading = grade("import os\nx = 7\ndef f(): os._exit(0)\n", checks)
        assert grading.only["message"] == "x is 7; expected 1."

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("@mistake('no such check')\ndef m(): pass", "there is no check 'no such check' to explain"),
            (
                "@mistake('it')\ndef m(drawn): pass",
                "there is no 'drawn' to pass; a mistake takes answer, source",
            ),
            ("@mistake(7)\ndef m(): pass", "name the checks that it explains"),
        ],
    )
    def test_a_faulty_one_is_told_when_the_checks_load(self, text: str, says: str) -> None:
        checks = one("pass") + f"\nfrom graders.checks import mistake\n{text}\n"
        assert says in grade("x = 1", checks).ready["broken"]

    def test_a_text_that_a_mistake_has_put_aside_answers_no_check(self) -> None:
        checks = """
from graders.checks import check, mistake

kept = []

@check("first")
def first(answer):
    assert answer["x"] == 1

@check("second")
def second():
    assert kept[0].calls("print") == 7

@mistake("first")
def keeps(source):
    kept.append(source)
"""
        grading = grade("x = 7", checks)
        assert grading.checks["second"]["status"] == "broken"
        assert "source was kept and asked later" in grading.logs["second"]

    def test_a_check_cannot_ask_about_the_text(self) -> None:
        told = grade("x = 1", one("pass", needs="answer, source")).ready["broken"]
        assert "a right value is right however it was written" in told
