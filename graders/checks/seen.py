"""What was seen of one value of the learner's: parsed strictly, and described in words.

Everything that the learner's process sends is a claim. What does not parse is the learner's fault, never the
author's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import torch

from graders import wire
from graders.checks.faults import Disagreement
from graders.checks.graphs import Graph
from graders.checks.show import bounded, show, show_shape
from graders.inside.observer import picture as observe

AskGraph = Callable[["TensorFacts", str], Graph]  # a tensor and its name to the graph behind it

MAX_ODD_KEYS = (
    2_000  # of a dict: numbers can be chosen to collide, and then each one costs as much as all before
)

DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in wire.ITEM_SIZES}


@dataclass(frozen=True)
class TensorFacts:
    """What was seen of a tensor or, with `is_array`, of a NumPy array.

    record: the elements, or None and `unseen` says why. grad: as sent. kept: the number under which the
    learner's process still holds the tensor, for its graph.
    """

    dtype: str
    shape: tuple[int, ...]
    record: wire.Tensor | None
    unseen: str
    is_array: bool
    parameter: bool = False
    device: str = "cpu"
    layout: str = "strided"
    requires_grad: bool = False
    is_leaf: bool = True
    retains_grad: bool = False
    grad_fn: str | None = None
    grad: Any = None
    kept: int | None = None


@dataclass(frozen=True)
class ObjectFacts:
    """What was seen of an object of a type that is not read: names of its type and of that type's bases."""

    type: str
    bases: tuple[str, ...]
    note: str


class Seen:
    """One value of the learner's.

    kind: none, bool, number, complex, text, bytes, list, tuple, dict, dtype, tensor, array or object.
    data: the plain value; for list and tuple a list of Seen, for dict a list of (plain key, Seen), for tensor
    and array TensorFacts, for object ObjectFacts. name: how a learner would write it ("x.grad").
    owner: of a gradient, the facts of the tensor it belongs to. backward_done: of a gradient, whether the
    check itself has had backward() called. printed: what the call that made it printed. changed: the
    positions, from 0, and the names of the arguments that this call changed in place.
    """

    def __init__(
        self,
        kind: str,
        data: Any,
        name: str,
        *,
        ask_graph: AskGraph | None = None,
        owner: TensorFacts | None = None,
        printed: str = "",
        changed: tuple[int | str, ...] = (),
        backward_done: bool = False,
    ) -> None:
        self.kind = kind
        self.data = data
        self.name = name
        self.owner = owner
        self.printed = printed
        self.changed = changed
        self.backward_done = backward_done
        self._ask_graph = ask_graph

    @classmethod
    def parse(
        cls,
        sent: Any,
        name: str,
        *,
        ask_graph: AskGraph | None = None,
        owner: TensorFacts | None = None,
        printed: str = "",
        changed: tuple[int | str, ...] = (),
        backward_done: bool = False,
    ) -> Self:
        """What the learner's process sent. Raises: Disagreement if that is no picture."""
        try:
            kind, data = cls._parsed(sent, name)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise Disagreement(
                f"{name} could not be read: your program's process sent something odd."
            ) from error
        return cls(
            kind,
            data,
            name,
            ask_graph=ask_graph,
            owner=owner,
            printed=printed,
            changed=changed,
            backward_done=backward_done,
        )

    @classmethod
    def of(cls, value: Any, name: str) -> Self:
        """A value of the check's own, to compare it like one of the learner's."""
        return cls.parse(observe(value), name)

    @property
    def value(self) -> Any:
        """The plain value: a number, text, list, or a new torch tensor. Disagreement if it was not read."""
        if self.kind in ("list", "tuple"):
            items = [item.value for item in self.data]
            return items if self.kind == "list" else tuple(items)
        if self.kind == "dict":
            return {key: item.value for key, item in self.data}
        if self.kind in ("tensor", "array"):
            return self.tensor_value()
        if self.kind == "object":
            raise Disagreement(f"{self.name} is {self.described()}; a plain value is needed.")
        return self.data

    def item(self) -> int | float:
        """The number: a Python number, or the element of a tensor or array of shape ().

        Disagreement for everything else; a bool is no number, and neither is a tensor of shape (1,).
        """
        if self.kind == "number":
            number: int | float = self.data
            return number
        if self.is_tensor_like and self.data.shape == () and self.data.dtype != "bool":
            found = self.tensor_value().item()
            if isinstance(found, int | float):
                return found
        raise Disagreement(f"{self.name} is {self.described()}; a single number is needed.", got=self.short())

    def tensor_value(self) -> torch.Tensor:
        """The elements of a tensor or array, in a new tensor. Disagreement if they were not read."""
        facts: TensorFacts = self.data
        if facts.record is None:
            why = facts.unseen or "they were not sent"
            raise Disagreement(f"The elements of {self.name} cannot be read: {why}.")
        dtype = DTYPES[facts.record.dtype]
        if not facts.record.data:
            return torch.empty(facts.shape, dtype=dtype)
        return torch.frombuffer(bytearray(facts.record.data), dtype=dtype).reshape(facts.shape)

    @property
    def is_tensor_like(self) -> bool:
        """Whether it is a tensor or a NumPy array."""
        return self.kind in ("tensor", "array")

    def described(self) -> str:
        """What it is, in a few words: "a float32 tensor of shape (3,)"."""
        if self.is_tensor_like:
            noun = "NumPy array" if self.data.is_array else "tensor"
            return f"{_a(self.data.dtype)} {noun} of shape {show_shape(self.data.shape)}"
        if self.kind == "object":
            return _described_object(self.data)
        if self.kind == "number":
            return f"the {'whole number' if isinstance(self.data, int) else 'number'} {show(self.data)}"
        if self.kind in ("list", "tuple", "dict"):
            return f"a {self.kind} of length {len(self.data)}"
        words = {"none": "None", "text": f"the text {show(self.data)}", "bytes": "bytes"}
        return words.get(self.kind, show(self.data))

    def short(self) -> str:
        """The value itself as short text, or what it is where that is not read."""
        try:
            return show(self.value)
        except Disagreement:
            return bounded(self.described())

    def why_none(self) -> str:
        """Why a gradient is None, as far as its tensor shows; "" if this is no gradient."""
        if self.owner is None:
            return ""
        if self.backward_done:
            return "no path in the graph leads from the result back to it"
        owner = self.name.removesuffix(".grad")
        if not self.owner.requires_grad:
            return f"{owner} was made without requires_grad=True"
        if not self.owner.is_leaf and not self.owner.retains_grad:
            made = f"the result of an operation ({self.owner.grad_fn})"
            return f"{owner} is no leaf but {made}, and those keep no gradient without retain_grad()"
        return f"backward() was not called on anything that was computed from {owner}"

    def __repr__(self) -> str:
        return f"<picture of {self.name}: {self.short()}>"

    @classmethod
    def _parsed(cls, sent: Any, name: str) -> tuple[str, Any]:
        plain = _PLAIN.get(type(sent))
        if plain is not None:
            return plain, sent
        kind = sent["is"]
        if kind in ("list", "tuple"):
            return kind, [cls.parse(item, f"{name}[{i}]") for i, item in enumerate(sent["items"])]
        if kind == "dict":
            pairs = [(cls.parse(key, name).value, item) for key, item in sent["items"]]
            if len(pairs) > MAX_ODD_KEYS and any(type(key) is not str for key, _ in pairs):
                raise ValueError("too many keys that are no texts")
            if len({key for key, _ in pairs}) != len(pairs):  # a key that cannot be one raises TypeError here
                raise ValueError("a key stands twice")
            return kind, [(key, cls.parse(item, f"{name}[{show(key)}]")) for key, item in pairs]
        if kind == "complex":
            return kind, complex(float(sent["real"]), float(sent["imag"]))
        if kind == "dtype":
            return kind, DTYPES.get(sent["name"], str(sent["name"])[:40])
        if kind in ("array", "tensor"):
            return kind, _facts(sent, is_array=kind == "array")
        if kind == "object":
            bases = tuple(str(base)[:100] for base in sent["bases"][:12])
            return kind, ObjectFacts(str(sent["type"])[:100], bases, str(sent["note"])[:300])
        raise ValueError(kind)


_PLAIN = {type(None): "none", bool: "bool", int: "number", float: "number", str: "text", bytes: "bytes"}


def facts_of(tensor: torch.Tensor) -> TensorFacts:
    """The facts of a tensor of the check's own."""
    facts: TensorFacts = Seen.of(tensor, "").data
    return facts


def _facts(sent: dict[str, Any], *, is_array: bool) -> TensorFacts:
    shape = tuple(int(size) for size in sent["shape"])
    record = sent["value"]
    if record is not None and (
        type(record) is not wire.Tensor or record.shape != shape or record.dtype != sent["dtype"]
    ):
        raise ValueError("the elements do not fit the description")
    dtype, unseen = str(sent["dtype"])[:40], str(sent["unseen"])[:300]
    if is_array:
        return TensorFacts(dtype, shape, record, unseen, is_array=True)
    grad_fn, kept = sent["grad_fn"], sent.get("kept")
    return TensorFacts(
        dtype,
        shape,
        record,
        unseen,
        is_array=False,
        parameter=sent["parameter"] is True,
        device=str(sent["device"])[:40],
        layout=str(sent["layout"])[:40],
        requires_grad=sent["requires_grad"] is True,
        is_leaf=sent["is_leaf"] is True,
        retains_grad=sent["retains_grad"] is True,
        grad_fn=None if grad_fn is None else str(grad_fn)[:100],
        grad=sent["grad"],
        kept=kept if type(kept) is int else None,
    )


def _described_object(facts: ObjectFacts) -> str:
    if facts.note:
        return bounded(f"{_a(facts.type)} ({facts.note})")
    notable = [base for base in facts.bases if base not in ("object", "TensorBase", "Generic")]
    return f"an object of type {facts.type}" + (f", a kind of {notable[0]}" if notable else "")


def _a(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' and not noun.startswith('uint') else 'a'} {noun}"
