"""Codes for equal things."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from veracity.features.codes import Coded, combine, distinct_codes


@given(st.lists(st.integers(-5, 5)))
def test_distinct_codes(keys: list[int]) -> None:
    levels, codes = distinct_codes(np.array(keys, np.int64))
    assert levels.tolist() == sorted(set(keys))
    assert levels[codes].tolist() == keys


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=20))
def test_combinations_keep_every_column(pairs: list[tuple[int, int]]) -> None:
    first = Coded(np.array([p[0] for p in pairs], np.int64), np.eye(3), ("x", "y", "z"))
    second = Coded(np.array([p[1] for p in pairs], np.int64), np.arange(4.0)[:, None], ("n",))
    rows, codes = combine([first, second], len(pairs))
    assert len(rows) == len(set(pairs))
    expected = [[*np.eye(3)[i], j] for i, j in pairs]
    np.testing.assert_array_equal(rows[codes], np.array(expected).reshape(-1, 4))


def test_no_features() -> None:
    rows, codes = combine([], 3)
    assert rows.shape == (1, 0)
    assert codes.tolist() == [0, 0, 0]
    assert combine([], 0)[0].shape == (0, 0)
