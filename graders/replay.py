"""What the checks of an exercise ask of a program, written down, and put to another program.

For proofs that compare two programs. The checks' own questions are not enough for that: what they never ask
for, or never reach with their inputs, they cannot tell apart. So more is asked: of each result the graph
behind it, of each call the gradients, and of some calls all of it again with other inputs.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from graders import grading
from graders.exercise import Exercise
from graders.learner_side import Learner, LearnerGone
from graders.sandbox.nursery import Nursery
from graders.sandbox.policy import Policy
from graders.wire import Tensor

Query = dict[str, Any]
Frame = dict[str, Any]

FORMATS: Final = {"float16": "e", "float32": "f", "float64": "d"}  # of struct
_CALLS_VARIED: Final = 6  # of one program; of each of these calls all variations are tried
_VARIATIONS: Final[tuple[Callable[[float, random.Random], float], ...]] = (
    lambda value, _drawn: -0.3 * value,
    lambda value, _drawn: 3.0 * value + 0.1,
    lambda _value, drawn: drawn.gauss(0.0, 1.0),
)


def questions(nursery: Nursery, exercise: Exercise, seed: str) -> tuple[Query, ...]:
    """What the checks ask of the solution under this seed, in order, and what we ask further.

    Raises: SandboxError.
    """
    asked: list[Query] = []
    grading.grade(nursery, exercise, exercise.solution, seed=seed, asked=asked)
    calls = [query for query in asked if query["op"] in {"call", "calls", "invoke"}]
    drawn = random.Random(seed)
    varied = [_varied(query, change, drawn) for query in calls[:_CALLS_VARIED] for change in _VARIATIONS]
    further = [more for query in (*calls[:_CALLS_VARIED], *varied) for more in _gradients(query)]
    return (*asked, {"op": "printed"}, {"op": "names"}, *varied, *further)


def answers(
    nursery: Nursery, exercise: Exercise, source: str, queries: tuple[Query, ...], seed: str
) -> list[Frame]:
    """How a program answers these questions, those about each result's graph, and those about each name.

    It ends with the first question that the program does not survive. Raises: SandboxError.
    """
    policy = Policy.of(exercise.limits)
    learner = Learner(nursery, nursery.take("learner", policy), policy)
    frames: list[Frame] = []

    def ask(query: Query) -> None:
        frames.append(learner.ask(query))
        reply = frames[-1].get("reply")
        # At once: a result is held for a while only.
        frames.extend(learner.ask({"op": "graph", "kept": kept}) for kept in _kept(reply))
        if query["op"] == "names" and isinstance(reply, list):
            for name in reply:
                ask({"op": "get", "name": name})

    try:
        learner.start(source, seed=seed, then="answer")
        frames.append(learner.loaded())
        if frames[0].get("loaded") is True:
            for query in queries:
                ask(query)
        return frames
    except LearnerGone as gone:
        return [*frames, {"gone": gone.ending[0].value}]
    finally:
        learner.leave()


def _gradients(query: Query) -> list[Query]:
    """The gradients of what a call gives."""
    if query["op"] == "invoke":
        if query.get("method") is not None:
            return []
        model = {"handle": query["handle"]}
        return [
            model | {"op": "backward", "args": query["args"], "kwargs": query["kwargs"]},
            model | {"op": "state"},
        ]
    given = query["many"] if query["op"] == "calls" else [(query["args"], query["kwargs"])]
    return [
        {"op": "gradient", "name": query["name"], "args": [_tracked(arg) for arg in args], "kwargs": kwargs}
        for args, kwargs in given
    ]


def _tracked(argument: Any) -> Any:
    """The same, requiring grad where it can."""
    if isinstance(argument, Tensor) and argument.dtype in {*FORMATS, "bfloat16"}:
        return replace(argument, requires_grad=True)
    return argument


def _varied(query: Query, change: Callable[[float, random.Random], float], drawn: random.Random) -> Query:
    """The same call with other numbers."""
    if query["op"] == "calls":
        many = [
            [_other(args, change, drawn), _other(kwargs, change, drawn)] for args, kwargs in query["many"]
        ]
        return query | {"many": many}
    args, kwargs = _other(query["args"], change, drawn), _other(query["kwargs"], change, drawn)
    return query | {"args": args, "kwargs": kwargs}


def _other(value: Any, change: Callable[[float, random.Random], float], drawn: random.Random) -> Any:
    """Every float in it changed; whole numbers are sizes and positions more often than not, and stay."""
    if isinstance(value, float):
        return change(value, drawn)
    if isinstance(value, Tensor) and value.dtype in FORMATS:
        form = f"<{len(value.data) // struct.calcsize(FORMATS[value.dtype])}{FORMATS[value.dtype]}"
        numbers = [change(number, drawn) for number in struct.unpack(form, value.data)]
        try:
            return replace(value, data=struct.pack(form, *numbers))
        except (OverflowError, struct.error):  # beyond what the dtype holds
            return value
    if isinstance(value, list | tuple):
        return [_other(part, change, drawn) for part in value]
    if isinstance(value, dict):
        return {key: _other(part, change, drawn) for key, part in value.items()}
    return value


def _kept(reply: Any) -> list[int]:
    """The numbers of all results in a reply whose graph can be asked for."""
    if isinstance(reply, dict):
        own = [reply["kept"]] if type(reply.get("kept")) is int else []
        return own + [kept for key, part in reply.items() if key != "kept" for kept in _kept(part)]
    return [kept for part in reply for kept in _kept(part)] if isinstance(reply, list | tuple) else []
