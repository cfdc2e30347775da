"""Whether a difference could be luck: the exact sign test, and Nemenyi's critical difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LEVEL = 0.05


@dataclass(frozen=True)
class PairedTest:
    """Two methods on the same items: McNemar's test, exact.

    Attributes
    ----------
    better, worse
        Items that only the first method has right, and those that only the second has.
    p
        How likely so uneven a split is by luck alone, two-sided. Items on which both are right, or
        both wrong, say nothing.
    """

    better: int
    worse: int
    p: float


def paired_test(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> PairedTest:
    """Test whether one method is right more often than another, over the same items.

    >>> paired_test(np.array([True] * 5), np.array([False] * 5)).p
    0.0625
    """
    from scipy.stats import binomtest

    better, worse = int((first & ~second).sum()), int((second & ~first).sum())
    n = better + worse
    return PairedTest(better, worse, float(binomtest(better, n).pvalue) if n else 1.0)


def critical_difference(n_methods: int, n_sets: int, level: float = LEVEL) -> float:
    """Return how far mean ranks must lie apart for two methods to differ (Nemenyi).

    Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006:
    q √(k (k + 1) / 6 N), with q the quantile of the studentised range by √2.
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - level, n_methods, np.inf)) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))
