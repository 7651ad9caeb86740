"""Comparisons that know why they are false.

They happen in the checker, on plain data, never on a learner's object.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from graders.checks.diagnose import about_number, about_sum, about_tensor, about_text
from graders.checks.faults import AuthorError, Disagreement
from graders.checks.journal import Entry, journal
from graders.checks.seen import DTYPES, Seen
from graders.checks.show import MAX_SHOWN, dtype_name, show, show_number, show_shape


@dataclass(frozen=True)
class Tolerance:
    """|got - expected| <= atol + rtol * |expected|, both finite; no edge is lost to rounding."""

    rtol: float
    atol: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rtol) and math.isfinite(self.atol) and self.rtol >= 0 and self.atol >= 0):
            raise AuthorError(
                f"close: rtol is {self.rtol} and atol is {self.atol}; both must be finite and not negative"
            )

    def accepts(self, got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        """Element by element; float64 or complex128, of one shape."""
        allowed = self.atol + self.rtol * expected.abs()
        slack = 4 * 2.0**-52 * torch.maximum(got.abs(), expected.abs()) * (allowed > 0)
        return (got - expected).abs() <= allowed + slack


EXACT = Tolerance(0.0, 0.0)

_DEFAULTS = {
    torch.float16: Tolerance(1e-3, 1e-5),
    torch.bfloat16: Tolerance(1.6e-2, 1e-5),
    torch.float32: Tolerance(1e-5, 1e-6),
    torch.complex64: Tolerance(1e-5, 1e-6),
    torch.float64: Tolerance(1e-7, 1e-8),
    torch.complex128: Tolerance(1e-7, 1e-8),
}
_NUMBER_DEFAULT = _DEFAULTS[torch.float32]  # a plain number: learners compute it in float32


@dataclass(frozen=True)
class Difference:
    """Why two values are not the same: a sentence, and both values in short."""

    message: str
    got: str
    expected: str


class Comparison:
    """The outcome of one comparison: true or false, and if false, why.

    Notes itself in the journal when asked.
    """

    def __init__(self, holds: bool, difference: Difference, of: Seen) -> None:
        self.holds = holds
        self.difference = difference
        self._of = of

    @property
    def message(self) -> str:
        """Why it is false; "" when it is true."""
        return "" if self.holds else self.difference.message

    def __bool__(self) -> bool:
        found = self.difference
        journal.note(Entry(found.message, found.got, found.expected, self.holds, self._of))
        return self.holds

    def __repr__(self) -> str:
        return f"<{'true' if self.holds else 'false'}: {self.difference.message}>"


@dataclass(frozen=True)
class Rule:
    """How strictly to compare. tolerance: None takes the default of the dtypes met."""

    tolerance: Tolerance | None
    dtype: bool = True


def equal(got: Seen, expected: Any) -> Comparison:
    """Exactly equal. An expected number is rounded to the dtype that it is compared in, as torch does."""
    return _comparison(got, expected, Rule(EXACT))


def unequal(got: Seen, expected: Any) -> Comparison:
    """Not equal. What is not finite is never unequal to anything either: it passes no comparison."""
    difference = _difference(got, plain(expected), Rule(EXACT))
    holds = difference is not None and _finite(got)
    shown = show(plain(expected))
    message = f"{got.name} is {got.short()}" + (", which it should not be." if difference is None else ".")
    return Comparison(holds, Difference(message, got.short(), f"not {shown}"), got)


_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def ordered(got: Seen, order: str, expected: Any) -> Comparison:
    """A number before or behind another. Disagreement if the learner's value is no number."""
    number, bound = got.item(), plain(expected)
    if isinstance(bound, bool) or not isinstance(bound, int | float):
        raise AuthorError(f"{got.name} {order} {bound!r}: the right side is no number")
    holds = is_finite(number) and is_finite(bound) and _ORDERS[order](number, bound)
    message = f"{got.name} is {got.short()}; expected a number {order} {show(bound)}."
    return Comparison(holds, Difference(message, got.short(), f"{order} {show(bound)}"), got)


def close(
    got: Any, expected: Any, rtol: float | None = None, atol: float | None = None, *, dtype: bool = True
) -> Comparison:
    """Equal within |got - expected| <= atol + rtol * |expected|, element by element, both finite.

    got: a picture or a plain value. expected: a number, tensor, list, tuple, dict of such, or another
    picture. rtol, atol: if neither is given, the looser default of the dtypes met (float32 and plain numbers
    1e-5 and 1e-6, float64 1e-7 and 1e-8, float16 1e-3 and 1e-5, bfloat16 1.6e-2 and 1e-5, whole numbers and
    bools exact); if one is given, the other is 0. dtype: whether two tensors must have the same dtype. Shapes
    must always be equal.
    """
    tolerance = None if rtol is None and atol is None else Tolerance(rtol or 0.0, atol or 0.0)
    picture = got if isinstance(got, Seen) else Seen.of(got, "the value")
    return _comparison(picture, expected, Rule(tolerance, dtype))


def plain(value: Any) -> Any:
    """An author's expected value as plain data: pictures become their values, arrays become tensors."""
    if isinstance(value, Seen):
        return value.value
    if isinstance(value, np.ndarray | np.generic):
        return torch.from_numpy(np.array(value))
    if isinstance(value, torch.Tensor):
        return value.detach()
    return value


def _comparison(got: Seen, expected: Any, rule: Rule) -> Comparison:
    wanted = plain(expected)
    difference = _difference(got, wanted, rule)
    if difference is None:
        return Comparison(True, Difference(f"{got.name} is {got.short()}.", got.short(), show(wanted)), got)
    return Comparison(False, difference, got)


def _difference(got: Seen, expected: Any, rule: Rule) -> Difference | None:
    if isinstance(expected, torch.Tensor):
        return _tensors(got, expected, rule)
    if isinstance(expected, bool) or expected is None or isinstance(expected, str | bytes):
        return _exactly(got, expected)
    if isinstance(expected, int | float):
        return _numbers(got, expected, rule)
    if isinstance(expected, complex):
        return _complex(got, expected, rule)
    if isinstance(expected, list | tuple):
        return _sequences(got, expected, rule)
    if isinstance(expected, dict):
        return _dicts(got, expected, rule)
    if isinstance(expected, torch.dtype):
        same = got.kind == "dtype" and got.data is expected
        return None if same else _wrong(got, show(expected))
    raise AuthorError(f"{got.name}: a value of type {type(expected).__name__} cannot be expected")


def _wrong(got: Seen, expected: str, why: str = "") -> Difference:
    reason = why or (got.why_none() if got.kind == "none" else "")
    message = f"{got.name} is {_inline(got)}; expected {expected}"
    if got.kind == "none" and reason:
        message = f"{got.name} is None: {reason}"
    elif reason:
        message += f". {reason[0].upper()}{reason[1:]}"
    return Difference(message + ("" if message.endswith(("?", ".")) else "."), got.short(), expected)


def _inline(got: Seen) -> str:
    return got.short() if got.kind in ("number", "none", "bool", "dtype", "text") else got.described()


def _exactly(got: Seen, expected: Any) -> Difference | None:
    kinds = {type(None): "none", bool: "bool", str: "text", bytes: "bytes"}
    same_kind = got.kind == kinds.get(type(expected), "text")
    if same_kind and got.data == expected:
        return None
    why = about_text(got.data, expected) if got.kind == "text" and isinstance(expected, str) else ""
    if got.kind == "number" and isinstance(expected, bool):
        why = f"a number is not {expected}: write True or False"
    return _wrong(got, show(expected), why)


def _numbers(got: Seen, expected: float, rule: Rule) -> Difference | None:
    if not is_finite(expected):
        raise AuthorError(
            f"{got.name}: {expected} is expected, and what is not finite never passes a comparison"
        )
    shown = show(expected)
    if got.kind == "bool":
        return _wrong(got, shown, "True and False are not numbers here")
    if got.kind not in ("number", "tensor", "array"):
        return _wrong(got, f"the number {shown}")
    dtype: torch.dtype | None = None
    if got.kind != "number":
        if got.data.shape != ():
            return _wrong(got, f"the single number {shown} (shape ())")
        if got.data.record is None:
            return _wrong(got, f"the number {shown}", got.data.unseen)
        dtype = DTYPES[got.data.record.dtype]
        if dtype == torch.bool or dtype.is_complex:
            return _wrong(got, f"the number {shown}")
    value = got.item()
    if not is_finite(value):
        return _wrong(
            got, shown, f"{value} is never right: it comes from a division by zero, an overflow or log of 0"
        )
    tolerance = rule.tolerance or (_DEFAULTS.get(dtype, EXACT) if dtype else _NUMBER_DEFAULT)
    if rule.tolerance is None and isinstance(value, int) and isinstance(expected, int):
        tolerance = EXACT
    if _numbers_agree(value, expected, dtype, tolerance):
        return None
    why = about_number(value, expected, is_gradient=got.owner is not None)
    why = why or about_sum(value, expected, _right_before(got))
    return Difference(
        f"{got.name} is {show_number(value, dtype)}; expected {shown}.{' ' + why if why else ''}",
        show_number(value, dtype),
        shown,
    )


def _right_before(got: Seen) -> float:
    """The right number that the check has just got from the same function; 0 if there is none."""
    last = journal.last
    if last is None or last.of is None or not last.holds or last.of.kind not in ("number", "tensor"):
        return 0
    function, is_call, _ = got.name.partition("(")
    if not is_call or last.of.name.partition("(")[0] != function:
        return 0
    try:
        return last.of.item()
    except Disagreement:  # not a single number, though right
        return 0


def _numbers_agree(value: float, expected: float, dtype: torch.dtype | None, tolerance: Tolerance) -> bool:
    if dtype is None and tolerance == EXACT:
        return value == expected
    try:
        pair = torch.tensor([float(value), float(expected)], dtype=torch.float64)
    except OverflowError:  # a whole number beyond the floats
        return value == expected
    if tolerance != EXACT:
        return bool(tolerance.accepts(pair[0], pair[1]))
    if dtype is not None and dtype.is_floating_point:
        return value == pair[1].to(dtype).item()
    return value == expected


def _complex(got: Seen, expected: complex, rule: Rule) -> Difference | None:
    if got.kind == "complex":
        wanted = torch.tensor(expected, dtype=torch.complex128)
        if _agreement(torch.tensor(got.data, dtype=torch.complex128), wanted, rule).all():
            return None
    return _wrong(got, show(expected))


def _tensors(got: Seen, expected: torch.Tensor, rule: Rule) -> Difference | None:
    shown = show(expected)
    noun = f"a {dtype_name(expected.dtype)} tensor of shape {show_shape(tuple(expected.shape))}"
    if got.kind != "tensor":
        return _wrong(got, noun)
    shape, wanted = got.data.shape, tuple(expected.shape)
    if shape != wanted:
        message = f"Shapes differ: {got.name} has shape {show_shape(shape)}; expected {show_shape(wanted)}."
        return Difference(message, f"shape {shape}", f"shape {wanted}")
    if rule.dtype and got.data.dtype != dtype_name(expected.dtype):
        message = f"dtype differs: {got.name} is torch.{got.data.dtype}, expected {expected.dtype}."
        return Difference(message, f"torch.{got.data.dtype}", f"{expected.dtype}")
    if got.data.record is None:
        return _wrong(got, noun, got.data.unseen)
    value = got.value
    if not torch.isfinite(expected).all():
        raise AuthorError(f"{got.name}: the expected tensor holds nan or inf, which never pass a comparison")
    tolerance = rule.tolerance or _looser(value.dtype, expected.dtype)
    same = _agreement(value, expected, Rule(tolerance))
    if same.all():
        return None
    why = about_tensor(value, expected, same, is_gradient=got.owner is not None)
    message = f"{got.name} differs from what is expected. {why}"
    if value.numel() > MAX_SHOWN:
        at = tuple(int(index[0]) for index in torch.nonzero(~same, as_tuple=True))
        return Difference(message, _element(value, at), _element(expected, at))
    return Difference(message, show(value), shown)


def _element(tensor: torch.Tensor, at: tuple[int, ...]) -> str:
    """A tensor too large to be written out: what it is, and the first element that differs."""
    number = tensor[at].item()
    shown = show_number(number, tensor.dtype) if isinstance(number, int | float) else repr(number)
    return f"{show(tensor)}; at {list(at)}: {shown}"


def _agreement(got: torch.Tensor, expected: torch.Tensor, rule: Rule) -> torch.Tensor:
    """Element by element; whole numbers and bools are compared as such, and never lose digits."""
    tolerance = rule.tolerance or _looser(got.dtype, expected.dtype)
    if not (
        got.is_floating_point() or got.is_complex() or expected.is_floating_point() or expected.is_complex()
    ):
        if (got.dtype == torch.bool) != (expected.dtype == torch.bool):
            return torch.zeros(got.shape, dtype=torch.bool)
        if tolerance == EXACT:
            return got.to(torch.int64) == expected.to(torch.int64)
    wide = torch.complex128 if got.is_complex() or expected.is_complex() else torch.float64
    left, right = got.to(wide), expected.to(wide)
    finite = torch.isfinite(left) & torch.isfinite(right)
    return finite & ((left == right) if tolerance == EXACT else tolerance.accepts(left, right))


def _looser(one: torch.dtype, other: torch.dtype) -> Tolerance:
    return max(_DEFAULTS.get(one, EXACT), _DEFAULTS.get(other, EXACT), key=lambda known: known.rtol)


def _sequences(got: Seen, expected: list[Any] | tuple[Any, ...], rule: Rule) -> Difference | None:
    kind = "list" if isinstance(expected, list) else "tuple"
    if got.kind != kind:
        return _wrong(got, f"a {kind} of length {len(expected)}")
    if len(got.data) != len(expected):
        message = f"Lengths differ: {got.name} has {len(got.data)} entries; expected {len(expected)}."
        return Difference(message, got.short(), show(expected))
    return _first(
        _difference(item, plain(wanted), rule) for item, wanted in zip(got.data, expected, strict=True)
    )


def _dicts(got: Seen, expected: dict[Any, Any], rule: Rule) -> Difference | None:
    if got.kind != "dict":
        return _wrong(got, f"a dict of length {len(expected)}")
    items = {(type(key), key): item for key, item in got.data}  # 1 and True are two keys here
    wanted = {(type(key), key): plain(item) for key, item in expected.items()}
    missing = [key for kind, key in wanted if (kind, key) not in items]
    extra = [key for kind, key in items if (kind, key) not in wanted]
    if missing or extra:
        words = [f"{show(key)} is missing" for key in missing[:3]] + [
            f"{show(key)} is too many" for key in extra[:3]
        ]
        message = f"Keys differ: in {got.name} {', '.join(words)}."
        return Difference(message, got.short(), show(expected))
    return _first(_difference(items[key], item, rule) for key, item in wanted.items())


def _first(differences: Any) -> Difference | None:
    return next((found for found in differences if found is not None), None)


def is_finite(number: float) -> bool:
    """Whether it is a number and not nan or inf; every whole number is, also beyond the largest float."""
    return isinstance(number, int) or math.isfinite(number)


def _finite(got: Seen) -> bool:
    if got.kind == "number":
        return is_finite(got.data)
    if got.kind in ("tensor", "array"):
        return got.data.record is not None and bool(torch.isfinite(got.value).all())
    if got.kind in ("list", "tuple"):
        return all(_finite(item) for item in got.data)
    return True
