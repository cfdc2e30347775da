"""Indices in one number: order kept, taken apart exactly, and the same claims where none fits."""

from __future__ import annotations

from dataclasses import fields
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity import Claims
from veracity.data.encode import packing
from veracity.data.encode.packing import Packing

ROWS = {
    "source": ["b", "a", "c", "a", "b", None, "a"],
    "entity": ["y", "x", "x", "y", "x", "x", "x"],
    "attribute": ["p", "q", "q", "p", "p", "p", "q"],
    "value": ["2", "1", "3", "2", "1", "1", "1"],
    "asserts": [1, 0, 1, 1, 1, None, 0],
    "time": [3.0, None, 1.0, 2.0, 5.0, 4.0, 6.0],
    "weight": [0.5, 2.0, None, 1.0, 3.0, 1.0, 4.0],
}


@given(st.lists(st.integers(1, 2**12), min_size=1, max_size=5), st.randoms())
def test_columns_are_taken_apart_as_they_were_packed(sizes: list[int], random: Random) -> None:
    packing = Packing.of({f"c{i}": size for i, size in enumerate(sizes)})
    row = {name: random.randrange(size) for name, size in zip(packing.bits, sizes, strict=True)}
    packed = packing.pack({name: np.array([index]) for name, index in row.items()})
    apart = dict(packing.unpack(packed))
    assert {name: int(column[0]) for name, column in apart.items()} == row


def test_packed_numbers_are_ordered_by_the_first_column_first() -> None:
    packing = Packing.of({"a": 3, "b": 5})
    apart = packing.sort({"a": np.array([2, 0, 2]), "b": np.array([0, 4, 1])})
    assert apart["a"].tolist() == [0, 2, 2]
    assert apart["b"].tolist() == [4, 0, 1]


@pytest.mark.parametrize("n_sorted", [0, 2_000])
def test_many_rows_are_sorted_as_side_by_side(n_sorted: int) -> None:
    draw = np.random.default_rng(0)
    a = draw.integers(0, 300, 2_000)
    a[:n_sorted].sort()
    b, row = draw.integers(0, 7, 2_000), np.arange(2_000)
    columns = {"c": np.zeros(2_000, np.int64), "a": a, "b": b, "row": row}
    steps_back = np.count_nonzero(a[1:] < a[:-1])
    assert (steps_back > packing.FEW_STEPS_BACK) == (not n_sorted)
    apart = Packing.of({"c": 1, "a": 300, "b": 7, "row": 2_000}).sort(columns)
    order = np.lexsort((b, a))
    for name, column in columns.items():
        np.testing.assert_array_equal(apart[name], column[order])


def test_what_needs_more_than_63_bits_does_not_fit() -> None:
    assert Packing.of({"a": 2**31, "b": 2**32}).fits
    assert not Packing.of({"a": 2**32, "b": 2**32}).fits


@pytest.mark.parametrize("names", [tuple(ROWS), ("source", "entity", "value")])
def test_claims_that_do_not_fit_in_one_number_are_coded_alike(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    frame = {name: ROWS[name] for name in names}
    packed = Claims.from_frame(frame)
    monkeypatch.setattr(packing, "BITS", 0)
    sorted_by_engine = Claims.from_frame(frame)
    mine, theirs = packed.coded(), sorted_by_engine.coded()
    for column in fields(mine):
        np.testing.assert_array_equal(getattr(mine, column.name), getattr(theirs, column.name))
    assert mine.row.tolist() != list(range(len(packed)))
    assert packed.to_arrow().equals(sorted_by_engine.to_arrow())
    assert packed.notes == sorted_by_engine.notes
