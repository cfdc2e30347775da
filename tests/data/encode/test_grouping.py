"""Sources that speak twice, found by the compiled loop and by sorting; and rows in order."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.data.encode.grouping import in_order, nobody_speaks_twice
from veracity.data.encode.speaking_kernels import some_source_speaks_twice  # noqa: F401  is loaded

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12)


def columns(pairs: list[tuple[int, int]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return items in order, and the sources that speak about them."""
    item, source = np.array(sorted(pairs, key=lambda pair: pair[0]), np.int32).reshape(-1, 2).T
    return item, source


@given(PAIRS)
def test_the_loop_finds_the_sources_that_sorting_finds(pairs: list[tuple[int, int]]) -> None:
    item, source = columns(pairs)
    expected = len(set(pairs)) == len(pairs)
    assert nobody_speaks_twice(item, source, 5) is expected
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "numba")
        assert nobody_speaks_twice(item, source, 5) is expected


def test_pairs_may_be_more_than_32_bits_count() -> None:
    item = np.array([0, 99_999], np.int32)
    source = np.array([99_999, 0], np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "numba")
        assert nobody_speaks_twice(item, source, 100_000)
        assert not nobody_speaks_twice(item[[1, 1]], source[[1, 1]], 100_000)


@given(st.lists(st.integers(0, 60), max_size=15))
def test_rows_are_put_in_order_with_gaps_and_repeats(rows: list[int]) -> None:
    given_rows = np.array(rows, np.int64)
    assert in_order(given_rows).tolist() == sorted(range(len(rows)), key=rows.__getitem__)


@pytest.mark.parametrize("rows", [[2, 0, 1], [3, 0, 5], [900, 7, 30], [1, 0, 1]])
def test_rows_are_put_in_order_either_way(rows: list[int]) -> None:
    assert in_order(np.array(rows, np.int64)).tolist() == sorted(range(3), key=rows.__getitem__)
