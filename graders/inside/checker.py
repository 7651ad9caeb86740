"""The checker's side of a grading: runs the author's checks and asks the learner's process what they need.

Started in a sealed child of its own. It holds the solution, the checks and the seed; the learner's process
never does.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import io
import sys
import types
from dataclasses import dataclass
from typing import Any

import torch

from graders.checks import Answer, Draw, Source, close
from graders.checks.faults import AuthorError, Disagreement, Gone, LearnerRaised
from graders.checks.journal import journal
from graders.checks.known_mistakes import Mistake, mistakes_of_file
from graders.checks.paths import about_gradient
from graders.checks.registry import Check, checks_of_file
from graders.checks.rewrite import HELPER, compile_checks, is_none
from graders.inside.author import author_log
from graders.inside.replacing import replace_check
from graders.inside.seeding import seed_everything
from graders.wire import Channel, Closed

MAX_MESSAGE = 2_000  # characters of one message for the learner


def serve(channel: Channel, first: dict[str, Any]) -> None:
    """Load an exercise's checks, wait for the word to go, run each check, and say how it ended.

    first: "checks" and "solution" (source texts), "expects" and "replaces" (the fields of each), "source"
    (the learner's text), "seed", "backwards": whether the checks run last to first, and "from": the place of
    the first check to run.
    Sends {"ready": [{"name", "max_centipoints"}]} or {"broken": log for the author}. After {"go": True}: any
    number of {"ask": query, "aside": whether only words are looked for}, each answered by the learner's frame
    or {"gone"}; {"again": text}, to have the learner's side run that text until this check ends, answered by
    {"loaded"}, {"raised"}, {"refused"} or {"gone"}; for each check in order {"check": CheckResult as a dict,
    "author_log": text or ""}; {"done": True} at last.
    """
    sys.stdout = sys.stderr = io.StringIO()  # an author's prints go nowhere
    seed_everything(first["seed"])
    try:
        loaded = load(first)
    except BaseException as error:
        channel.send({"broken": author_log(error)})
        return
    plan = [{"name": check.name, "max_centipoints": check.centipoints} for check in loaded.checks]
    channel.send({"ready": plan})
    try:
        if channel.receive() != {"go": True}:
            return
        _run_all(channel, loaded, first)
        channel.send({"done": True})
    except Closed:
        return


@dataclass(frozen=True)
class Loaded:
    """What an exercise asks, in the order of its verdict, and what its author knows to go wrong."""

    checks: list[Check]
    mistakes: list[Mistake]


def load(first: dict[str, Any]) -> Loaded:
    """The checks of one exercise: its one-liners, its literals to be replaced, then checks.py.

    first: as for `serve`. Raises whatever is wrong with them.
    """
    found = [_expect_check(expect) for expect in first["expects"]]
    found += [
        replace_check(replace, first["source"], first["solution"], learners_names)
        for replace in first["replaces"]
    ]
    mistakes: list[Mistake] = []
    if first["checks"].strip():
        module = types.ModuleType("checks")
        module.__dict__[HELPER] = is_none
        with checks_of_file.collecting() as checks, mistakes_of_file.collecting() as mistakes:
            exec(compile_checks(first["checks"], "checks.py"), module.__dict__)
        found += checks
    if not found:
        raise AuthorError("there is no check: write a function under @check in checks.py, or an [[expect]]")
    names = [check.name for check in found]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise AuthorError(f"check {doubled!r}: there are two checks of this name; give each its own")
    for mistake in mistakes:
        unknown = next((name for name in mistake.checks if name not in names), None)
        if unknown is not None:
            near = difflib.get_close_matches(unknown, names, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else "; name one that is there, or none for all"
            raise AuthorError(
                f"mistake {mistake.function.__name__}: there is no check {unknown!r} to explain{meant}"
            )
    return Loaded(found[::-1] if first["backwards"] else found, mistakes)


@dataclass
class Conversation:
    """The two questions that go out: to the learner's program, and to the supervisor to run another text."""

    channel: Channel
    aside: bool = False  # whether a result is certain, and only words are looked for

    def ask(self, query: dict[str, Any]) -> Any:
        """The learner's frame."""
        self.channel.send({"ask": query, "aside": self.aside})
        return self.channel.receive()

    def again(self, source: str) -> Any:
        """How it went to run another text; from now on, until the check ends, that program answers."""
        self.channel.send({"again": source})
        return self.channel.receive()


def run_check(check: Check, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Run one check. given: what it may take, by parameter name.

    Returns its CheckResult as a plain dict, and what the author should read ("" if nothing).
    """
    journal.begin()
    try:
        returned = check.function(**{name: given[name] for name in check.parameters})
        if returned is not None:
            raise AuthorError(
                f"check {check.name!r} returned a {type(returned).__name__}; it must return nothing"
            )
    except Gone:
        # The supervisor knows how the program ended, and puts that in this one's place.
        return _result(check, "error", message="Your program has ended."), ""
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
        return _result(check, "broken"), author_log(error, check.name)
    return _result(check, "passed"), ""


def explained(
    check: str, mistakes: list[Mistake], given: dict[str, Any], conversation: Conversation
) -> tuple[str, str]:
    """The sentence of the first known mistake that it was, and what the author should read; "" for none.

    Whatever goes wrong here changes nothing about the check.
    """
    logs = []
    source = Source(given["source"].text)
    given = {**given, "source": source}
    conversation.aside = True
    try:
        for mistake in mistakes:
            if not mistake.explains(check):
                continue
            try:
                told = mistake.function(**{name: given[name] for name in mistake.parameters})
                if told is not None and not isinstance(told, str):
                    raise AuthorError(
                        f"returned a {type(told).__name__}; "
                        "it must return the sentence for the learner, or None"
                    )
            except (Gone, LearnerRaised, AssertionError):
                continue  # it could not look, or the code is not what it looks for
            except BaseException as error:
                logs.append(author_log(error, mistake=mistake.function.__name__))
                continue
            if told:
                return told, "\n".join(logs)
    finally:
        conversation.aside = False
        source.close()  # so that no check asks one that a mistake has put aside
    return "", "\n".join(logs)


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


def _run_all(channel: Channel, loaded: Loaded, first: dict[str, Any]) -> None:
    conversation = Conversation(channel)
    source = Source(first["source"])
    given = {
        "answer": Answer(conversation.ask),
        "reference": Reference(first["solution"]),
        "source": source,
        "again": conversation.again,
    }
    for check in loaded.checks[first["from"] :]:
        given["draw"] = Draw(first["seed"], check.name)
        result, log = run_check(check, given)
        if result["status"] in ("failed", "error"):
            last = journal.last  # before the known mistakes look further
            told, more = explained(check.name, loaded.mistakes, given, conversation)
            if not told and last is not None and not last.holds:
                told = about_gradient(last.of, source, result["message"])
            result["message"] = _together(result["message"], told)[:MAX_MESSAGE]
            log = "\n".join(filter(None, (log, more)))
        channel.send({"check": result, "author_log": log})


def _together(message: str, told: str) -> str:
    """Two sentences, the first of which may come from an error that ends without a full stop."""
    if not message or not told:
        return message or told
    return f"{message}{'' if message[-1] in '.!?:…' else '.'} {told}"


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
    theirs = learners_names(expression)

    def holds(answer: Answer) -> None:
        names = {name: answer[name] for name in theirs}
        if not eval(code, {**known, **names}):
            raise AssertionError  # no assert: whoever rewrites those would put words of its own into it

    return Check(expect["name"], holds, expect["centipoints"], expect["hint"], ("answer",))


def learners_names(expression: str) -> tuple[str, ...]:
    """The names in it that are neither built in nor made in it nor `close` or `torch`: the learner's."""
    nodes = list(ast.walk(ast.parse(expression, mode="eval")))
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)} - bound
    known = {"close", "torch", HELPER}
    return tuple(sorted(name for name in used if name not in known and not hasattr(builtins, name)))
