# ruff: noqa: SIM201, SIM202 -- `not a == b` asks another method than `a != b`, and both are tested
"""Comparisons on the checker's side: when they hold, and what they say when they do not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from graders.checks import Picture, close
from graders.checks.faults import AuthorError, Disagreement
from graders.checks.journal import journal
from graders.checks.show import show


def seen(value: Any, name: str = "x") -> Picture:
    return Picture.of(value, name)


def says(comparison: Any) -> str:
    assert not comparison
    message: str = comparison.message
    return message


@pytest.mark.parametrize(
    "value",
    [6, 6.0, torch.tensor(6.0), torch.tensor(6), torch.tensor(6.0, dtype=torch.float64), np.float64(6.0)],
)
def test_a_number_equals_python_numbers_and_tensors_of_shape_nothing(value: Any) -> None:
    assert seen(value) == 6.0
    assert close(seen(value), 6.0)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (True, "not numbers"),
        (torch.tensor(True), "a bool tensor"),
        (torch.tensor([1.0]), "the single number 1.0 (shape ())"),
        (torch.zeros(0), "shape (0,)"),
        (torch.zeros(0, 1, 5), "shape (0, 1, 5)"),
        ("1.0", "'1.0'"),
        (b"1.0", "bytes"),
        (None, "None"),
        ({1.0}, "an object of type set"),
        (1 + 0j, "expected the number 1.0"),
        ([1.0], "a list of length 1"),
        (type("Soft", (float,), {})(1.0), "an object of type Soft, a kind of float"),
    ],
)
def test_what_is_no_number_never_equals_one(value: Any, reason: str) -> None:
    assert reason in says(seen(value) == 1.0)
    assert reason in says(close(seen(value), 1.0))


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, torch.tensor(math.nan), torch.tensor([math.inf])]
)
@pytest.mark.parametrize("other", [0.0, 1.0, torch.tensor([1.0])])
def test_what_is_not_finite_passes_no_comparison(value: Any, other: Any) -> None:
    assert not seen(value) == other
    assert not seen(value) != other
    assert not close(seen(value), other, rtol=1e9, atol=1e9)
    if not isinstance(other, torch.Tensor) and not isinstance(value, torch.Tensor):
        assert not seen(value) < other
        assert not seen(value) > other


@pytest.mark.parametrize("expected", [math.nan, math.inf, torch.tensor([math.nan])])
def test_expecting_what_is_not_finite_is_the_authors_mistake(expected: Any) -> None:
    with pytest.raises(AuthorError, match="never pass"):
        close(seen(torch.tensor([1.0]) if isinstance(expected, torch.Tensor) else 1.0), expected)


def test_an_expected_number_is_rounded_to_the_dtype_that_it_is_compared_in() -> None:
    assert seen(torch.tensor(0.1)) == 0.1
    assert not seen(0.1 + 1e-9) == 0.1


def test_a_difference_of_exactly_the_tolerance_passes_and_a_little_more_does_not() -> None:
    for got in (46.0, 45.6):
        assert close(seen(got), 45.8, atol=0.2)
    assert close(seen(0.4), 0.3, atol=0.1)
    assert close(seen(2e-9), 1e-9, atol=1e-9)
    assert not close(seen(46.001), 45.8, atol=0.2)
    assert close(seen(101.0), 100.0, rtol=0.01)
    assert not close(seen(101.01), 100.0, rtol=0.01)


def test_an_answer_half_a_percent_off_is_not_close_by_default() -> None:
    assert "off by 0.0601" in says(close(seen(12.0601), 12.0))
    assert close(seen(12.00001), 12.0)


def test_a_relative_tolerance_is_of_the_expected_value_and_never_of_the_answer() -> None:
    assert not close(seen(1e30), 1.0, rtol=0.5)
    assert not close(seen(2.0), 0.0, rtol=0.5)


def test_float64_is_held_to_more_digits_than_float32() -> None:
    one = torch.ones(1, dtype=torch.float64)
    assert not close(seen(one + 1e-6), one)
    assert close(seen((one + 1e-6).float()), one.float())


@pytest.mark.parametrize("tolerance", [{"rtol": -1.0}, {"atol": math.inf}, {"rtol": math.nan}])
def test_a_tolerance_that_is_none_is_the_authors_mistake(tolerance: dict[str, float]) -> None:
    with pytest.raises(AuthorError, match="finite and not negative"):
        close(seen(1.0), 1.0, **tolerance)


def test_shapes_must_be_equal_and_nothing_broadcasts() -> None:
    expected = torch.ones(3)
    assert "Shapes differ: x has shape (1,); expected (3,)" in says(close(seen(torch.ones(1)), expected))
    assert "Shapes differ" in says(close(seen(torch.ones(3, 1)), expected))
    assert "() (a single number)" in says(close(seen(torch.tensor(1.0)), expected))
    assert "Shapes differ" in says(close(seen(torch.zeros(0)), expected))


def test_dtypes_must_be_equal_unless_the_author_says_otherwise() -> None:
    got, expected = seen(torch.tensor([1, 2])), torch.tensor([1.0, 2.0])
    assert says(close(got, expected)) == "dtype differs: x is torch.int64, expected torch.float32."
    assert close(got, expected, dtype=False)


def test_a_number_where_a_tensor_is_expected_is_told_so() -> None:
    assert "expected a float32 tensor of shape (2,)" in says(close(seen(1.0), torch.ones(2)))
    assert "NumPy array" in says(close(seen(np.ones(2, dtype=np.float32)), torch.ones(2)))


def test_whole_numbers_beyond_2_to_the_53_keep_every_digit() -> None:
    big = 2**53
    assert not close(seen(big + 1), big)
    assert not close(seen(torch.tensor([big + 1])), torch.tensor([big]))
    assert close(seen(10**400), 10**400)
    assert "expected 6.0" in says(close(seen(10**400), 6.0))
    assert "expected 6.0" in says(seen(10**400) == 6.0)
    assert not seen(torch.tensor(1)) == 10**400


def test_a_tensor_that_was_not_read_never_passes_and_says_why() -> None:
    assert "65,537 elements" in says(close(seen(torch.zeros(65_537)), torch.zeros(65_537)))
    assert "device meta" in says(close(seen(torch.empty(2, device="meta")), torch.zeros(2)))


def test_lengths_of_lists_must_be_equal() -> None:
    for got in ([5], [5, 1, 0, 7], []):
        assert "Lengths differ" in says(seen(got) == [5, 1, 0])
    assert seen([5, 1, 0]) == [5, 1, 0]
    assert "x[1] is 2; expected 1" in says(seen([5, 2, 0]) == [5, 1, 0])


def test_a_list_is_no_tuple() -> None:
    assert "expected a tuple of length 2" in says(seen([1, 2]) == (1, 2))
    assert seen(torch.ones(2, 3).shape) == (2, 3)


def test_dicts_compare_key_by_key() -> None:
    expected = {"a": torch.ones(2), "b": 1}
    assert seen({"b": 1, "a": torch.ones(2)}) == expected
    assert "'b' is missing, 'c' is too many" in says(seen({"a": torch.ones(2), "c": 1}) == expected)
    assert "x['b'] is 2; expected 1" in says(seen({"a": torch.ones(2), "b": 2}) == expected)
    assert not seen({1: "a"}) == {True: "a"}


def test_texts_tell_where_they_differ() -> None:
    assert seen("6.0") == "6.0"
    assert "only in blanks" in says(seen("a  b\n") == "a b")
    assert "only in upper and lower case" in says(seen("Loss") == "loss")
    assert "at character 3: 'x' instead of 'c'" in says(seen("abx") == "abc")
    assert "beginning of the other" in says(seen("ab") == "abc")


def grad_of(value: Any, **flags: bool) -> Picture:
    x = torch.zeros_like(value, requires_grad=True)
    x.grad = value
    return seen(x).grad


def test_a_gradient_that_is_a_multiple_asks_whether_backward_was_called_so_often() -> None:
    assert says(grad_of(torch.tensor(12.0)) == 6.0) == (
        "x.grad is 12.0; expected 6.0. 12.0 is twice the expected 6.0: was backward called twice? "
        "Gradients add up until they are cleared (zero_grad, or .grad = None)."
    )
    twice = says(close(grad_of(torch.tensor([2.0, 4.0])), torch.tensor([1.0, 2.0])))
    assert "Each is twice what is expected: was backward called twice? Gradients add up until" in twice
    assert "backward" not in says(seen(12.0) == 6.0)


def test_a_sign_a_zero_and_an_offset_are_recognised() -> None:
    assert "the sign is wrong" in says(seen(-6.0) == 6.0)
    assert "no path leads back" in says(grad_of(torch.tensor(0.0)) == 6.0)
    assert "off by the same 1" in says(close(seen(torch.tensor([2.0, 3.0])), torch.tensor([1.0, 2.0])))


def test_the_largest_difference_of_a_tensor_is_pointed_at() -> None:
    expected = torch.arange(6.0).reshape(2, 3)
    got = expected.clone()
    got[1, 2] += 0.5
    got[0, 1] += 0.25
    assert "2 of 6 elements differ; the largest difference is 0.5 at [1, 2]: got 5.5, expected 5.0" in says(
        close(seen(got), expected)
    )


def test_a_transposed_and_a_shuffled_tensor_are_recognised() -> None:
    expected = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert "right and transposed" in says(close(seen(expected.T.contiguous()), expected))
    assert "in another order" in says(close(seen(expected.flip(0)), expected))


def test_nan_within_a_tensor_is_counted() -> None:
    got = torch.tensor([1.0, math.nan, math.inf])
    assert "2 of 3 elements are nan or inf, the first at [1]" in says(close(seen(got), torch.ones(3)))


def test_float32_values_are_shown_as_short_as_they_can_be_told_apart() -> None:
    assert "x is 0.1; expected 0.2" in says(seen(torch.tensor(0.1)) == 0.2)


@pytest.mark.parametrize("shape", [(1 << 40, 0), (2, 0, 3), (0, 1 << 40)])
def test_a_tensor_without_elements_is_shown_by_its_shape(shape: tuple[int, ...]) -> None:
    assert show(torch.zeros(shape)) == f"a float32 tensor of shape {shape}"
    assert show(torch.zeros(0)) == "[]"


def leaf(**kwargs: Any) -> Picture:
    return seen(torch.tensor(1.0, **kwargs))


def test_a_missing_gradient_says_why_it_is_missing() -> None:
    assert says(leaf().grad == 6.0) == "x.grad is None: x was made without requires_grad=True."
    assert "backward() was not called" in says(leaf(requires_grad=True).grad == 6.0)
    result = torch.tensor(1.0, requires_grad=True) * 2
    assert "x is no leaf but the result of an operation (MulBackward0)" in says(seen(result).grad == 6.0)


def test_asking_a_missing_gradient_for_more_is_the_learners_mistake() -> None:
    for ask in (lambda: leaf().grad.shape, lambda: float(leaf().grad), lambda: leaf().grad > 3):
        with pytest.raises(Disagreement, match=r"x\.grad is None"):
            ask()


def test_a_flag_that_is_looked_at_leaves_its_reason_behind() -> None:
    assert not leaf().requires_grad
    assert journal.last is not None
    assert "x.requires_grad is False: x was neither made with requires_grad=True" in journal.last.message
    assert seen(torch.tensor([1, 2])).grad_fn is None
    assert "int64 values, and those have no gradient" in journal.last.message


def test_shape_and_dtype_explain_themselves() -> None:
    picture = seen(torch.ones(2, 5))
    assert picture.shape == (2, 5)
    assert not picture.shape == (2, 1)
    assert journal.last is not None
    assert journal.last.message == "x has shape (2, 5); expected (2, 1)."
    assert picture.dtype == torch.float32
    assert picture.dtype == "float32"
    assert picture.dtype in ("float32", "float64")
    assert picture.dtype.is_floating_point
    assert picture.dtype != torch.float64
    assert not picture.dtype == torch.float64
    assert journal.last.message == "dtype differs: x is torch.float32, expected torch.float64."


def test_entries_of_containers_and_tensors_can_be_asked_for() -> None:
    assert seen([1, [2, 3]])[1][0] == 2
    assert seen({"a": 1})["a"] == 1
    assert seen(torch.tensor([1.0, 2.0]))[-1] == 2.0
    assert [float(item) for item in seen(torch.tensor([1.0, 2.0]))] == [1.0, 2.0]
    for ask in (
        lambda: seen([1])[1],
        lambda: seen({})["a"],
        lambda: seen(torch.ones(1))[1],
        lambda: seen(1.0)[0],
    ):
        with pytest.raises(Disagreement, match="There is no x"):
            ask()


def test_containment_explains_itself() -> None:
    assert "loss" in seen("the loss is 3")
    assert 2 in seen([1, 2])
    assert 3 not in seen([1, 2])
    assert journal.last is not None
    assert journal.last.message == "x does not hold 3."


def test_numbers_can_be_ordered_and_nothing_else() -> None:
    assert seen(2.0) > 1
    assert seen(2.0) <= torch.tensor(2.0).item()
    assert says(seen(2.0) < 1) == "x is 2.0; expected a number < 1."
    with pytest.raises(Disagreement, match="a single number is needed"):
        seen("2") > 1  # noqa: B015 -- the comparison itself raises


def test_the_truth_of_a_picture_is_that_of_a_bool_only() -> None:
    assert seen(True)
    assert not seen(torch.tensor(False))
    with pytest.raises(Disagreement, match="True or False is needed"):
        bool(seen("yes"))


def test_of_large_tensors_the_first_element_that_differs_is_shown_of_both() -> None:
    wrong = torch.zeros(4, 5)
    wrong[2, 3] = 1.5
    found = close(seen(wrong), torch.zeros(4, 5)).difference
    assert found.got == "a float32 tensor of shape (4, 5); at [2, 3]: 1.5"
    assert found.expected == "a float32 tensor of shape (4, 5); at [2, 3]: 0.0"
