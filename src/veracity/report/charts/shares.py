"""Intervals of shares."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.report.chance import WIDTH_90
from veracity.report.charts.sizes import Counts


def interval(n_right: Floats, n: Counts, width: float = WIDTH_90) -> tuple[Floats, Floats]:
    """Return the interval of a share by Wilson's method (1927), by default that of 90 %.

    `width` is half its width in standard errors.

    >>> [round(float(end[0]), 3) for end in interval(np.array([5.0]), np.array([10]))]
    [0.269, 0.731]
    """
    z = width**2
    centre = (n_right + z / 2) / (n + z)
    half = width * np.sqrt(n_right * (n - n_right) / n + z / 4) / (n + z)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
