"""The learner's side of a grading: runs the submitted code, then answers questions about it.

Started in a sealed child of the warm template. It knows no check, no solution and no hidden input before it
is called with one. Whatever it reports is believed for what it is: the claims of a process that belongs to
the learner.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, NoReturn

from graders.inside import explain, source
from graders.inside.answering import Answering, Refused
from graders.inside.observer import base_names
from graders.inside.output import Streams
from graders.inside.own import keep_builtins
from graders.inside.seeding import seed_everything
from graders.wire import Channel, Closed, WireError

keep_builtins(globals())

_settrace, _setprofile = sys.settrace, sys.setprofile
_getrecursionlimit, _setrecursionlimit = sys.getrecursionlimit, sys.setrecursionlimit
_getpid, _leave = os.getpid, os._exit
_LEAST_RECURSION = 500  # frames: our own depth is below 50


def serve(channel: Channel, first: dict[str, Any]) -> None:
    """Run one submission and answer for it until the channel closes.

    first: "source", "seed", and "then": "answer" to be asked, "stop" for a mere run.
    Sends {"loaded": True}, {"raised": report} or {"unreadable": why, "error": report or None}; then, for each
    {"ask": query}, one of {"reply": value}, {"raised": report, "bases": names} or {"refused": text}.
    """
    streams = Streams()
    hidden = _hide_our_modules()
    send, receive = channel.send, channel.receive
    process = _getpid()

    def flush(said: dict[str, Any]) -> None:
        streams.flush()
        if _getpid() != process:
            _end_as_a_child_does(said.get("raised"))

    try:
        loaded = load(first)
        flush(loaded.frame)
        send(loaded.frame)
        if loaded.module is None or first.get("then") == "stop":
            return
        answering = Answering(loaded.module, loaded.lines, streams)
        while True:
            reply = answer(answering, receive())
            flush(reply)
            try:
                send(reply)
            except WireError as error:
                send({"refused": f"The value cannot be shown: {error}."})
    except Closed:
        return
    finally:
        sys.modules.update(hidden)


class Loaded:
    """How the loading ended: the frame to send, and the module if there is one to ask about."""

    def __init__(
        self, frame: dict[str, Any], module: types.ModuleType | None = None, lines: list[str] | None = None
    ) -> None:
        self.frame = frame
        self.module = module
        self.lines = lines or []


def load(first: dict[str, Any]) -> Loaded:
    """Read, compile and run one submission as the module `__main__`; see `serve` for `first`."""
    read = source.read(first["source"])
    if isinstance(read, source.Unreadable):
        report = explain.report(read.error, read.text.split("\n")) if read.error is not None else None
        return Loaded({"unreadable": read.why, "error": report})
    source.show_in_tracebacks(read)
    lines = read.text.split("\n")
    module = types.ModuleType("__main__")
    module.__file__ = source.FILENAME
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.modules["__main__"] = module
    sys.argv = [source.FILENAME]
    seed_everything(first["seed"])

    atexit._clear()  # what the template registered is not the learner's to run

    def run() -> None:
        exec(read.code, module.__dict__)
        if first.get("then") == "stop":
            _end_as_python_does()

    report = attempt(run, lines)
    return Loaded({"raised": report} if report else {"loaded": True}, None if report else module, lines)


def attempt(action: Callable[[], object], lines: list[str]) -> dict[str, Any] | None:
    """Do something that runs the learner's code. Returns the report of what it raised, or None."""
    try:
        action()
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: none of them may end the grading
        _take_back_the_interpreter()
        return explain.report(error, lines)
    _take_back_the_interpreter()
    return None


def answer(answering: Answering, frame: Any) -> dict[str, Any]:
    """The frame that answers one {"ask": query}."""
    try:
        reply = {"reply": answering.answer(frame["ask"])}
        _take_back_the_interpreter()
        return reply
    except Refused as refusal:
        return {"refused": str(refusal)}
    except WireError as error:
        return {"refused": f"The value cannot be shown: {error}."}
    except BaseException as error:
        _take_back_the_interpreter()
        return {"raised": explain.report(error, answering.lines), "bases": base_names(type(error))}


def _take_back_the_interpreter() -> None:
    """End what the learner's code may have set to watch or cramp the lines that follow."""
    _settrace(None)
    _setprofile(None)
    if _getrecursionlimit() < _LEAST_RECURSION:
        _setrecursionlimit(_LEAST_RECURSION)


def _hide_our_modules() -> dict[str, types.ModuleType]:
    """Take our modules out of `sys.modules`, so that code that walks it finds none of them to rebind."""
    ours: dict[str, types.ModuleType] = {}
    waiting = ["graders"]
    for (
        name
    ) in waiting:  # down our own packages: to touch every loaded module would copy its memory into the child
        module = sys.modules.pop(name, None)
        if module is None:
            continue
        ours[name] = module
        if hasattr(module, "__path__"):
            waiting += [f"{name}.{key}" for key in vars(module)]
    return ours


def _end_as_a_child_does(error: dict[str, Any] | None) -> NoReturn:
    """End a process that the learner's code forked and that came to its end. Its parent answers for both."""
    if error is None:
        _leave(0)
    os.write(2, f"In a child process: {error['type']}: {error['message']}\n".encode(errors="replace"))
    _leave(1)


def _end_as_python_does() -> None:
    """Wait for the learner's threads and run their exit handlers, as at the end of an ordinary program."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
