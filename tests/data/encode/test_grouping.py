"""Sources that speak twice about an item, found by the compiled loop and by sorting."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.data.encode.grouping import nobody_speaks_twice
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
