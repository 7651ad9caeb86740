"""The codec: everything that may travel arrives as it was; everything else is refused by name."""

from __future__ import annotations

import contextlib
import math
import socket
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import wire

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"))
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(values)
def test_a_value_arrives_as_it_was(value: Any) -> None:
    arrived = wire.decode(wire.encode(value))
    assert arrived == value
    assert repr(arrived) == repr(value)  # True is not 1, and 1 is not 1.0


@given(st.binary(max_size=200))
def test_bytes_of_a_stranger_give_a_value_or_a_wire_error(data: bytes) -> None:
    try:
        value = wire.decode(data)
    except wire.WireError:
        return
    assert wire.decode(wire.encode(value)) == value or value != value


@given(values, st.data())
def test_a_message_cut_short_or_changed_is_never_more_than_a_wire_error(
    value: Any, data: st.DataObject
) -> None:
    encoded = bytearray(wire.encode(value))
    place = data.draw(st.integers(0, len(encoded) - 1))
    with pytest.raises(wire.WireError):
        wire.decode(bytes(encoded[:place]))
    encoded[place] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(wire.WireError):
        wire.decode(bytes(encoded))


def test_not_a_number_and_infinities_travel() -> None:
    assert math.isnan(wire.decode(wire.encode(math.nan)))
    assert wire.decode(wire.encode(-math.inf)) == -math.inf
    assert math.copysign(1, wire.decode(wire.encode(-0.0))) == -1


def test_a_tensor_arrives_with_its_flags() -> None:
    tensor = wire.Tensor("float32", (2, 1), True, struct.pack("<2f", 1.0, 2.0))
    assert wire.decode(wire.encode([tensor])) == [tensor]


@pytest.mark.parametrize(
    "build",
    [
        lambda: wire.Tensor("object", (), False, b"12345678"),
        lambda: wire.Tensor("float32", (2,), False, b"1234"),
        lambda: wire.Tensor("float32", (-1,), False, b""),
        lambda: wire.Tensor("int8", (1,) * 17, False, b"1"),
    ],
    ids=["dtype", "too few bytes", "negative", "too many dimensions"],
)
def test_a_tensor_that_does_not_add_up_is_refused(build: Any) -> None:
    with pytest.raises(wire.WireError):
        build()


class TestWhatDoesNotTravel:
    """Exact built-in types only: a subclass brings methods of its own."""

    @pytest.mark.parametrize(
        "value",
        [object(), (1, 2), {1: 2}, {1, 2}, 1j, type("Sly", (int,), {})(1), type("Sly", (str,), {})("x"),
         type("Sly", (dict,), {})(), len],
        ids=lambda value: type(value).__name__,
    )  # fmt: skip
    def test_other_types(self, value: Any) -> None:
        with pytest.raises(wire.WireError):
            wire.encode(value)

    def test_depth(self) -> None:
        def nested(depth: int) -> Any:
            value: Any = 0
            for _ in range(depth):
                value = [value]
            return value

        assert wire.decode(wire.encode(nested(wire.MAX_DEPTH))) == nested(wire.MAX_DEPTH)
        with pytest.raises(wire.WireError, match="deep"):
            wire.encode(nested(wire.MAX_DEPTH + 1))
        with pytest.raises(wire.WireError, match="deep"):
            wire.decode(b"l\x00\x00\x00\x01" * (wire.MAX_DEPTH + 2) + b"N")

    def test_a_list_that_holds_itself(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(wire.WireError, match="deep"):
            wire.encode(loop)

    def test_bytes(self) -> None:
        whole = wire.MAX_FRAME - 5
        assert len(wire.encode(b"x" * whole)) == wire.MAX_FRAME
        with pytest.raises(wire.WireError, match="limit"):
            wire.encode(b"x" * (whole + 1))
        with pytest.raises(wire.WireError, match="limit"):
            wire.decode(b"b" + b"x" * wire.MAX_FRAME)

    def test_number_of_values(self) -> None:
        wire.encode([None] * (wire.MAX_VALUES - 1))
        with pytest.raises(wire.WireError, match="values"):
            wire.encode([None] * wire.MAX_VALUES)
        with pytest.raises(wire.WireError, match="values"):
            wire.decode(b"l" + struct.pack(">I", wire.MAX_VALUES) + b"N" * wire.MAX_VALUES)

    def test_a_count_that_lies_allocates_nothing(self) -> None:
        with pytest.raises(wire.WireError, match="announces"):
            wire.decode(b"l\xff\xff\xff\xff")

    def test_digits(self) -> None:
        assert wire.decode(wire.encode(10**wire.MAX_INTEGER_DIGITS - 1)) == 10**wire.MAX_INTEGER_DIGITS - 1
        with pytest.raises(wire.WireError, match="digits"):
            wire.encode(1 << 100_000)
        for text in (b"", b"-", b"1_0", b" 1", b"\xd9\xa1", b"9" * (wire.MAX_INTEGER_DIGITS + 2)):
            with pytest.raises(wire.WireError, match="integer"):
                wire.decode(b"i" + struct.pack(">I", len(text)) + text)

    def test_a_key_twice(self) -> None:
        with pytest.raises(wire.WireError, match="twice"):
            wire.decode(b"m\x00\x00\x00\x02" + b"\x00\x00\x00\x01aN" * 2)


class TestAChannel:
    """Frames over a socket."""

    def test_frames_keep_their_order_and_their_bounds(self) -> None:
        one, other = (wire.Channel(end) for end in socket.socketpair())
        one.send({"a": 1})
        one.send([None])
        assert other.receive() == {"a": 1}
        assert other.receive() == [None]

    def test_an_end_is_told_from_a_frame(self) -> None:
        one, other = socket.socketpair()
        one.close()
        with pytest.raises(wire.Closed):
            wire.Channel(other).receive()

    def test_a_frame_that_announces_too_much_is_refused_before_it_is_read(self) -> None:
        one, other = socket.socketpair()
        one.sendall(struct.pack(">I", wire.MAX_FRAME + 1))
        with pytest.raises(wire.WireError, match="limit"):
            wire.Channel(other).receive()
