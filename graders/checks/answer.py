"""The learner's code, as a check uses it: names, calls, objects.

Each use is one question to the learner's process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from graders import wire
from graders.checks.compare import plain
from graders.checks.faults import AuthorError, Disagreement, Gone, LearnerRaised
from graders.checks.graphs import Graph
from graders.checks.journal import journal
from graders.checks.pictures import Picture
from graders.checks.reports import base_names, error_report
from graders.checks.seen import TensorFacts, facts_of
from graders.checks.show import dtype_name, show

Ask = Callable[[dict[str, Any]], Any]  # sends {"ask": query}, returns the learner's frame

_NUMPY_BYTES = {torch.bfloat16: torch.int16}  # NumPy has no bfloat16; its bits travel as int16 ones


class Answer:
    """The learner's module. `answer["x"]` is a picture of its x."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def __getitem__(self, name: str) -> Picture:
        """The picture of a name. Disagreement if the code makes no such name."""
        return self._parsed(self.question({"op": "get", "name": name}, name), name)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that the code has made at its top level and that begins with no underscore."""
        return tuple(str(name) for name in self.question({"op": "names"}, "the names of your code"))

    @property
    def printed(self) -> Printed:
        """What has been printed so far, as far as it is kept (64 KiB)."""
        return Printed("text", str(self.question({"op": "printed"}, "the output")), "the output")

    def call(self, function: str, *args: Any, **kwargs: Any) -> Picture:
        """The picture of what a function returns for fresh copies of these arguments.

        If the call changes an argument, that is added to the explanation of whatever fails next in this
        check.
        """
        asked = _written(function, args, kwargs)
        return self.result(self.question(_call("call", function, args, kwargs), asked), asked)

    def call_many(self, function: str, inputs: Sequence[Any]) -> list[Picture]:
        """One call for each input, in one exchange; an input that is a tuple is several arguments.

        The order of the results is that of the inputs. The first call that raises ends it all.
        """
        calls = [given if isinstance(given, tuple) else (given,) for given in inputs]
        query = {
            "op": "calls",
            "name": function,
            "many": [[[encode(arg) for arg in args], {}] for args in calls],
        }
        sent = self.question(query, f"One of {len(calls)} calls of {function}")
        results = _field(sent, "results", list, function)
        if len(results) != len(calls):
            raise Disagreement(f"{function} was called {len(calls)} times and gave {len(results)} results.")
        return [
            self.result(result, _written(function, args, {}))
            for result, args in zip(results, calls, strict=True)
        ]

    def gradient(self, function: str, *args: Any, **kwargs: Any) -> Picture:
        """The gradient of `function(...).sum()` for its first tensor argument, made to require grad."""
        position = next((at for at, arg in enumerate(args) if isinstance(arg, torch.Tensor)), None)
        if position is None:
            raise AuthorError(f"answer.gradient({function!r}, …): one of the arguments must be a tensor")
        tracked = [*args]
        tracked[position] = args[position].detach().clone().requires_grad_()
        asked = _written(function, args, kwargs)
        sent = self.question(_call("gradient", function, tuple(tracked), kwargs), asked)
        gradients = _field(sent, "gradients", list, function)
        if position >= len(gradients):
            raise Disagreement(f"The gradient of {asked} could not be read.")
        owner = facts_of(tracked[position])
        return Picture.parse(gradients[position], f"the gradient of {asked}", owner=owner, backward_done=True)

    def make(
        self, name: str, *args: Any, state: Mapping[str, torch.Tensor] | None = None, **kwargs: Any
    ) -> Model:
        """An object of a class of the learner's, made with these arguments and held for further questions.

        state: loaded into it with load_state_dict. Disagreement, in words, if names, shapes or dtypes differ.
        """
        asked = _written(name, args, kwargs)
        sent = self.question(_call("make", name, args, kwargs), asked)
        return self._model(sent, name, state)

    def model(self, name: str, *, state: Mapping[str, torch.Tensor] | None = None) -> Model:
        """An object that the learner's code has made under this name, held for further questions."""
        return self._model(self.question({"op": "hold", "name": name}, name), name, state)

    def _model(self, sent: Any, name: str, state: Mapping[str, torch.Tensor] | None) -> Model:
        try:
            shapes = {
                str(key): (str(dtype), tuple(int(size) for size in shape))
                for key, dtype, shape in sent["state"]
            }
            model = Model(self, int(sent["handle"]), name, shapes, is_module=sent["module"] is True)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise Disagreement(f"{name} could not be read.") from error
        if state is not None:
            model.load(state)
        return model

    def question(self, query: dict[str, Any], asked: str) -> Any:
        """What the learner's process replies to one query; `asked` names it in messages.

        Raises: Disagreement if it refuses or sends no answer, LearnerRaised, Gone.
        """
        frame = self._ask(query)
        if type(frame) is not dict:
            raise Disagreement(f"The answer about {asked} could not be read.")
        if "gone" in frame:
            raise Gone(frame["gone"])
        if "refused" in frame:
            raise Disagreement(str(frame["refused"])[:1_000])
        if "raised" in frame:
            raise LearnerRaised(error_report(frame["raised"]), base_names(frame.get("bases")), asked)
        if "reply" not in frame:
            raise Disagreement(f"There was no answer about {asked}.")
        return frame["reply"]

    def result(self, sent: Any, asked: str) -> Picture:
        """The picture of what a call returned, as sent; changed arguments are noted for what fails next."""
        changed = _field(sent, "changed", list, asked)
        function = asked.partition("(")[0]
        for label in changed:
            which = f"argument {label + 1}" if type(label) is int else f"the argument {str(label)[:40]}"
            journal.remark(
                f"{function} changed {which} in place: the caller's own value is no longer what it was."
            )
        printed = sent.get("printed")
        result = _field(sent, "result", None, asked)
        return Picture.parse(
            result,
            asked,
            ask_graph=self._graph_of,
            printed=printed if type(printed) is str else "",
            changed=tuple(label for label in changed if type(label) in (int, str)),
        )

    def _parsed(self, sent: Any, name: str) -> Picture:
        return Picture.parse(sent, name, ask_graph=self._graph_of)

    def _graph_of(self, facts: TensorFacts, name: str) -> Graph:
        if facts.kept is None:  # nothing is tracked, so there is nothing to walk
            return Graph({"nodes": 0, "leaf": None, "listed": [], "edges": []}, name)
        return Graph(self.question({"op": "graph", "kept": facts.kept}, f"the graph of {name}"), name)


class Model:
    """An object that the learner's process holds: usually an nn.Module.

    Passing it to a call passes that object.
    """

    def __init__(
        self,
        answer: Answer,
        handle: int,
        name: str,
        shapes: dict[str, tuple[str, tuple[int, ...]]],
        *,
        is_module: bool,
    ) -> None:
        self.handle = handle
        self.name = name
        self.shapes = {key: shape for key, (_, shape) in shapes.items()}  # of its state_dict
        self.is_module = is_module
        self._answer = answer
        self._dtypes = {key: dtype for key, (dtype, _) in shapes.items()}

    def __call__(self, *args: Any, **kwargs: Any) -> Picture:
        """What calling the object gives."""
        return self._invoke(None, self.name, args, kwargs)

    def call(self, method: str, *args: Any, **kwargs: Any) -> Picture:
        """What one of its methods gives."""
        return self._invoke(method, f"{self.name}.{method}", args, kwargs)

    def gradients(self, *args: Any, **kwargs: Any) -> ByName:
        """By name, the gradient of each parameter after `self(*args).sum().backward()`, cleared before."""
        asked = _written(self.name, args, kwargs)
        query = _call("backward", "", args, kwargs) | {"handle": self.handle}
        sent = _field(self._answer.question(query, asked), "gradients", dict, asked)
        owner = facts_of(torch.empty((), requires_grad=True))
        found = {
            key: Picture.parse(value, f"{self.name}.{key}.grad", owner=owner, backward_done=True)
            for key, value in sent.items()
        }
        return ByName(found, f"{self.name} has no parameter")

    def state(self) -> ByName:
        """Its state_dict, by name."""
        sent = self._answer.question({"op": "state", "handle": self.handle}, f"the state of {self.name}")
        if type(sent) is not dict:
            raise Disagreement(f"The state of {self.name} could not be read.")
        found = {key: Picture.parse(value, f"{self.name}.{key}") for key, value in sent.items()}
        return ByName(found, f"{self.name} has no entry")

    def load(self, state: Mapping[str, torch.Tensor]) -> None:
        """Give it these weights. Disagreement, in words, if its names, shapes or dtypes are others."""
        wanted = {key: tuple(tensor.shape) for key, tensor in state.items()}
        missing = [key for key in wanted if key not in self.shapes]
        extra = [key for key in self.shapes if key not in wanted]
        if missing or extra:
            words = [f"{key} is missing" for key in missing[:4]] + [
                f"{key} is not expected" for key in extra[:4]
            ]
            raise Disagreement(
                f"The parameters of {self.name} have other names than asked for: {', '.join(words)}.",
                got=", ".join(self.shapes) or "no parameters",
                expected=", ".join(wanted),
            )
        for key, shape in wanted.items():
            if self.shapes[key] != shape:
                raise Disagreement(
                    f"{self.name}.{key} has shape {self.shapes[key]}; expected {shape}.",
                    got=f"{self.shapes[key]}",
                    expected=f"{shape}",
                )
            if self._dtypes[key] != dtype_name(state[key].dtype):
                raise Disagreement(f"{self.name}.{key} is {self._dtypes[key]}; expected {state[key].dtype}.")
        sent = {key: encode(tensor) for key, tensor in state.items()}
        self._answer.question(
            {"op": "load", "handle": self.handle, "state": sent}, f"the weights of {self.name}"
        )

    def _invoke(
        self, method: str | None, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Picture:
        asked = _written(name, args, kwargs)
        query = _call("invoke", "", args, kwargs) | {"handle": self.handle, "method": method}
        return self._answer.result(self._answer.question(query, asked), asked)


class ByName(dict[str, Picture]):
    """Pictures by name. A name that is not there is the learner's doing: Disagreement, not KeyError."""

    def __init__(self, pictures: dict[str, Picture], missing: str) -> None:
        super().__init__(pictures)
        self._missing = missing

    def __missing__(self, name: str) -> Picture:
        known = ", ".join(self) or "none at all"
        raise Disagreement(f"{self._missing} {name}.", got=known, expected=name)


class Printed(Picture):
    """Printed text. Comparing ignores blanks at the ends of lines and empty lines at the end."""

    @property
    def lines(self) -> list[str]:
        """Its lines, without blanks at their ends and without empty ones at the end."""
        return [line.rstrip() for line in self.data.rstrip().split("\n")] if self.data.strip() else []

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, str):
            return super().__eq__(other)
        tidy = Printed("text", other, "").lines
        return Picture("text", "\n".join(self.lines), self.name) == "\n".join(tidy)

    __hash__ = None


def encode(value: Any) -> Any:
    """An argument as it travels (inside/arguments.py). Raises: AuthorError for a type that does not."""
    value = plain(value) if isinstance(value, Picture | np.ndarray | np.generic) else value
    if isinstance(value, Model):
        return {"is": "held", "handle": value.handle}
    if isinstance(value, torch.Tensor):
        return _tensor_record(value)
    if isinstance(value, list | tuple):
        return {
            "is": "list" if isinstance(value, list) else "tuple",
            "items": [encode(item) for item in value],
        }
    if isinstance(value, dict):
        return {"is": "dict", "items": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, torch.dtype):
        return {"is": "dtype", "name": dtype_name(value)}
    if value is None or type(value) in (bool, int, float, str, bytes):
        return value
    raise AuthorError(f"a value of type {type(value).__name__} cannot be passed to the learner's code")


def _tensor_record(tensor: torch.Tensor) -> wire.Tensor:
    flat = tensor.detach().cpu().contiguous()
    raw = flat.view(_NUMPY_BYTES.get(flat.dtype, flat.dtype))
    return wire.Tensor(dtype_name(flat.dtype), tuple(flat.shape), tensor.requires_grad, raw.numpy().tobytes())


def _call(op: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return {
        "op": op,
        "name": name,
        "args": [encode(arg) for arg in args],
        "kwargs": {key: encode(value) for key, value in kwargs.items()},
    }


def _written(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """The call as a learner would write it, with long arguments described."""
    parts = [_shown(arg) for arg in args] + [f"{key}={_shown(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _shown(value: Any) -> str:
    if isinstance(value, Model):
        return value.name
    if isinstance(value, torch.Tensor):
        return f"tensor({show(value)})" if value.numel() <= 4 else f"tensor of shape {tuple(value.shape)}"
    return show(plain(value))


def _field(sent: Any, key: str, kind: type | None, asked: str) -> Any:
    if type(sent) is not dict or key not in sent or (kind is not None and type(sent[key]) is not kind):
        raise Disagreement(f"What {asked} gave could not be read.")
    return sent[key]
