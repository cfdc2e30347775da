"""Labels that differ in digits alone: in order and told apart, by a table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.data.labels import digits
from veracity.data.labels.digits import by_digits, by_table, digit_places
from veracity.data.labels.short import ShortLabels

DIGITS = st.text("0123456789", max_size=8)
NEAR_DIGITS = st.text("0159/:?\x01\x0a\x10 qé", max_size=4)


def short(texts: list[str]) -> ShortLabels:
    found = ShortLabels.of([pa.array(texts)])
    assert found is not None
    return found


@given(begin=st.sampled_from(["", "w", "task-", "ä" * 9]), numbers=st.lists(DIGITS, min_size=1))
def test_places_are_in_the_order_of_labels(begin: str, numbers: list[str]) -> None:
    places = digit_places(short([begin + number for number in numbers]).numbers)
    assert places is not None
    by_label = {number: place for number, place in zip(numbers, places.tolist(), strict=True)}
    assert sorted(by_label) == sorted(by_label, key=lambda number: by_label[number])
    assert len(set(by_label.values())) == len(by_label)


@given(texts=st.lists(NEAR_DIGITS, min_size=2, max_size=4))
def test_nothing_else_is_taken_for_a_digit(texts: list[str]) -> None:
    places = digit_places(short(texts).numbers)
    if places is not None:
        expected = sorted(range(len(texts)), key=lambda place: texts[place].encode())
        assert np.argsort(places, kind="stable").tolist() == expected
        assert len(set(places.tolist())) == len(set(texts))


@pytest.mark.parametrize("odd", ["/", ":", "a", "\x01", "\x10", " ", "é"])
@pytest.mark.parametrize("place", [0, digits.AT_ONCE + 1])
def test_one_other_sign_is_found(odd: str, place: int) -> None:
    texts = [str(number) for number in range(digits.AT_ONCE + 2)]
    assert digit_places(short(texts).numbers) is not None
    texts[place] = odd
    assert digit_places(short(texts).numbers) is None


def test_labels_are_numbered_in_order() -> None:
    texts = [f"task-{number}" for number in (10, 2, 1, 2, 10, 30, 2, 11)]
    found = by_digits(short(texts))
    assert found is not None
    codes, distinct = found
    assert distinct.labels().to_pylist() == sorted(set(texts))
    assert [sorted(set(texts))[code] for code in codes] == texts


def test_labels_too_far_apart_have_no_table() -> None:
    assert by_digits(short(["1", "99999999"])) is None
    assert by_table(np.array([-(2**63), 2**63 - 1])) is None


def test_whole_numbers_are_numbered_in_order() -> None:
    found = by_table(np.array([7, -2, 7, 3]))
    assert found is not None
    codes, distinct = found
    assert codes.tolist() == [2, 0, 2, 1]
    assert distinct.tolist() == [-2, 3, 7]
