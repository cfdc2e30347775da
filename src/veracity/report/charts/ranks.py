"""Whether two columns rise together, beyond chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats


def rank_correlation(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Return Spearman's rank correlation in standard errors from none; 0 if a column is constant.

    Without a trend its standard error is 1 over the root of n - 1 (Spearman, 1904).

    >>> round(rank_correlation(np.arange(26), np.arange(26) ** 2), 3)
    5.0
    """
    ranks = _ranks(one), _ranks(other)
    if any(np.ptp(rank) == 0 for rank in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1] * np.sqrt(len(one) - 1))


def _ranks(column: npt.NDArray[Any]) -> Floats:
    """Return the rank of each number; equal ones share the mean of theirs."""
    _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2.0)[place], np.float64)
