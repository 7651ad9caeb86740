"""Pictures of the learner's values, as a check uses them. A comparison that comes out false knows why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import torch

from graders.checks.compare import Comparison, equal, ordered, unequal
from graders.checks.faults import AuthorError, Disagreement
from graders.checks.graphs import Graph
from graders.checks.journal import Entry, journal
from graders.checks.seen import DTYPES, Seen, TensorFacts
from graders.checks.show import show


class Picture(Seen):
    """One value of the learner's. `==` and its kin compare on the checker's side and explain themselves."""

    __hash__ = None  # type: ignore[assignment]  # pictures compare by value

    def __eq__(self, other: object) -> Comparison:  # type: ignore[override]
        return equal(self, other)

    def __ne__(self, other: object) -> Comparison:  # type: ignore[override]
        return unequal(self, other)

    def __lt__(self, other: Any) -> Comparison:
        return ordered(self, "<", other)

    def __le__(self, other: Any) -> Comparison:
        return ordered(self, "<=", other)

    def __gt__(self, other: Any) -> Comparison:
        return ordered(self, ">", other)

    def __ge__(self, other: Any) -> Comparison:
        return ordered(self, ">=", other)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        """The truth of True, False, None and a bool tensor of shape (); Disagreement for all else."""
        if self.kind in ("bool", "none"):
            self.look()
            return bool(self.data)
        if self.kind == "tensor" and self.data.dtype == "bool" and self.data.shape == ():
            self.look()
            return bool(self.tensor_value().item())
        raise Disagreement(f"{self.name} is {self.described()}; True or False is needed.", got=self.short())

    @property
    def dtype(self) -> Dtype:
        """The dtype of a tensor or array: equal to its name ("float32") and to torch's object for it."""
        return Dtype(self._facts("dtype").dtype, self.name)

    @property
    def shape(self) -> Shape:
        """The sizes of a tensor or array; () for a single number."""
        return Shape(self._facts("shape").shape, self.name)

    @property
    def device(self) -> str:
        """The device's type: "cpu", "meta"."""
        device = self._tensor("device").device
        self._note("device", device)
        return device

    @property
    def layout(self) -> str:
        """ "strided" for a dense tensor."""
        layout = self._tensor("layout").layout
        self._note("layout", layout)
        return layout

    @property
    def is_parameter(self) -> bool:
        """Whether it is an nn.Parameter."""
        parameter = self._tensor("is_parameter").parameter
        self._note("is_parameter", parameter)
        return parameter

    @property
    def requires_grad(self) -> bool:
        """Whether autograd records what is done with it."""
        facts = self._tensor("requires_grad")
        self._note("requires_grad", facts.requires_grad, self._why_untracked(facts))
        return facts.requires_grad

    @property
    def is_leaf(self) -> bool:
        """Whether it was made directly and not by an operation that autograd records."""
        facts = self._tensor("is_leaf")
        why = "" if facts.is_leaf else f"it is the result of an operation ({facts.grad_fn})"
        self._note("is_leaf", facts.is_leaf, why)
        return facts.is_leaf

    @property
    def retains_grad(self) -> bool:
        """Whether it is no leaf and keeps its gradient all the same."""
        retains = self._tensor("retains_grad").retains_grad
        self._note("retains_grad", retains)
        return retains

    @property
    def grad_fn(self) -> str | None:
        """The name of the operation that made it, such as "AddBackward0"; None for a leaf."""
        facts = self._tensor("grad_fn")
        leaf = f"{self.name} was made directly, not by an operation" if facts.requires_grad else ""
        why = "" if facts.grad_fn else leaf or self._why_untracked(facts)
        self._note("grad_fn", facts.grad_fn, why)
        return facts.grad_fn

    @property
    def grad(self) -> Self:
        """The gradient's picture; of kind "none" if there is none, and then `is None` is true of it."""
        facts = self._tensor("grad")
        found = self.parse(facts.grad, f"{self.name}.grad", owner=facts)
        found.look()
        return found

    @property
    def graph(self) -> Graph:
        """The autograd graph behind a tensor."""
        facts = self._tensor("graph")
        if self._ask_graph is None:
            raise AuthorError(f"{self.name} is not a value whose graph can be asked for")
        return self._ask_graph(facts, self.name)

    def __len__(self) -> int:
        if self.kind in ("list", "tuple", "dict", "text", "bytes"):
            return len(self.data)
        if self.is_tensor_like and self.data.shape:
            length: int = self.data.shape[0]
            return length
        raise Disagreement(f"{self.name} is {self.described()}; it has no length.")

    def __iter__(self) -> Iterator[Picture]:
        if self.kind == "dict":
            return (Picture.of(key, f"a key of {self.name}") for key, _ in self.data)
        return (self[position] for position in range(len(self)))

    def __getitem__(self, key: Any) -> Picture:
        name = f"{self.name}[{show(key)}]"
        found: Picture | None = None
        if self.kind == "dict":
            found = next(
                (item for known, item in self.data if type(known) is type(key) and known == key), None
            )
        elif self.kind in ("list", "tuple") and isinstance(key, int):
            found = self.data[key] if -len(self.data) <= key < len(self.data) else None
        elif self.is_tensor_like or self.kind == "text":
            try:
                found = Picture.of((self.tensor_value() if self.is_tensor_like else self.data)[key], name)
            except IndexError:
                found = None
        if found is None:
            raise Disagreement(f"There is no {name}: {self.name} is {self.described()}.")
        return found

    def __contains__(self, item: Any) -> bool:
        if self.kind == "text" and isinstance(item, str):
            found = item in self.data
            message = f"{self.name} does not contain {show(item)}."
        elif self.kind in ("list", "tuple", "dict"):
            found = any(entry == item for entry in (self if self.kind == "dict" else self.data))
            message = f"{self.name} does not hold {show(item)}."
        else:
            raise Disagreement(f"{self.name} is {self.described()}; nothing can be in it.")
        journal.note(Entry(message, self.short(), show(item), found))
        return found

    def look(self) -> None:
        """Note in the journal that the check has looked at this."""
        why = self.why_none() if self.kind == "none" else ""
        journal.note(Entry(_sentence(f"{self.name} is {self.short()}", why), got=self.short(), of=self))

    def _tensor(self, attribute: str) -> TensorFacts:
        facts = self._facts(attribute)
        if facts.is_array:
            what = self.described()
            raise Disagreement(f"{self.name} is {what}, so it has no .{attribute}; a tensor is needed.")
        return facts

    def _facts(self, attribute: str) -> TensorFacts:
        if not self.is_tensor_like:
            start = _sentence(
                f"{self.name} is {self.described()}", self.why_none() if self.kind == "none" else ""
            )
            raise Disagreement(f"{start} It has no .{attribute}; a tensor is needed.", got=self.short())
        facts: TensorFacts = self.data
        return facts

    def _note(self, attribute: str, value: object, why: str = "") -> None:
        journal.note(Entry(_sentence(f"{self.name}.{attribute} is {value}", why), got=f"{value}"))

    def _why_untracked(self, facts: TensorFacts) -> str:
        if facts.requires_grad:
            return ""
        if not facts.dtype.startswith(("float", "bfloat", "complex")):
            return f"{self.name} holds {facts.dtype} values, and those have no gradient"
        return f"{self.name} was neither made with requires_grad=True nor computed from such a tensor"


class Dtype(str):
    """The name of a dtype. It equals torch.float32 and "float32" alike, and explains itself when false."""

    _of: str

    def __new__(cls, name: str, of: str) -> Self:
        """The dtype of what is called `of`."""
        made = super().__new__(cls, name)
        made._of = of
        return made

    @property
    def is_floating_point(self) -> bool:
        """Whether it is a dtype of decimal numbers."""
        known = DTYPES.get(self)
        found = known is not None and known.is_floating_point
        message = f"{self._of} has the dtype {self}; a floating-point dtype is expected."
        journal.note(Entry(message, f"{self}", "a floating-point dtype", found))
        return found

    def __eq__(self, other: object) -> bool:
        wanted = str(other).removeprefix("torch.") if isinstance(other, str | torch.dtype) else other
        same = str.__eq__(self, wanted) is True
        message = f"dtype differs: {self._of} is torch.{self}, expected torch.{wanted}."
        journal.note(Entry(message, f"torch.{self}", f"torch.{wanted}", same))
        return same

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Shape(tuple[int, ...]):
    """A tuple of sizes whose false comparison explains itself."""

    _of: str

    def __new__(cls, sizes: tuple[int, ...], of: str) -> Self:
        """The shape of what is called `of`."""
        made = super().__new__(cls, sizes)
        made._of = of
        return made

    def __eq__(self, other: object) -> bool:
        wanted = tuple(other) if isinstance(other, list | tuple) else other
        same = tuple(self) == wanted
        message = f"{self._of} has shape {tuple(self)}; expected {wanted}."
        journal.note(Entry(message, f"{tuple(self)}", f"{wanted}", same))
        return same

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__


def _sentence(start: str, why: str) -> str:
    return f"{start}: {why}." if why else f"{start}."
