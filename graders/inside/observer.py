"""Pictures: what a value of the learner's is, as plain bounded data, without running a line of their code.

Everything that reads a value is bound here, before any learner's code runs: C getters of torch's tensor base
class, never a name that can be rebound, never a method of the object itself. Only exact types are believed. A
subclass, be it of float, of list or of Tensor, is an *object*: its type is told and its contents are not.

A picture is None, a bool, an int, a float, a str, bytes, or a dict whose "is" names its kind:
  list, tuple   items: pictures
  dict          items: [key, value] pairs of pictures
  complex       real, imag
  dtype         name
  array         of numpy: dtype, shape, value (wire.Tensor or None), unseen (why there is none, else "")
  tensor        the same, and parameter, device, layout, requires_grad, is_leaf, retains_grad,
                grad_fn (name or None), grad (picture)
  object        type, bases (names, nearest first), note: anything else
"""

from __future__ import annotations

import ctypes
import math
import warnings
from typing import Any

import numpy as np
import torch

from graders import wire
from graders.inside.own import keep_builtins

keep_builtins(globals())

Picture = Any  # see above; mypy has no good name for so recursive a thing

MAX_ELEMENTS = 64 * 1024  # of one tensor, inclusive
MAX_BYTES = 640 * 1024  # of all elements in one reply, inclusive: the rest of a frame is for words
MAX_ENTRIES = 20_000  # of all lists, tuples and dicts in one reply, inclusive
MAX_DEPTH = 5  # containers within containers
MAX_TEXT = 20_000  # characters of all strings and bytes in one reply
MAX_BITS = 4096  # of an integer

_Base: Any = torch._C.TensorBase
_Tensor, _Parameter, _Size = torch.Tensor, torch.nn.Parameter, torch.Size
_DisableTorchFunction: Any = torch._C.DisableTorchFunction
_layout, _device = _Base.layout.__get__, _Base.device.__get__
_dtype, _shape, _nested = _Base.dtype.__get__, _Base.shape.__get__, _Base.is_nested.__get__
_requires_grad, _is_leaf = _Base.requires_grad.__get__, _Base.is_leaf.__get__
_retains_grad, _grad, _grad_fn = _Base.retains_grad.__get__, _Base.grad.__get__, _Base.grad_fn.__get__
_is_conj, _is_neg, _data_ptr = _Base.is_conj, _Base.is_neg, _Base.data_ptr
_stride, _storage_offset, _storage = _Base.stride, _Base.storage_offset, _Base.untyped_storage
_storage_bytes: Any = torch._C.StorageBase.__dict__["nbytes"]
_ndarray, _c_char = np.ndarray, ctypes.c_char
_SCALARS = tuple({kind for kind in np.sctypeDict.values() if issubclass(kind, np.number | np.bool)})
_array_dtype: Any = np.ndarray.dtype.__get__
_array_shape: Any = np.ndarray.shape.__get__
_array_bytes, _scalar_bytes = np.ndarray.tobytes, np.generic.tobytes
_scalar_dtype: Any = np.generic.dtype.__get__
_conjugate = np.conjugate
_catch_warnings, _ignore_warnings = warnings.catch_warnings, warnings.simplefilter
_WireTensor, _ITEM_SIZES, _prod = wire.Tensor, dict(wire.ITEM_SIZES), math.prod
_type_name: Any = type.__dict__["__name__"].__get__
_type_mro: Any = type.__dict__["__mro__"].__get__
_strided, _torch_dtype = torch.strided, torch.dtype

_DTYPE_NAMES = {getattr(torch, name): name for name in _ITEM_SIZES}
_NUMPY_NAMES = {np.dtype(name).newbyteorder("<"): name for name in _ITEM_SIZES if name != "bfloat16"}


class Budget:
    """What one reply may still hold."""

    def __init__(self) -> None:
        self.bytes = MAX_BYTES
        self.entries = MAX_ENTRIES
        self.text = MAX_TEXT


def picture(value: object, budget: Budget | None = None, depth: int = 0) -> Picture:
    """What `value` is. Never raises for what a learner made; what cannot be seen says why."""
    budget = budget or Budget()
    kind = type(value)
    if value is None or kind is bool or kind is float:
        return value
    if kind is int:
        bits = int.bit_length(value)  # type: ignore[arg-type]
        return (
            value
            if bits <= MAX_BITS
            else _object(kind, f"a whole number of {bits} bits, too long to be read")
        )
    if kind is str or kind is bytes:
        return _text(value, budget)  # type: ignore[arg-type]
    if kind is list or kind is tuple or kind is _Size:
        return _sequence(value, "list" if kind is list else "tuple", budget, depth)
    if kind is dict:
        return _dict(value, budget, depth)
    if kind is _Tensor or kind is _Parameter:
        return tensor_picture(value, budget)
    if kind is _ndarray or any(kind is scalar for scalar in _SCALARS):
        return _array(value, kind is _ndarray, budget)
    if kind is complex:
        return {"is": "complex", "real": value.real, "imag": value.imag}  # type: ignore[attr-defined]
    if kind is _torch_dtype:
        return {"is": "dtype", "name": _DTYPE_NAMES.get(value, "another dtype")}
    return _object(kind, "")


def tensor_picture(tensor: Any, budget: Budget, *, with_grad: bool = True) -> Picture:
    """The picture of a tensor of exact type Tensor or Parameter; its grad is pictured one level deep."""
    try:
        with _DisableTorchFunction():
            return _tensor(tensor, budget, with_grad)
    except Exception as error:
        # functorch wrappers, freed storages and the like refuse some of the questions
        return _object(type(tensor), f"a tensor that cannot be read ({type_name(type(error))})")


def type_name(kind: type) -> str:
    """The name of a type, whatever its metaclass would rather have it say; at most 100 characters."""
    name: str = _type_name(kind)
    return str.__getitem__(name, slice(0, 100))


def base_names(kind: type) -> list[str]:
    """The names of the types that `kind` derives from, nearest first, without itself; at most 12."""
    return [type_name(base) for base in _type_mro(kind)[1:13]]


def is_exact_tensor(value: object) -> bool:
    """Whether `value` is a Tensor or Parameter and no subclass of one."""
    return type(value) is _Tensor or type(value) is _Parameter


def _tensor(tensor: Any, budget: Budget, with_grad: bool) -> Picture:
    if _nested(tensor):
        return _object(type(tensor), "a nested tensor")
    device = _device(tensor)
    dtype = _dtype(tensor)
    is_leaf, retains_grad = _is_leaf(tensor), _retains_grad(tensor)
    grad_fn = _grad_fn(tensor)
    value, unseen = _elements(tensor, budget)
    return {
        "is": "tensor",
        "parameter": type(tensor) is _Parameter,
        "dtype": _DTYPE_NAMES.get(dtype) or f"{dtype}".removeprefix("torch."),
        "shape": [int(size) for size in _shape(tensor)],
        "device": device.type,
        "layout": f"{_layout(tensor)}".removeprefix("torch."),
        "requires_grad": _requires_grad(tensor),
        "is_leaf": is_leaf,
        "retains_grad": retains_grad,
        "grad_fn": None if grad_fn is None else type_name(type(grad_fn)),
        "grad": _grad_picture(tensor, is_leaf or retains_grad, budget) if with_grad else None,
        "value": value,
        "unseen": unseen,
    }


def _grad_picture(tensor: Any, keeps_grad: bool, budget: Budget) -> Picture:
    if keeps_grad:
        grad = _grad(tensor)
    else:
        with _catch_warnings():  # reading it off a non-leaf warns, and the learner did not ask
            _ignore_warnings("ignore")
            grad = _grad(tensor)
    if grad is None:
        return None
    if not is_exact_tensor(grad):
        return _object(type(grad), "")
    return tensor_picture(grad, budget, with_grad=False)


def _elements(tensor: Any, budget: Budget) -> tuple[wire.Tensor | None, str]:
    """The elements as they lie in memory, or why they are not read. No operator of torch is called."""
    dtype, shape = _dtype(tensor), _shape(tensor)
    name = _DTYPE_NAMES.get(dtype)
    if _layout(tensor) is not _strided:
        return None, "it is not a dense tensor"
    if _device(tensor).type != "cpu":
        return None, f"it is on the device {_device(tensor).type}"
    if name is None:
        return None, f"its dtype {dtype} is not read"
    if _is_neg(tensor):
        return None, "it is a lazy negative view"
    size, count = _ITEM_SIZES[name], _prod(shape)
    if count > MAX_ELEMENTS or count * size > budget.bytes:
        return None, f"it has {count:,} elements, more than are read ({MAX_ELEMENTS:,} in one tensor)"
    sizes = tuple(int(length) for length in shape)
    if count == 0:
        return _WireTensor(name, sizes, False, b""), ""
    strides = _stride(tensor)
    span = (1 + sum((length - 1) * step for length, step in zip(sizes, strides, strict=True))) * size
    if _storage_offset(tensor) * size + span > _storage_bytes(_storage(tensor)) or not _data_ptr(tensor):
        return None, "its memory is smaller than its shape"
    budget.bytes -= count * size
    memory = (_c_char * span).from_address(_data_ptr(tensor))
    steps = tuple(step * size for step in strides)
    if _is_conj(tensor):
        flipped = _conjugate(_ndarray(sizes, f"<c{size}", memory, 0, steps))
        return _WireTensor(name, sizes, False, _array_bytes(flipped)), ""
    return _WireTensor(name, sizes, False, _array_bytes(_ndarray(sizes, f"V{size}", memory, 0, steps))), ""


def _array(value: Any, is_array: bool, budget: Budget) -> Picture:
    dtype = _array_dtype(value) if is_array else _scalar_dtype(value)
    shape: tuple[int, ...] = _array_shape(value) if is_array else ()
    name = _NUMPY_NAMES.get(dtype)
    found: Picture = {
        "is": "array",
        "dtype": name or f"{dtype}"[:40],
        "shape": [*shape],
        "value": None,
        "unseen": "",
    }
    count = _prod(shape)
    if name is None:
        found["unseen"] = "its dtype is not read"
    elif count > MAX_ELEMENTS or count * _ITEM_SIZES[name] > budget.bytes:
        found["unseen"] = f"it has {count:,} elements, more than are read ({MAX_ELEMENTS:,} in one array)"
    else:
        budget.bytes -= count * _ITEM_SIZES[name]
        data = _array_bytes(value) if is_array else _scalar_bytes(value)
        found["value"] = _WireTensor(name, shape, False, data)
    return found


def _text(value: str | bytes, budget: Budget) -> Picture:
    if len(value) > budget.text:
        unit = "characters" if type(value) is str else "bytes"
        return _object(type(value), f"a text of {len(value):,} {unit}, more than are read ({MAX_TEXT:,})")
    budget.text -= len(value)
    return value


def _sequence(value: Any, name: str, budget: Budget, depth: int) -> Picture:
    refusal = _too_much(value, budget, depth)
    if refusal:
        return _object(type(value), refusal)
    return {"is": name, "items": [picture(item, budget, depth + 1) for item in tuple(value)]}


def _dict(value: Any, budget: Budget, depth: int) -> Picture:
    refusal = _too_much(value, budget, depth)
    if refusal:
        return _object(dict, refusal)
    pairs = [
        [picture(key, budget, depth + 1), picture(item, budget, depth + 1)] for key, item in [*value.items()]
    ]
    return {"is": "dict", "items": pairs}


def _too_much(value: Any, budget: Budget, depth: int) -> str:
    if depth >= MAX_DEPTH:
        return f"nested deeper than is read ({MAX_DEPTH} levels)"
    if len(value) > budget.entries:
        return f"{len(value):,} entries, more than are read ({MAX_ENTRIES:,})"
    budget.entries -= len(value)
    return ""


def _object(kind: type, note: str) -> Picture:
    return {"is": "object", "type": type_name(kind), "bases": base_names(kind), "note": note}
