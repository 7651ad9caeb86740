"""The checker's side of a grading: runs the author's checks and asks the learner's process what they need.

Started in a sealed child of its own. It holds the solution, the checks and the seed; the learner's process
never does.
"""

from __future__ import annotations

import ast
import builtins
import io
import sys
import types
from typing import Any

import torch

from graders.checks import Answer, Draw, close
from graders.checks.faults import AuthorError, Disagreement, Gone, LearnerRaised
from graders.checks.journal import journal
from graders.checks.registry import Check, collecting
from graders.checks.rewrite import HELPER, compile_checks, is_none
from graders.inside.author import author_log
from graders.inside.seeding import seed_everything
from graders.wire import Channel, Closed

MAX_MESSAGE = 2_000  # characters of one message for the learner


def serve(channel: Channel, first: dict[str, Any]) -> None:
    """Load an exercise's checks, wait for the word to go, run each check, and say how it ended.

    first: "checks" and "solution" (source texts), "expects" (name, expression, centipoints, hint), "seed".
    Sends {"ready": [{"name", "max_centipoints"}]} or {"broken": log for the author}. After {"go": True}: any
    number of {"ask": query}, each answered by the learner's frame or {"gone": why}; {"check": CheckResult as
    a dict, "author_log": text or ""} for each check in order; {"done": True} at last.
    """
    sys.stdout = sys.stderr = io.StringIO()  # an author's prints go nowhere
    seed_everything(first["seed"])
    try:
        checks = load_checks(first["checks"], first["expects"])
    except BaseException as error:
        channel.send({"broken": author_log(error)})
        return
    channel.send({"ready": [{"name": check.name, "max_centipoints": check.centipoints} for check in checks]})
    try:
        if channel.receive() != {"go": True}:
            return
        _run_all(channel, checks, first)
        channel.send({"done": True})
    except Closed:
        return


def load_checks(text: str, expects: list[dict[str, Any]]) -> list[Check]:
    """The checks of one exercise: its one-liners first, then those of checks.py.

    Raises whatever is wrong with them.
    """
    found = [_expect_check(expect) for expect in expects]
    if text.strip():
        module = types.ModuleType("checks")
        module.__dict__[HELPER] = is_none
        with collecting() as collected:
            exec(compile_checks(text, "checks.py"), module.__dict__)
        found += collected
    if not found:
        raise AuthorError("there is no check: write a function under @check in checks.py, or an [[expect]]")
    names = [check.name for check in found]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise AuthorError(f"check {doubled!r}: there are two checks of this name; give each its own")
    return found


def run_check(check: Check, answer: Answer, reference: Reference, seed: int) -> tuple[dict[str, Any], str]:
    """Run one check.

    Returns its CheckResult as a plain dict, and what the author should read ("" if nothing).
    """
    journal.begin()
    given = {"answer": answer, "draw": Draw(seed, check.name), "reference": reference}
    try:
        returned = check.function(**{name: given[name] for name in check.parameters})
        if returned is not None:
            raise AuthorError(
                f"check {check.name!r} returned a {type(returned).__name__}; it must return nothing"
            )
    except Gone:
        raise
    except LearnerRaised as raised:
        why = raised.report["message"].strip().split("\n", 1)[0]
        message = f"{raised.asked} raised {raised.report['type']}{': ' if why else ''}{why[:300]}"
        return _result(check, "error", message=message, error=raised.report), ""
    except Disagreement as no:
        return _result(
            check, "failed", message=_with_remarks(no.message), got=no.got, expected=no.expected
        ), ""
    except AssertionError as no:
        return _from_assertion(check, no), ""
    except BaseException as error:
        message = "This check itself could not be run. That is not your mistake, and the author is told."
        return _result(check, "broken", message=message), author_log(error, check.name)
    return _result(check, "passed"), ""


class Reference:
    """The names of solution.py, which is run when a check first asks for one of them."""

    def __init__(self, solution: str) -> None:
        self._solution = solution
        self._module: types.ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        module = self._loaded()
        if name not in module.__dict__:
            raise AuthorError(f"solution.py makes no {name}")
        return module.__dict__[name]

    __getitem__ = __getattr__

    def _loaded(self) -> types.ModuleType:
        if self._module is None:
            module = types.ModuleType("__main__")
            exec(compile(self._solution, "solution.py", "exec", dont_inherit=True), module.__dict__)
            self._module = module
        return self._module


def _run_all(channel: Channel, checks: list[Check], first: dict[str, Any]) -> None:
    def ask(query: dict[str, Any]) -> Any:
        channel.send({"ask": query})
        return channel.receive()

    answer, reference = Answer(ask), Reference(first["solution"])
    for check in checks:
        try:
            result, log = run_check(check, answer, reference, first["seed"])
        except Gone:
            return
        channel.send({"check": result, "author_log": log})


def _from_assertion(check: Check, no: AssertionError) -> dict[str, Any]:
    last = journal.last
    text = str(no.args[0]) if no.args else ""
    if last is None or last.holds is True:
        return _result(check, "failed", message=_with_remarks(text))
    return _result(
        check, "failed", message=_with_remarks(text or last.message), got=last.got, expected=last.expected
    )


def _with_remarks(message: str) -> str:
    return " ".join([message, *journal.remarks]).strip()


def _result(
    check: Check,
    status: str,
    *,
    message: str = "",
    got: str = "",
    expected: str = "",
    error: dict[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "name": check.name,
        "status": status,
        "centipoints": check.centipoints if status == "passed" else 0,
        "max_centipoints": check.centipoints,
        "message": message[:MAX_MESSAGE],
        "got": got,
        "expected": expected,
        "hint": check.hint if status in ("failed", "error") else "",
        "error": error,
    }


def _expect_check(expect: dict[str, Any]) -> Check:
    """A check from one line: `x.grad == 6.0`.

    Names that are neither built in nor `close` or `torch` are the learner's.
    """
    expression = expect["expression"]
    known = {"close": close, "torch": torch, HELPER: is_none}
    code = compile_checks(expression, "item.toml", "eval")
    nodes = list(ast.walk(ast.parse(expression, mode="eval")))
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)} - bound
    theirs = sorted(name for name in used if name not in known and not hasattr(builtins, name))

    def holds(answer: Answer) -> None:
        names = {name: answer[name] for name in theirs}
        found = eval(code, {**known, **names})
        assert found

    return Check(expect["name"], holds, expect["centipoints"], expect["hint"], ("answer",))
