"""Intervals of shares, and what chance makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from veracity.data.shares import WIDTH_90, WIDTH_95, chance_of, wilson


@pytest.mark.parametrize(("n_right", "n"), [(0, 5), (5, 5), (37, 50)])
@pytest.mark.parametrize(("width", "level"), [(WIDTH_90, 0.9), (WIDTH_95, 0.95)])
def test_wilson(n_right: int, n: int, width: float, level: float) -> None:
    expected = binomtest(n_right, n).proportion_ci(level, method="wilson")
    found = wilson(n_right, n, width)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert np.isfinite(found).all()


def test_many_shares_at_once() -> None:
    low, high = wilson([3, 0, 0], [4, 2, 0], WIDTH_90)
    assert (low[0], high[0]) == pytest.approx(wilson(3, 4, WIDTH_90))
    assert low[1] == 0.0
    assert np.isnan([low[2], high[2]]).all()


@pytest.mark.parametrize("share", [0.001, 0.3, 0.5, 0.99])
@pytest.mark.parametrize("n", [0, 1, 10, 2000])
def test_chance(n: int, share: float) -> None:
    right = sorted({0, n // 3, n // 2, n - 1, n} - {-1})
    found = [chance_of(each, n, share) for each in right]
    expected = binom.sf(np.array(right) - 1, n, share)
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-250)


def test_chance_of_heads() -> None:
    assert chance_of(9, 10, 0.5) == pytest.approx(11 / 1024, rel=1e-14)
