"""Numbers, categories and booleans as features."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.data.arrays import Floats
from veracity.features.codes import Coded
from veracity.features.columns import (
    Category,
    Number,
    categories_of,
    is_category,
    numbers_of,
)
from veracity.features.counts import CategoryCounts, NumberCounts
from veracity.features.thresholds import MAX_CATEGORIES, MAX_SPREADS

NAN = float("nan")


def matrix_of(coded: Coded) -> Floats:
    """Return the columns that g sees, one row per claim."""
    return coded.values[coded.codes]


def learn_category(cells: list[str | None]) -> tuple[Category, pa.DictionaryArray]:
    column = pa.array(cells).dictionary_encode()
    return Category.learn("kind", CategoryCounts.of(column)), column


def test_numbers_are_scaled_by_median_and_spread() -> None:
    column = np.array([1.0, 2.0, 3.0, 4.0, 1000.0])
    number = Number.learn("n", NumberCounts.of(column), bins=None)
    assert (number.median, number.spread) == (3.0, 2.0)
    np.testing.assert_allclose(
        matrix_of(number.encode(column))[:, 0], [-1, -0.5, 0, 0.5, MAX_SPREADS]
    )
    assert number.encode(column).names == ("n",)


def test_a_number_that_is_mostly_one_value() -> None:
    column = np.array([0.0] * 9 + [1.0])
    number = Number.learn("n", NumberCounts.of(column), bins=None)
    assert number.spread == pytest.approx(np.std(column))
    assert np.isfinite(matrix_of(number.encode(column))).all()


def test_missing_numbers_are_information() -> None:
    number = Number.learn("n", NumberCounts.of(np.array([1.0, NAN, 3.0])), bins=None)
    coded = number.encode(np.array([NAN, 3.0]))
    assert coded.names == ("n", "n is missing")
    np.testing.assert_allclose(matrix_of(coded), [[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize("bins", [None, 4])
def test_numbers_missing_for_the_first_time_count_as_the_median(bins: int | None) -> None:
    column = np.arange(100.0, 200.0)
    number = Number.learn("n", NumberCounts.of(column), bins)
    coded = number.encode(np.array([NAN, number.median]))
    assert coded.names == ("n",)
    assert matrix_of(coded)[0, 0] == matrix_of(coded)[1, 0]
    assert abs(matrix_of(coded)[0, 0]) < 0.5


def test_all_numbers_missing() -> None:
    number = Number.learn("n", NumberCounts.of(np.array([NAN, NAN])), bins=8)
    np.testing.assert_allclose(matrix_of(number.encode(np.array([NAN, 2.0]))), [[0, 1], [2, 0]])


def test_bins_hold_about_equally_many() -> None:
    column = np.random.default_rng(0).exponential(size=1000)
    number = Number.learn("n", NumberCounts.of(column), bins=8)
    coded = number.encode(column)
    counts = np.bincount(coded.codes)
    assert len(counts) == 8
    assert counts.min() >= 120
    assert len(set(matrix_of(coded)[:, 0])) == 8
    order = np.argsort(column)
    assert (np.diff(matrix_of(coded)[order, 0]) >= 0).all()
    # Beyond what was seen lies in the first or last bin.
    assert number.encode(np.array([-1e9, 1e9])).codes.tolist() == [0, 7]


def test_bins_of_few_or_lumpy_numbers() -> None:
    few = Number.learn("n", NumberCounts.of(np.array([1.0, 2.0, 3.0])), bins=3)
    assert few.edges == ()
    lumpy = np.array([0.0] * 90 + list(range(1, 11)))
    number = Number.learn("n", NumberCounts.of(lumpy), bins=4)
    codes = number.encode(lumpy).codes
    assert (codes[:90] == 0).all()
    assert (codes[90:] > 0).all()


@given(st.lists(st.integers(0, 60) | st.just(7), min_size=9), st.integers(2, 8))
def test_no_bin_is_empty(numbers: list[int], bins: int) -> None:
    column = np.array(numbers, np.float64)
    number = Number.learn("n", NumberCounts.of(column), bins)
    coded = number.encode(column)
    counts = np.bincount(coded.codes, minlength=len(coded.values))
    assert counts.min() > 0
    assert len(set(coded.codes.tolist())) >= min(2, len(set(numbers)))
    if number.edges:
        assert len(number.centres) == len(number.edges) + 1
        assert list(number.centres) == sorted(number.centres)


def test_categories_have_a_column_each() -> None:
    category, column = learn_category(["b", "a", "b", "c"])
    coded = category.encode(column)
    assert coded.names == ("kind = a", "kind = b", "kind = c")
    np.testing.assert_array_equal(matrix_of(coded), np.eye(3)[[1, 0, 1, 2]])


def test_rare_categories_are_pooled() -> None:
    cells = [f"k{i:02}" for i in range(MAX_CATEGORIES + 3) for _ in range(20 - i)]
    category, column = learn_category([*cells])
    assert category.pooled == tuple(f"k{i}" for i in range(MAX_CATEGORIES, MAX_CATEGORIES + 3))
    coded = category.encode(column)
    assert coded.names[-1] == "kind = other"
    assert matrix_of(coded)[-1, -1] == 1.0
    assert (matrix_of(coded).sum(axis=1) == 1.0).all()


def test_unseen_and_missing_categories() -> None:
    category, _ = learn_category(["a", "b"])
    new = pa.array(["zzz", None, "a"]).dictionary_encode()
    np.testing.assert_array_equal(matrix_of(category.encode(new)), [[0, 0], [0, 0], [1, 0]])
    category, _ = learn_category(["a", None])
    coded = category.encode(new)
    assert coded.names == ("kind = a", "kind is missing")
    np.testing.assert_array_equal(matrix_of(coded), [[0, 0], [0, 1], [1, 0]])


def test_categories_in_another_order() -> None:
    category, _ = learn_category(["a", "b", "c"])
    again = pa.array(["c", "a"]).dictionary_encode()
    np.testing.assert_array_equal(matrix_of(category.encode(again)), np.eye(3)[[2, 0]])


def test_booleans_are_numbers() -> None:
    found = numbers_of(pa.chunked_array([[True, None], [False]]))
    np.testing.assert_array_equal(found, [1.0, NAN, 0.0])
    assert not is_category(pa.array([True]))
    assert is_category(pa.array(["a"]).dictionary_encode())


def test_categories_in_chunks() -> None:
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()]
    found = categories_of(pa.chunked_array(chunks))
    assert found.to_pylist() == ["a", "b", "b", "c"]
