"""Pictures of values: what is told of a tensor, what of everything else, and where reading stops."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch

from graders import wire
from graders.inside import observer
from graders.inside.observer import picture


def elements(shown: Any) -> list[Any]:
    record = shown["value"]
    assert record is not None, shown["unseen"]
    return torch.frombuffer(bytearray(record.data), dtype=getattr(torch, record.dtype)).tolist()


def test_a_leaf_shows_its_gradient_and_where_it_stands() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    (x * 6).backward()
    shown = picture(x)
    assert (shown["dtype"], shown["shape"], shown["device"]) == ("float32", [], "cpu")
    assert (shown["requires_grad"], shown["is_leaf"], shown["grad_fn"], shown["parameter"]) == (
        True,
        True,
        None,
        False,
    )
    assert elements(shown["grad"]) == [6.0]
    assert shown["grad"]["grad"] is None


def test_a_result_shows_the_operation_that_made_it_and_reading_its_gradient_does_not_warn() -> None:
    y = torch.tensor(1.0, requires_grad=True) * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = picture(y)
    assert (shown["is_leaf"], shown["grad_fn"], shown["grad"]) == (False, "MulBackward0", None)


def test_a_gradient_that_was_planted_on_a_result_is_shown_beside_its_not_being_a_leaf() -> None:
    x = torch.tensor(1.0, requires_grad=True) * 3
    x.retain_grad()
    x.grad = torch.tensor(6.0)
    shown = picture(x)
    assert (shown["is_leaf"], shown["retains_grad"], elements(shown["grad"])) == (False, True, [6.0])


def test_a_parameter_is_told_from_a_tensor() -> None:
    assert picture(torch.nn.Parameter(torch.ones(2)))["parameter"] is True


@pytest.mark.parametrize("name", sorted(wire.ITEM_SIZES))
def test_every_dtype_that_travels_is_read_element_by_element(name: str) -> None:
    made = torch.tensor([0, 1, 1]).to(getattr(torch, name))
    assert elements(picture(made)) == made.tolist()


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.T,
        lambda t: t[:, 1:],
        lambda t: t[::2, 1],
        lambda t: t[1:2].expand(3, 4),
        lambda t: t[:, :0],
        lambda t: t.flip(0),
    ],
    ids=["transposed", "sliced", "strided", "expanded", "empty", "flipped"],
)
def test_a_view_is_read_in_its_own_order(view: Any) -> None:
    seen = view(torch.arange(12.0).reshape(3, 4))
    record = picture(seen)["value"]
    assert record.shape == tuple(seen.shape)
    assert record.data == seen.contiguous().numpy().tobytes()


def test_a_lazily_conjugated_view_is_read_conjugated() -> None:
    assert elements(picture(torch.tensor([1 + 2j]).conj())) == [1 - 2j]


def test_a_tensor_of_64_ki_elements_is_read_and_one_more_is_only_described() -> None:
    assert picture(torch.zeros(observer.MAX_ELEMENTS))["value"] is not None
    over = picture(torch.zeros(observer.MAX_ELEMENTS + 1))
    assert over["value"] is None
    assert "65,537 elements" in over["unseen"]
    assert over["shape"] == [65_537]


def test_the_elements_of_all_tensors_together_fit_one_frame() -> None:
    many = [torch.zeros(20_000, dtype=torch.float64) for _ in range(20)]
    shown = picture(many)
    assert len(wire.encode({"reply": shown})) < wire.MAX_FRAME
    assert shown["items"][0]["value"] is not None
    assert shown["items"][-1]["value"] is None


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: torch.empty(3, device="meta"), "device meta"),
        (lambda: torch.eye(2).to_sparse(), "not a dense tensor"),
        (lambda: torch.quantize_per_tensor(torch.zeros(1), 0.1, 0, torch.quint8), "quint8 is not read"),
    ],
    ids=["meta", "sparse", "quantized"],
)
def test_a_tensor_without_plain_elements_says_why_it_is_not_read(made: Any, says: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = picture(made())
    assert shown["value"] is None
    assert says in shown["unseen"]


def test_a_tensor_whose_memory_was_taken_away_is_not_read() -> None:
    t = torch.ones(1000)
    t.untyped_storage().resize_(0)
    assert "smaller than its shape" in picture(t)["unseen"]


def test_a_nested_tensor_is_an_object() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nested = torch.nested.nested_tensor([torch.zeros(1), torch.zeros(2)])
    assert picture(nested)["is"] == "object"


def test_a_tensor_within_a_function_transform_is_an_object() -> None:
    seen: list[Any] = []

    def watched(x: torch.Tensor) -> torch.Tensor:
        seen.append(picture(x))
        return x * x

    torch.func.grad(watched)(torch.tensor(3.0))
    assert seen[0]["is"] == "object" or seen[0]["value"] is None


class Soft(float):
    def __eq__(self, other: object) -> bool:
        raise AssertionError("the learner's method was called")

    __float__ = __repr__ = __sub__ = __eq__  # type: ignore[assignment]

    def __hash__(self) -> int:
        raise AssertionError("the learner's method was called")


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("the learner's method was called")


class Spoof:
    @property
    def __class__(self) -> Any:
        raise AssertionError("the learner's method was called")


@pytest.mark.parametrize(
    ("value", "type_name", "base"),
    [
        (Soft(6.0), "Soft", "float"),
        (torch.tensor(6.0).as_subclass(Liar), "Liar", "Tensor"),
        (Spoof(), "Spoof", "object"),
        (type("Longer", (list,), {})(), "Longer", "list"),
    ],
    ids=["float", "tensor", "class", "list"],
)
def test_a_subclass_is_an_object_and_none_of_its_methods_runs(value: Any, type_name: str, base: str) -> None:
    shown = picture(value)
    assert (shown["is"], shown["type"], shown["bases"][0]) == ("object", type_name, base)


def test_a_metaclass_cannot_rename_its_class() -> None:
    class Meta(type):
        @property
        def __name__(cls) -> str:
            return "Tensor"

        def __hash__(cls) -> int:
            raise AssertionError("the learner's method was called")

    class Fake(metaclass=Meta):
        pass

    assert picture(Fake())["type"] == "Fake"


def test_numbers_keep_their_exact_type() -> None:
    assert picture(True) is True
    assert type(picture(1)) is int
    assert type(picture(1.0)) is float
    assert picture(1 + 2j) == {"is": "complex", "real": 1.0, "imag": 2.0}


def test_a_whole_number_of_4096_bits_is_read_and_a_longer_one_described() -> None:
    assert picture(2**4096 - 1) == 2**4096 - 1
    assert "4097 bits" in picture(2**4096)["note"]


def test_numpy_arrays_and_scalars_are_read_but_not_arrays_of_objects() -> None:
    assert elements(picture(np.float64(1.5))) == [1.5]
    assert elements(picture(np.arange(6, dtype=np.int32).reshape(2, 3).T)) == [0, 3, 1, 4, 2, 5]
    assert picture(np.array([object()]))["value"] is None


def test_a_list_that_holds_itself_ends_where_reading_ends() -> None:
    ring: list[Any] = []
    ring.append(ring)
    shown = picture(ring)
    for _ in range(observer.MAX_DEPTH):
        shown = shown["items"][0]
    assert shown["is"] == "object"
    assert "deeper" in shown["note"]


def test_a_list_of_20_000_entries_is_read_and_a_longer_one_described() -> None:
    assert len(picture([0] * observer.MAX_ENTRIES)["items"]) == observer.MAX_ENTRIES
    assert "20,001 entries" in picture([0] * (observer.MAX_ENTRIES + 1))["note"]


def test_the_deepest_and_the_widest_picture_fit_one_frame() -> None:
    deep: Any = torch.ones(2, requires_grad=True)
    for _ in range(observer.MAX_DEPTH):
        deep = {"a": [deep]} if isinstance(deep, list) else [deep]
    wire.encode({"reply": {"result": picture(deep)}})
    wire.encode({"reply": {"result": picture([(None, 1)] * 9_000)}})


def test_a_text_of_20_000_characters_is_read_and_a_longer_one_described() -> None:
    assert picture("é" * observer.MAX_TEXT) == "é" * observer.MAX_TEXT
    assert "20,001 characters" in picture("é" * (observer.MAX_TEXT + 1))["note"]
