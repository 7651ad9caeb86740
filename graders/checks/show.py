"""Values as short text for a learner: bounded, without a method of anything foreign."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

MAX_TEXT = 200  # characters of one shown value
MAX_SHOWN = 12  # elements of a tensor or entries of a container that are written out


def show(value: Any) -> str:
    """A value of an exact built-in type, a torch tensor or a dtype, at most MAX_TEXT characters."""
    return bounded(_show(value))


def show_number(value: float, dtype: torch.dtype | None) -> str:
    """A number as short as it can be told apart in its dtype: 0.1 in float32 is 0.1, not 0.10000000149."""
    if type(value) is float and dtype in (torch.float32, torch.float16, torch.bfloat16):
        return str(np.float32(value))
    return repr(value)


def show_shape(shape: tuple[int, ...]) -> str:
    """A shape with a word for the case that beginners trip over: () is a single number."""
    return f"{tuple(shape)}" if shape else "() (a single number)"


def bounded(text: str) -> str:
    """`text`, cut with an ellipsis after MAX_TEXT characters."""
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def _show(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return _show_tensor(value.detach())
    if isinstance(value, list | tuple):
        inside = ", ".join(_show(item) for item in value[:MAX_SHOWN])
        inside += ", …" if len(value) > MAX_SHOWN else "," if type(value) is tuple and len(value) == 1 else ""
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        pairs = [f"{_show(key)}: {_show(item)}" for key, item in list(value.items())[:MAX_SHOWN]]
        return "{" + ", ".join(pairs) + (", …}" if len(value) > MAX_SHOWN else "}")
    if isinstance(value, str | bytes):
        return repr(value[: MAX_TEXT + 1])
    return repr(value)


def _show_tensor(tensor: torch.Tensor) -> str:
    # Without elements there is nothing to write out but brackets, and of those there may be billions.
    if not 0 < tensor.numel() <= MAX_SHOWN and tensor.shape != (0,):
        return f"a {dtype_name(tensor.dtype)} tensor of shape {tuple(tensor.shape)}"
    return _nested(tensor.tolist(), tensor.dtype)


def _nested(value: Any, dtype: torch.dtype) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_nested(item, dtype) for item in value) + "]"
    return show_number(value, dtype)


def dtype_name(dtype: torch.dtype) -> str:
    """ "float32" for torch.float32."""
    return str(dtype).removeprefix("torch.")
