"""Shares of right answers: intervals around them, and how likely they are by chance."""

from __future__ import annotations

from math import exp, fsum, lgamma, log, log1p

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats

#: Half the width of an interval, in standard deviations.
WIDTH_90, WIDTH_95 = 1.6448536269514722, 1.959963984540054


def wilson(right: npt.ArrayLike, n: npt.ArrayLike, width: float) -> tuple[Floats, Floats]:
    """Return the interval of the share of `right` among `n`, after Wilson (1927); NaN for none.

    >>> [round(float(end), 3) for end in wilson(9, 10, WIDTH_95)]
    [0.596, 0.982]
    """
    n = np.asarray(n, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, z2 = np.asarray(right) / n, width**2
        middle = p + z2 / (2 * n)
        half = width * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        scale = 1 + z2 / n
        low, high = (middle - half) / scale, (middle + half) / scale
    # It holds the share, but for rounding.
    return np.clip(low, 0.0, p), np.clip(high, p, 1.0)


def chance_of(right: int, n: int, share: float) -> float:
    """Return how likely it is that at least so many of `n` are right if each is so by chance.

    `share` is that chance, between 0 and 1.

    >>> round(chance_of(9, 10, 0.5), 9) == round(11 / 1024, 9)
    True
    """
    if right <= 0:
        return 1.0
    log_right, log_wrong, whole = log(share), log1p(-share), lgamma(n + 1)
    return min(
        1.0,
        fsum(
            exp(whole - lgamma(k + 1) - lgamma(n - k + 1) + k * log_right + (n - k) * log_wrong)
            for k in range(right, n + 1)
        ),
    )
