"""Arguments of a call, from plain data to live values. Every call gets fresh copies.

The encoding is that of pictures (observer.py) with `wire.Tensor` for a tensor and one kind more:
{"is": "held", "handle": n} stands for an object that the learner's process keeps for the checker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from graders import wire
from graders.inside.own import keep_builtins

keep_builtins(globals())

_WireTensor, _bytearray = wire.Tensor, bytearray
_DisableTorchFunction: Any = torch._C.DisableTorchFunction
_frombuffer, _empty = torch.frombuffer, torch.empty
_clone: Any = torch._C.TensorBase.clone
_reshape: Any = torch._C.TensorBase.reshape
_requires_grad_: Any = torch._C.TensorBase.requires_grad_
_DTYPES = {name: getattr(torch, name) for name in wire.ITEM_SIZES}


def build(value: Any, held: Mapping[int, Any]) -> Any:
    """The live value of one encoded argument."""
    if type(value) is _WireTensor:
        return tensor(value)
    if type(value) is not dict:
        return value
    kind = value["is"]
    if kind == "held":
        return held[value["handle"]]
    if kind == "list":
        return [build(item, held) for item in value["items"]]
    if kind == "tuple":
        return tuple(build(item, held) for item in value["items"])
    if kind == "dict":
        return {build(key, held): build(item, held) for key, item in value["items"]}
    if kind == "dtype":
        return _DTYPES[value["name"]]
    raise ValueError(f"no argument is encoded as {kind!r}")


def tensor(record: wire.Tensor) -> torch.Tensor:
    """A new leaf tensor with memory of its own, whatever modes and defaults the learner's code has set."""
    with _DisableTorchFunction():
        dtype = _DTYPES[record.dtype]
        if record.data:
            made = _clone(_reshape(_frombuffer(_bytearray(record.data), dtype=dtype), record.shape))
        else:
            made = _empty(record.shape, dtype=dtype, device="cpu")
        if record.requires_grad:
            _requires_grad_(made)
    result: torch.Tensor = made
    return result
