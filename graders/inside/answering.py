"""Answers to the checker's questions about the learner's module, one function per question.

A query is a dict with "op" and what that op names; the answer is on the right:
  names                                          every public name of the module
  get       name                                 the picture of a value
  call      name, args, kwargs                   {"result", "changed", "printed"}
  calls     name, many: [[args, kwargs]]         {"results": [each as of call]}, all in one frame
  gradient  name, args, kwargs                   {"result", "gradients": [of each tensor argument or None]}
  make      name, args, kwargs                   {"handle", "module", "type", "state": [[name, dtype, shape]]}
  hold      name                                 the same for a module that the learner's code has made
  load      handle, state: {name: wire.Tensor}   None; load_state_dict, strict
  state     handle                               {name: picture}
  invoke    handle, method or None, args, kwargs {"result", "changed", "printed"}
  backward  handle, args, kwargs                 {"result", "gradients": {name: picture}} of the output's sum
  graph     name | kept                          the graph behind a tensor (graph.py)
  printed                                        what was printed so far
A result that has a graph carries "kept", by which a later `graph` query finds it; the last 32 are held.
Arguments are encoded as arguments.py says, and each call gets fresh copies. "changed" lists the positions and
names of arguments whose value differed afterwards.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Callable
from typing import Any

import torch

from graders.inside import arguments, graph
from graders.inside.observer import Budget, is_exact_tensor, picture, tensor_picture, type_name
from graders.inside.output import Streams
from graders.inside.own import keep_builtins

keep_builtins(globals())

MAX_HELD = 64  # objects made for the checker
MAX_KEPT = 32  # results whose graph can still be asked for
MAX_PRINTED = 16_000  # characters of what one call printed

_Base: Any = torch._C.TensorBase
_grad, _set_grad = _Base.grad.__get__, _Base.grad.__set__
_requires_grad = _Base.requires_grad.__get__
_Tensor = torch.Tensor
_sum, _backward = _Base.sum, torch.autograd.backward
_Module = torch.nn.Module
_state_dict, _load_state_dict = torch.nn.Module.state_dict, torch.nn.Module.load_state_dict
_type_mro: Any = type.__dict__["__mro__"].__get__
_enable_grad = torch.enable_grad


class Refused(Exception):  # noqa: N818 -- an answer in words, not a failure of ours
    """A question that has no answer; the text tells the learner why."""


class Answering:
    """The learner's module, and what is held for the checker."""

    def __init__(self, module: types.ModuleType, lines: list[str], streams: Streams) -> None:
        self.lines = lines
        self._names = module.__dict__
        self._streams = streams
        self._held: dict[int, Any] = {}
        self._kept: dict[int, Any] = {}
        self._next_kept = 0
        self._ops: dict[str, Callable[[dict[str, Any]], Any]] = {
            "names": self._public_names,
            "get": self._get,
            "call": self._call,
            "calls": self._calls,
            "gradient": self._gradient,
            "make": self._make,
            "hold": self._hold,
            "load": self._load,
            "state": self._state,
            "invoke": self._invoke,
            "backward": self._backward,
            "graph": self._graph,
            "printed": self._printed,
        }

    def answer(self, query: dict[str, Any]) -> Any:
        """The answer to one query. Raises: Refused; and whatever the learner's code raises."""
        return self._ops[query["op"]](query)

    def _public_names(self, _: dict[str, Any]) -> list[str]:
        return [name for name in [*self._names] if type(name) is str and not name.startswith("_")][:2_000]

    def _get(self, query: dict[str, Any]) -> Any:
        return self._with_graph(self._named(query["name"]), Budget())

    def _call(self, query: dict[str, Any]) -> dict[str, Any]:
        function = self._callable(query["name"])
        return self._run(function, query["args"], query["kwargs"], Budget())

    def _calls(self, query: dict[str, Any]) -> dict[str, Any]:
        function = self._callable(query["name"])
        budget = Budget()
        return {"results": [self._run(function, args, kwargs, budget) for args, kwargs in query["many"]]}

    def _gradient(self, query: dict[str, Any]) -> dict[str, Any]:
        function = self._callable(query["name"])
        args, kwargs = self._built(query["args"], query["kwargs"])
        result = self._summed_backward(function(*args, **kwargs), query["name"])
        gradients = [picture(_grad(arg)) if is_exact_tensor(arg) else None for arg in args]
        return {"result": result, "gradients": gradients}

    def _make(self, query: dict[str, Any]) -> dict[str, Any]:
        maker = self._callable(query["name"])
        args, kwargs = self._built(query["args"], query["kwargs"])
        return self._held_as(maker(*args, **kwargs), query["name"])

    def _hold(self, query: dict[str, Any]) -> dict[str, Any]:
        return self._held_as(self._named(query["name"]), query["name"])

    def _load(self, query: dict[str, Any]) -> None:
        state = {name: arguments.tensor(value) for name, value in query["state"].items()}
        _load_state_dict(self._module(query["handle"]), state)

    def _state(self, query: dict[str, Any]) -> dict[str, Any]:
        budget = Budget()
        state = _state_dict(self._module(query["handle"]))
        return {f"{name}": picture(value, budget) for name, value in [*state.items()][:1_000]}

    def _invoke(self, query: dict[str, Any]) -> dict[str, Any]:
        target = self._held[query["handle"]]
        method = query.get("method")
        if method is not None:
            target = getattr(target, method, None)
        if not callable(target):
            raise Refused(f"It has no method {method}." if method else "It cannot be called.")
        return self._run(target, query["args"], query["kwargs"], Budget())

    def _backward(self, query: dict[str, Any]) -> dict[str, Any]:
        module = self._module(query["handle"])
        parameters = graph.module_parameters(module)
        for parameter in parameters.values():
            _set_grad(parameter, None)
        args, kwargs = self._built(query["args"], query["kwargs"])
        result = self._summed_backward(module(*args, **kwargs), "the model")
        budget = Budget()
        return {
            "result": result,
            "gradients": {f"{n}": picture(_grad(p), budget) for n, p in parameters.items()},
        }

    def _graph(self, query: dict[str, Any]) -> dict[str, Any]:
        if "kept" in query:
            value = self._kept.get(query["kept"])
            if value is None:
                raise Refused("That result is no longer held.")
        else:
            value = self._named(query["name"])
        if not is_exact_tensor(value):
            raise Refused(f"{query.get('name', 'That result')} is no tensor, so it has no graph.")
        return graph.walk(value, self._leaf_names())

    def _printed(self, _: dict[str, Any]) -> str:
        self._streams.flush()
        return self._streams.printed()

    def _named(self, name: str) -> Any:
        try:
            return self._names[name]
        except KeyError:
            near = difflib.get_close_matches(name, self._public_names({}), n=1)
            hint = f" Did you mean {near[0]} to be it?" if near else ""
            raise Refused(f"Your code makes no {name}.{hint}") from None

    def _callable(self, name: str) -> Callable[..., Any]:
        found = self._named(name)
        if not callable(found):
            raise Refused(f"{name} is no function: it is a value of type {type_name(type(found))}.")
        function: Callable[..., Any] = found
        return function

    def _module(self, handle: int) -> Any:
        held = self._held[handle]
        if not _is_module(held):
            raise Refused(f"It is no torch.nn.Module: it is of type {type_name(type(held))}.")
        return held

    def _held_as(self, value: Any, name: str) -> dict[str, Any]:
        if len(self._held) >= MAX_HELD:
            raise Refused(f"At most {MAX_HELD} objects are held in one grading.")
        handle = len(self._held) + 1
        self._held[handle] = value
        state = []
        if _is_module(value):
            for key, tensor in [*_state_dict(value).items()][:1_000]:
                shown = picture(tensor)
                if type(shown) is dict and shown["is"] == "tensor":
                    state.append([f"{key}", shown["dtype"], shown["shape"]])
        return {"handle": handle, "module": _is_module(value), "type": type_name(type(value)), "state": state}

    def _built(self, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        return (
            [arguments.build(arg, self._held) for arg in args],
            {name: arguments.build(arg, self._held) for name, arg in kwargs.items()},
        )

    def _run(
        self, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], budget: Budget
    ) -> dict[str, Any]:
        live_args, live_kwargs = self._built(args, kwargs)
        before = [_contents(arg) for arg in [*live_args, *live_kwargs.values()]]
        start = self._streams.position
        result = function(*live_args, **live_kwargs)
        self._streams.flush()
        after = [_contents(arg) for arg in [*live_args, *live_kwargs.values()]]
        labels = [*range(len(live_args)), *live_kwargs]
        return {
            "result": self._with_graph(result, budget),
            "changed": [label for label, was, now in zip(labels, before, after, strict=True) if was != now],
            "printed": self._streams.printed(start)[:MAX_PRINTED],
        }

    def _summed_backward(self, result: Any, name: str) -> Any:
        if not is_exact_tensor(result):
            raise Refused(f"{name} gave a value of type {type_name(type(result))}; a tensor is needed.")
        shown = self._with_graph(result, Budget())
        _backward(_sum(result))
        return shown

    def _with_graph(self, value: Any, budget: Budget) -> Any:
        shown = picture(value, budget)
        if type(shown) is dict and shown["is"] == "tensor" and _requires_grad(value):
            self._next_kept += 1
            self._kept[self._next_kept] = value
            self._kept.pop(self._next_kept - MAX_KEPT, None)
            shown["kept"] = self._next_kept
        return shown

    def _leaf_names(self) -> dict[int, str]:
        named = [(f"{name}.", value) for name, value in [*self._names.items()] if _is_module(value)]
        held = [("", value) for value in self._held.values() if _is_module(value)]
        return graph.leaf_names(self._names, held + named)


def _is_module(value: Any) -> bool:
    return _Module in _type_mro(type(value))


def _contents(value: Any) -> Any:
    """What of an argument a call may change; None for what cannot change."""
    if is_exact_tensor(value):
        return tensor_picture(value, Budget(), with_grad=False)["value"]
    if type(value) is list or type(value) is dict:
        return _values_only(picture(value))
    return None


def _values_only(shown: Any) -> Any:
    """A picture with nothing of a tensor but its value: a gradient that arrives changes no argument."""
    if type(shown) is not dict:
        return shown
    if shown["is"] == "tensor":
        return shown["value"]
    if "items" not in shown:
        return shown
    items = [
        [_values_only(part) for part in item] if type(item) is list else _values_only(item)
        for item in shown["items"]
    ]
    return [shown["is"], items]
