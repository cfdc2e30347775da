"""The scale on which errors are alike: the numbers themselves, or their logarithms."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Mask

#: Numbers of zero or less have no logarithm: on that scale they are further off than all others.
LEAST = 1e-300


def to_scale(value: Floats, is_log: Mask) -> Floats:
    """Return numbers on their scale: their logarithms where errors are a share of the truth."""
    return np.where(is_log, np.log(np.maximum(np.where(is_log, value, 1.0), LEAST)), value)


def from_scale(u: Floats, is_log: Mask) -> Floats:
    """Return the numbers that `to_scale` put on their scale."""
    return np.where(is_log, np.exp(np.where(is_log, u, 0.0)), u)
