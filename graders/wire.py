"""The one codec between the grader's processes: framed, bounded, typed.

Both ends may be hostile to the other, so nothing here builds anything but exact built-in values and
`Tensor`, a record of bytes. There is no pickle, no eval and no object with methods of its own. Reading
never allocates more than the frame that was announced, and a frame is announced within `MAX_FRAME`.

Standard library only: the learner's jail imports this module, and it shares a process with strangers.

A frame is a 4-byte big-endian length, then one value. A value is a 1-byte tag, then its body:
N F T (None, False, True), i (length, ASCII digits), d (8 bytes IEEE 754), s and b (length, bytes),
l (count, values), m (count, key string and value pairs), t (dtype, shape, requires_grad, bytes).
"""

from __future__ import annotations

import builtins
import socket
import struct
from dataclasses import dataclass
from typing import Any, Final

# The functions below look their built-ins up here: a learner who rebinds `len` or `type` for all of Python
# must be heard out all the same.
globals()["__builtins__"] = dict(vars(builtins))

MAX_FRAME: Final = 1 << 20  # bytes of one frame; a tensor of 128 Ki float64 elements fits
MAX_DEPTH: Final = 16  # containers within containers
MAX_VALUES: Final = (
    100_000  # values in one frame: a list of empty lists is small in bytes and large in memory
)
MAX_INTEGER_DIGITS: Final = 4000  # below CPython's own limit for int(str), so that reading cannot raise there
MAX_DIMENSIONS: Final = 16
MAX_LENGTH: Final = 1 << 31  # of one dimension, exclusive
MAX_STRIDES: Final = 1 << 60  # product of the dimensions that are not empty: offsets stay within 64 bits
MAX_SOURCE: Final = 64 << 10  # bytes of UTF-8 that one submission may have, inclusive

ITEM_SIZES: Final = {
    "bool": 1,
    "uint8": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}

_LENGTH = struct.Struct(">I")
_DOUBLE = struct.Struct(">d")


class WireError(Exception):
    """A value that may not travel, or bytes that are no value. The text names the rule."""


class Closed(Exception):  # noqa: N818 -- the end of a conversation is not an error of its own
    """The other end has closed the channel."""


@dataclass(frozen=True)
class Tensor:
    """A dense tensor on its way between two processes.

    dtype: PyTorch's name without "torch." ("float32"). shape: sizes, outermost first; () for a scalar.
    data: the elements in C order, little-endian, `ITEM_SIZES[dtype]` bytes each.
    """

    dtype: str
    shape: tuple[int, ...]
    requires_grad: bool
    data: bytes

    def __post_init__(self) -> None:
        size = ITEM_SIZES.get(self.dtype)
        if size is None:
            raise WireError(f"a tensor of dtype {self.dtype!r} does not travel")
        if len(self.shape) > MAX_DIMENSIONS:
            raise WireError(f"a tensor has at most {MAX_DIMENSIONS} dimensions here")
        count = strides = 1
        for length in self.shape:
            if not 0 <= length < MAX_LENGTH:
                raise WireError(f"a dimension of length {length} does not travel")
            count *= length
            strides *= max(1, length)
        if strides >= MAX_STRIDES:  # no elements, perhaps, and yet nothing that can be laid out
            raise WireError("the dimensions are too long together")
        if count * size != len(self.data):
            raise WireError(f"{len(self.data)} bytes do not fill shape {self.shape} of {self.dtype}")


def encode(value: Any) -> bytes:
    """The bytes of one value, without the frame's length.

    Raises: WireError for any type but the exact built-in ones and `Tensor`, and past any limit.
    """
    out = bytearray()
    budget = [MAX_VALUES]
    _write(value, out, 0, budget)
    if len(out) > MAX_FRAME:
        raise WireError(f"a message of {len(out)} bytes is over the limit of {MAX_FRAME}")
    return bytes(out)


def decode(data: bytes) -> Any:
    """The value that `encode` turned into `data`.

    Raises: WireError for anything that is not exactly one value, and past any limit.
    """
    if len(data) > MAX_FRAME:
        raise WireError(f"a message of {len(data)} bytes is over the limit of {MAX_FRAME}")
    reader = _Reader(data)
    value = reader.value(0)
    if reader.position != len(data):
        raise WireError("bytes follow the value")
    return value


def _text(value: str, out: bytearray) -> None:
    # A lone surrogate is a legal str and no legal UTF-8; a learner can make one, so it travels as "?".
    data = value.encode("utf-8", "replace")
    out += _LENGTH.pack(len(data))
    out += data


def _write(value: Any, out: bytearray, depth: int, budget: list[int]) -> None:
    budget[0] -= 1
    if budget[0] < 0:
        raise WireError(f"a message holds at most {MAX_VALUES} values")
    if depth > MAX_DEPTH:
        raise WireError(f"a message nests at most {MAX_DEPTH} deep")
    if len(out) > MAX_FRAME:
        raise WireError(f"a message is at most {MAX_FRAME} bytes")
    kind = type(value)
    if value is None:
        out += b"N"
    elif kind is bool:
        out += b"T" if value else b"F"
    elif kind is int:
        # Bits first: CPython itself refuses to write out an int of more than 4300 digits.
        digits = str(value) if value.bit_length() < 14_000 else ""
        if not 1 <= len(digits.removeprefix("-")) <= MAX_INTEGER_DIGITS:
            raise WireError(f"an integer has at most {MAX_INTEGER_DIGITS} digits here")
        out += b"i"
        _text(digits, out)
    elif kind is float:
        out += b"d"
        out += _DOUBLE.pack(value)
    elif kind is str:
        out += b"s"
        _text(value, out)
    elif kind is bytes:
        out += b"b"
        out += _LENGTH.pack(len(value))
        out += value
    elif kind is list:
        out += b"l"
        out += _LENGTH.pack(len(value))
        for item in value:
            _write(item, out, depth + 1, budget)
    elif kind is dict:
        out += b"m"
        out += _LENGTH.pack(len(value))
        for key, item in value.items():
            if type(key) is not str:
                raise WireError("the keys of a dict are strings here")
            _text(key, out)
            _write(item, out, depth + 1, budget)
    elif kind is Tensor:
        out += b"t"
        _text(value.dtype, out)
        out += _LENGTH.pack(len(value.shape))
        for length in value.shape:
            out += _LENGTH.pack(length)
        out += b"T" if value.requires_grad else b"F"
        out += _LENGTH.pack(len(value.data))
        out += value.data
    else:
        raise WireError(f"a {kind.__name__} does not travel")


class _Reader:
    """Reads values off one frame, never past its end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.budget = MAX_VALUES

    def take(self, count: int) -> bytes:
        end = self.position + count
        if end > len(self.data):
            raise WireError("the message ends in the middle of a value")
        part = self.data[self.position : end]
        self.position = end
        return part

    def length(self) -> int:
        number: int = _LENGTH.unpack(self.take(4))[0]
        return number

    def text(self) -> str:
        try:
            return self.take(self.length()).decode("utf-8")
        except UnicodeDecodeError:
            raise WireError("a text is not UTF-8") from None

    def count(self) -> int:
        """A number of values to come; each takes at least one byte, so a lie shows before it is believed."""
        number = self.length()
        if number > len(self.data) - self.position:
            raise WireError("the message announces more values than it has bytes")
        return number

    def flag(self) -> bool:
        tag = self.take(1)
        if tag not in (b"T", b"F"):
            raise WireError("a flag is T or F")
        return tag == b"T"

    def value(self, depth: int) -> Any:
        self.budget -= 1
        if self.budget < 0:
            raise WireError(f"a message holds at most {MAX_VALUES} values")
        if depth > MAX_DEPTH:
            raise WireError(f"a message nests at most {MAX_DEPTH} deep")
        tag = self.take(1)
        if tag == b"N":
            return None
        if tag == b"T":
            return True
        if tag == b"F":
            return False
        if tag == b"i":
            return self.integer()
        if tag == b"d":
            return _DOUBLE.unpack(self.take(8))[0]
        if tag == b"s":
            return self.text()
        if tag == b"b":
            return self.take(self.length())
        if tag == b"l":
            return [self.value(depth + 1) for _ in range(self.count())]
        if tag == b"m":
            return self.mapping(depth)
        if tag == b"t":
            return self.tensor()
        raise WireError(f"no value begins with {tag!r}")

    def integer(self) -> int:
        digits = self.text()
        if not 1 <= len(digits) <= MAX_INTEGER_DIGITS + 1:
            raise WireError(f"an integer has at most {MAX_INTEGER_DIGITS} digits here")
        body = digits.removeprefix("-")
        if not (body.isascii() and body.isdigit()):
            raise WireError("an integer is written in ASCII digits")
        return int(digits)

    def mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in range(self.count()):
            key = self.text()
            if key in found:
                raise WireError("a key stands twice in one dict")
            found[key] = self.value(depth + 1)
        return found

    def tensor(self) -> Tensor:
        dtype = self.text()
        dimensions = self.length()
        if dimensions > MAX_DIMENSIONS:
            raise WireError(f"a tensor has at most {MAX_DIMENSIONS} dimensions here")
        shape = tuple(self.length() for _ in range(dimensions))
        requires_grad = self.flag()
        return Tensor(dtype, shape, requires_grad, self.take(self.length()))


class Channel:
    """A conversation of frames over one stream socket. Not for use by two threads at once."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock

    def send(self, value: Any) -> None:
        """Send one value. Raises: WireError if it may not travel, Closed if nobody listens any more."""
        data = encode(value)
        try:
            self.sock.sendall(_LENGTH.pack(len(data)) + data)
        except (BrokenPipeError, ConnectionResetError):
            raise Closed from None

    def receive(self) -> Any:
        """The next value.

        Raises: Closed at the end, WireError for what is no value, TimeoutError as set on the socket.
        """
        return decode(self._exactly(announced(self._exactly(4))))

    def _exactly(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            try:
                part = self.sock.recv(min(count - len(parts), 1 << 16))
            except ConnectionResetError:
                raise Closed from None
            if not part:
                raise Closed
            parts += part
        return bytes(parts)


def announced(header: bytes) -> int:
    """The length of the frame that these 4 bytes announce. Raises: WireError past the limit."""
    length: int = _LENGTH.unpack(header)[0]
    if length > MAX_FRAME:
        raise WireError(f"a message of {length} bytes is over the limit of {MAX_FRAME}")
    return length
