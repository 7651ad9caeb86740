"""Pictures of the learner's values, as a check sees them. A comparison that comes out false knows why.

A picture is made from plain data that the learner's process sent, and everything in that data is a claim: it is
parsed strictly, and what does not parse is the learner's fault, never the author's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from graders import wire
from graders.checks.faults import AuthorError, Disagreement
from graders.checks.journal import Entry, journal
from graders.checks.show import bounded, show, show_shape
from graders.inside.observer import picture as observe

if TYPE_CHECKING:
    from graders.checks.compare import Comparison
    from graders.checks.graphs import Graph

AskGraph = Callable[["Picture"], "Graph"]

_DTYPES = {name: getattr(torch, name) for name in wire.ITEM_SIZES}


@dataclass(frozen=True)
class TensorFacts:
    """What was seen of a tensor or, with `is_array`, of a NumPy array. unseen: why there are no elements, or ""."""

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


class Picture:
    """One value of the learner's. kind: none, bool, number, complex, text, bytes, list, tuple, dict, dtype,
    tensor, array or object. name: how a learner would write it ("x.grad")."""

    __hash__ = None  # type: ignore[assignment] -- pictures compare by value

    def __init__(
        self,
        kind: str,
        data: Any,
        name: str,
        ask_graph: AskGraph | None = None,
        owner: TensorFacts | None = None,
        printed: str = "",
    ) -> None:
        self.kind = kind
        self.data = data
        self.name = name
        self.owner = owner  # of a gradient: the tensor that it is the gradient of
        self.printed = printed  # of a call's result: what that call printed
        self._ask_graph = ask_graph

    # -- what it is

    @property
    def value(self) -> Any:
        """The plain value: a number, text, list, or a new torch tensor. Disagreement if it was not read."""
        if self.kind in ("list", "tuple"):
            items = [item.value for item in self.data]
            return items if self.kind == "list" else tuple(items)
        if self.kind == "dict":
            return {key: item.value for key, item in self.data}
        if self.kind in ("tensor", "array"):
            return self._tensor_value()
        if self.kind == "object":
            raise Disagreement(f"{self.name} is {self.described()}; a plain value is needed.")
        return self.data

    def item(self) -> int | float:
        """The number: of a Python number, or of a tensor or array of shape (). Disagreement otherwise; a bool is none."""
        if self.kind == "number":
            number: int | float = self.data
            return number
        facts = self.data
        if self.kind in ("tensor", "array") and facts.shape == () and facts.dtype != "bool":
            found = self._tensor_value().item()
            if isinstance(found, int | float):
                return found
        raise Disagreement(f"{self.name} is {self.described()}; a single number is needed.", got=self.short())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of a tensor or array, as torch has it."""
        name = self._facts("dtype").dtype
        if name not in _DTYPES:
            raise Disagreement(f"{self.name} has the dtype {name}, which is not read here.")
        dtype: torch.dtype = _DTYPES[name]
        self._noted("dtype", f"{dtype}")
        return dtype

    @property
    def shape(self) -> Shape:
        """The sizes of a tensor or array; () for a single number."""
        return Shape(self._facts("shape").shape, self.name)

    @property
    def device(self) -> str:
        """ "cpu", "meta", …: the device's type."""
        return self._noted("device", self._tensor("device").device)

    @property
    def layout(self) -> str:
        """ "strided" for a dense tensor."""
        return self._noted("layout", self._tensor("layout").layout)

    @property
    def is_parameter(self) -> bool:
        """Whether it is an nn.Parameter."""
        return self._noted("is_parameter", self._tensor("is_parameter").parameter)

    @property
    def requires_grad(self) -> bool:
        """Whether autograd records what is done with it."""
        facts = self._tensor("requires_grad")
        why = "" if facts.requires_grad else self._why_untracked(facts)
        return self._noted("requires_grad", facts.requires_grad, why)

    @property
    def is_leaf(self) -> bool:
        """Whether it was made by the user and not by an operation."""
        facts = self._tensor("is_leaf")
        why = "" if facts.is_leaf else f"it is the result of an operation ({facts.grad_fn})"
        return self._noted("is_leaf", facts.is_leaf, why)

    @property
    def retains_grad(self) -> bool:
        """Whether it is no leaf and keeps its gradient all the same."""
        return self._noted("retains_grad", self._tensor("retains_grad").retains_grad)

    @property
    def grad_fn(self) -> str | None:
        """The name of the operation that made it, such as "AddBackward0"; None for a leaf."""
        facts = self._tensor("grad_fn")
        return self._noted("grad_fn", facts.grad_fn, "" if facts.grad_fn else self._why_untracked(facts))

    @property
    def grad(self) -> Picture:
        """The gradient's picture; of kind "none" if there is none, which also passes `is None`."""
        facts = self._tensor("grad")
        found = parse(facts.grad, f"{self.name}.grad", None, owner=facts)
        found.look()
        return found

    @property
    def graph(self) -> Graph:
        """The autograd graph behind a tensor."""
        self._tensor("graph")
        if self._ask_graph is None:
            raise AuthorError(f"{self.name} is not a value whose graph can be asked for")
        return self._ask_graph(self)

    # -- containers and text

    def __len__(self) -> int:
        if self.kind in ("list", "tuple", "dict", "text", "bytes"):
            return len(self.data)
        if self.kind in ("tensor", "array") and self.data.shape:
            length: int = self.data.shape[0]
            return length
        raise Disagreement(f"{self.name} is {self.described()}; it has no length.")

    def __iter__(self) -> Iterator[Picture]:
        return (self[position] for position in range(len(self)))

    def __getitem__(self, key: Any) -> Picture:
        name = f"{self.name}[{key!r}]"
        if self.kind == "dict":
            for known, item in self.data:
                if type(known) is type(key) and known == key:
                    found: Picture = item
                    return found
        elif self.kind in ("list", "tuple"):
            if isinstance(key, int) and -len(self.data) <= key < len(self.data):
                entry: Picture = self.data[key]
                return entry
        elif self.kind in ("tensor", "array"):
            try:
                return Picture.of(self._tensor_value()[key], name)
            except IndexError:
                pass
        elif self.kind == "text" and isinstance(key, int | slice):
            return Picture.of(self.data[key], name)
        raise Disagreement(f"There is no {name}: {self.name} is {self.described()}.")

    def __contains__(self, item: Any) -> bool:
        if self.kind == "text" and isinstance(item, str):
            found = item in self.data
            journal.note(
                Entry(f"{self.name} does not contain {show(item)}.", self.short(), show(item), found)
            )
            return found
        if self.kind in ("list", "tuple", "dict"):
            keys = [Picture.of(key, self.name) for key, _ in self.data] if self.kind == "dict" else self.data
            found = any(key == item for key in keys)
            journal.note(Entry(f"{self.name} does not hold {show(item)}.", self.short(), show(item), found))
            return found
        raise Disagreement(f"{self.name} is {self.described()}; nothing can be in it.")

    # -- comparisons

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        from graders.checks.compare import equal

        return equal(self, other)

    def __ne__(self, other: object) -> Comparison:  # type: ignore[override]
        from graders.checks.compare import unequal

        return unequal(self, other)

    def __lt__(self, other: Any) -> Comparison:
        from graders.checks.compare import ordered

        return ordered(self, "<", other)

    def __le__(self, other: Any) -> Comparison:
        from graders.checks.compare import ordered

        return ordered(self, "<=", other)

    def __gt__(self, other: Any) -> Comparison:
        from graders.checks.compare import ordered

        return ordered(self, ">", other)

    def __ge__(self, other: Any) -> Comparison:
        from graders.checks.compare import ordered

        return ordered(self, ">=", other)

    def __bool__(self) -> bool:
        if self.kind in ("bool", "none"):
            self.look()
            return bool(self.data)
        if self.kind == "tensor" and self.data.dtype == "bool" and self.data.shape == ():
            self.look()
            return bool(self._tensor_value().item())
        raise Disagreement(f"{self.name} is {self.described()}; True or False is needed.", got=self.short())

    # -- words

    def described(self) -> str:
        """What it is, in a few words: "a float32 tensor of shape (3,)"."""
        if self.kind in ("tensor", "array"):
            noun = "NumPy array" if self.data.is_array else "tensor"
            return f"a {self.data.dtype} {noun} of shape {show_shape(self.data.shape)}"
        if self.kind == "object":
            return _described_object(self.data)
        if self.kind == "number":
            return f"the {'whole number' if isinstance(self.data, int) else 'number'} {show(self.data)}"
        if self.kind in ("list", "tuple", "dict"):
            return f"a {self.kind} of length {len(self.data)}"
        return {"none": "None", "text": f"the text {show(self.data)}", "bytes": "bytes"}.get(
            self.kind, show(self.data)
        )

    def short(self) -> str:
        """The value itself as short text, or what it is where that is not read."""
        try:
            return show(self.value)
        except Disagreement:
            return bounded(self.described())

    def look(self) -> None:
        """Note in the journal that the check has looked at this."""
        why = self.why_none() if self.kind == "none" else ""
        journal.note(Entry(f"{self.name} is {self.short()}{': ' + why if why else ''}.", got=self.short()))

    def why_none(self) -> str:
        """Why a gradient is None, as far as its tensor shows; "" if this is no gradient."""
        if self.owner is None:
            return ""
        owner = self.name.removesuffix(".grad")
        if not self.owner.requires_grad:
            return f"{owner} was made without requires_grad=True"
        if not self.owner.is_leaf and not self.owner.retains_grad:
            return f"{owner} is no leaf but the result of an operation ({self.owner.grad_fn}), and those keep no gradient"
        return f"backward() was not called on anything that was computed from {owner}"

    def __repr__(self) -> str:
        return f"<picture of {self.name}: {self.short()}>"

    @classmethod
    def of(cls, value: Any, name: str) -> Picture:
        """The picture of a value of the check's own, to compare it like one of the learner's."""
        return parse(observe(value), name, None)

    # -- within

    def _tensor(self, attribute: str) -> TensorFacts:
        facts = self._facts(attribute)
        if facts.is_array:
            raise Disagreement(
                f"{self.name} is {self.described()}, so it has no .{attribute}; a tensor is needed."
            )
        return facts

    def _facts(self, attribute: str) -> TensorFacts:
        if self.kind not in ("tensor", "array"):
            why = self.why_none()
            raise Disagreement(
                f"{self.name} is {self.described()}{': ' + why if why else ''}. "
                f"It has no .{attribute}; a tensor is needed.",
                got=self.short(),
            )
        facts: TensorFacts = self.data
        return facts

    def _noted(self, attribute: str, value: Any, why: str = "") -> Any:
        journal.note(Entry(f"{self.name}.{attribute} is {value}{': ' + why if why else ''}.", got=f"{value}"))
        return value

    def _why_untracked(self, facts: TensorFacts) -> str:
        if facts.requires_grad:
            return f"{self.name} was made directly, not by an operation"
        if not facts.dtype.startswith(("float", "bfloat", "complex")):
            return f"{self.name} holds {facts.dtype} values, and those have no gradient"
        return f"{self.name} was neither made with requires_grad=True nor computed from such a tensor"

    def _tensor_value(self) -> torch.Tensor:
        facts: TensorFacts = self.data
        if facts.record is None:
            raise Disagreement(
                f"The elements of {self.name} cannot be read: {facts.unseen or 'they were not sent'}."
            )
        dtype = _DTYPES[facts.record.dtype]
        if not facts.record.data:
            return torch.empty(facts.shape, dtype=dtype)
        return torch.frombuffer(bytearray(facts.record.data), dtype=dtype).reshape(facts.shape)


class Shape(tuple[int, ...]):
    """A tuple of sizes whose false comparison explains itself."""

    _of: str

    def __new__(cls, sizes: tuple[int, ...], of: str) -> Shape:
        """The shape of what is called `of`."""
        made = super().__new__(cls, sizes)
        made._of = of
        return made

    def __eq__(self, other: object) -> bool:
        same = tuple(self) == (tuple(other) if isinstance(other, list | tuple) else other)
        got, expected = f"{tuple(self)}", f"{tuple(other) if isinstance(other, list | tuple) else other}"
        journal.note(Entry(f"{self._of} has shape {got}; expected {expected}.", got, expected, same))
        return same

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__


def parse(
    sent: Any, name: str, ask_graph: AskGraph | None, *, owner: TensorFacts | None = None, printed: str = ""
) -> Picture:
    """The picture that the learner's process sent. Raises: Disagreement if it is none."""
    try:
        kind, data = _parsed(sent, name)
    except (KeyError, TypeError, ValueError, wire.WireError) as error:
        raise Disagreement(f"{name} could not be read: your program's process sent something odd.") from error
    return Picture(kind, data, name, ask_graph, owner, printed)


_PLAIN = {type(None): "none", bool: "bool", int: "number", float: "number", str: "text", bytes: "bytes"}


def _parsed(sent: Any, name: str) -> tuple[str, Any]:
    plain = _PLAIN.get(type(sent))
    if plain is not None:
        return plain, sent
    kind = sent["is"]
    if kind in ("list", "tuple"):
        return kind, [parse(item, f"{name}[{i}]", None) for i, item in enumerate(sent["items"])]
    if kind == "dict":
        pairs = [(parse(key, name, None).value, item) for key, item in sent["items"]]
        return kind, [(key, parse(item, f"{name}[{key!r}]", None)) for key, item in pairs]
    if kind == "complex":
        return kind, complex(float(sent["real"]), float(sent["imag"]))
    if kind == "dtype":
        return kind, _DTYPES.get(sent["name"], str(sent["name"]))
    if kind == "array":
        return kind, _facts(sent, is_array=True)
    if kind == "tensor":
        return kind, _facts(sent, is_array=False)
    if kind == "object":
        return kind, ObjectFacts(
            str(sent["type"])[:100], tuple(map(str, sent["bases"]))[:12], str(sent["note"])[:300]
        )
    raise ValueError(kind)


def _facts(sent: dict[str, Any], *, is_array: bool) -> TensorFacts:
    shape = tuple(int(size) for size in sent["shape"])
    record = sent["value"]
    if record is not None and (
        type(record) is not wire.Tensor or record.shape != shape or record.dtype != sent["dtype"]
    ):
        raise ValueError("the elements do not fit the description")
    common = {
        "dtype": str(sent["dtype"])[:40],
        "shape": shape,
        "record": record,
        "unseen": str(sent["unseen"])[:300],
    }
    if is_array:
        return TensorFacts(**common, is_array=True)
    grad_fn, kept = sent["grad_fn"], sent.get("kept")
    return TensorFacts(
        **common,
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
        return bounded(f"a {facts.type} ({facts.note})")
    notable = [base for base in facts.bases if base not in ("object", "TensorBase", "Generic")]
    return f"an object of type {facts.type}" + (f", a kind of {notable[0]}" if notable else "")
