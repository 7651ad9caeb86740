"""From two values that differ to a guess at the mistake, in a sentence; "" where none is worth it."""

from __future__ import annotations

import math

import torch

from graders.checks.show import show_number

_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}
_ADD_UP = "Gradients add up until they are cleared (zero_grad, or .grad = None)."


def about_number(got: float, expected: float, *, is_gradient: bool) -> str:
    """Both finite and different."""
    if got == 0 and is_gradient:
        return "A gradient of 0 means that no path leads back to it, or that it was cleared."
    try:
        ratio = got / expected if expected else math.inf
    except OverflowError:  # whole numbers beyond the floats
        return ""
    whole = round(ratio) if math.isfinite(ratio) else 0
    if whole in _TIMES and math.isclose(ratio, whole, rel_tol=1e-5):
        times = f"{_format(got)} is {_TIMES[whole]} the expected {_format(expected)}"
        return f"{times}: was backward called {_often(whole)}? {_ADD_UP}" if is_gradient else f"{times}."
    if math.isclose(ratio, -1, rel_tol=1e-5):
        return "The size is right and the sign is wrong."
    if math.isclose(ratio, 1, rel_tol=1e-2):
        return f"It is off by {_format(abs(got - expected))}: close, and outside of the tolerance."
    return ""


def about_sum(got: float, expected: float, before: float) -> str:
    """Of a call's number that differs. before: what the call before it gave, and rightly; 0 for none."""
    if not before or not expected:
        return ""
    try:
        adds_up = math.isclose(got, expected + before, rel_tol=1e-5)
    except OverflowError:  # whole numbers beyond the floats
        return ""
    if not adds_up:
        return ""
    together = (
        f"{_format(got)} is the expected {_format(expected)} and the {_format(before)} before it together"
    )
    return f"{together}: does something add up from call to call, as gradients do until they are cleared?"


def about_tensor(got: torch.Tensor, expected: torch.Tensor, same: torch.Tensor, *, is_gradient: bool) -> str:
    """Of one shape. same: element by element, at least one False."""
    wide = torch.complex128 if got.is_complex() or expected.is_complex() else torch.float64
    left, right = got.to(wide), expected.to(wide)
    count, total = int((~same).sum()), same.numel()
    bad = ~torch.isfinite(left)
    if bad.any():
        where = _place(bad)
        return f"{int(bad.sum())} of {total} elements are nan or inf, the first{where}."
    apart = torch.where(same, torch.zeros_like(left.abs()), (left - right).abs())
    at = int(apart.flatten().argmax())
    worst = (
        f"{count} of {total} elements differ; the largest difference is {_format(apart.max().item())} "
        f"{_index(at, tuple(got.shape))}: got {_element(got, at)}, expected {_element(expected, at)}."
        if total > 1
        else f"Got {_element(got, at)}, expected {_element(expected, at)}."
    )
    guess = _pattern(left, right, is_gradient)
    return f"{worst} {guess}".rstrip()


def about_text(got: str, expected: str) -> str:
    """Different texts."""
    if got.split() == expected.split():
        return "they differ only in blanks or line ends"
    if got.casefold() == expected.casefold():
        return "they differ only in upper and lower case"
    for position, (one, other) in enumerate(zip(got, expected, strict=False)):
        if one != other:
            return f"the first difference is at character {position + 1}: {one!r} instead of {other!r}"
    return "one is the beginning of the other"


def _pattern(left: torch.Tensor, right: torch.Tensor, is_gradient: bool) -> str:
    def alike(one: torch.Tensor, other: torch.Tensor) -> bool:
        return one.shape == other.shape and bool(torch.isclose(one, other, rtol=1e-5, atol=1e-8).all())

    if is_gradient and not left.any():
        return "All are 0: no path leads back to it, or it was cleared."
    if right.any():
        for times, word in _TIMES.items():
            if alike(left, right * times):
                called = f": was backward called {_often(times)}? {_ADD_UP}" if is_gradient else "."
                return f"Each is {word} what is expected{called}"
        if alike(left, -right):
            return "The sizes are right and the signs are wrong."
    if left.ndim == 2 and alike(left, right.T):
        return "The values are right and transposed."
    if left.numel() > 1 and not left.is_complex():
        if alike(left.flatten().sort().values, right.flatten().sort().values):
            return "The values are right and in another order."
        first = (left - right).flatten()
        if alike(first, first[0].expand_as(first)):
            return f"All are off by the same {_format(first[0].item())}."
    return ""


def _often(times: int) -> str:
    return {2: "twice", 3: "three times"}.get(times, f"{times} times")


def _place(mask: torch.Tensor) -> str:
    return (
        " " + _index(int(mask.flatten().to(torch.int8).argmax()), tuple(mask.shape))
        if mask.numel() > 1
        else ""
    )


def _index(flat: int, shape: tuple[int, ...]) -> str:
    index: list[int] = []
    for size in reversed(shape):
        flat, within = divmod(flat, size)
        index.insert(0, within)
    return f"at [{', '.join(map(str, index))}]"


def _element(tensor: torch.Tensor, at: int) -> str:
    return show_number(tensor.flatten()[at].item(), tensor.dtype)


def _format(number: float) -> str:
    return f"{number:.6g}" if isinstance(number, float) and not number.is_integer() else f"{number}"
