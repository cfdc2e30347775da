"""Intervals of shares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from veracity.data.shares import WIDTH_90, WIDTH_95, wilson


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
