"""The scale on which errors are alike: the numbers themselves, or their logarithms."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Mask


def to_scale(value: Floats, is_log: Mask) -> Floats:
    """Return numbers on their scale: their logarithms where errors are a share of the truth."""
    positive = np.where(is_log & (value > 0), value, 1.0)
    with_log = np.where(value > 0, np.log(positive), np.nan)
    return np.where(is_log, with_log, value)


def from_scale(u: Floats, is_log: Mask) -> Floats:
    """Return the numbers that `to_scale` put on their scale."""
    return np.where(is_log, np.exp(np.where(is_log, u, 0.0)), u)
