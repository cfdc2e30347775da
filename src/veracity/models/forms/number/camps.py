"""Camps: sources that agree among themselves, while others say something else throughout.

Some departure times are those of the gate, others those of the runway. Claims do not show which
camp is right, however many are in it, so neither is believed more than its number.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Mask, sum_by
from veracity.models.forms.number.parameters import NumberParameters

#: Another camp has this share of the claims at least: with less, it is a matter of a few sources.
LEAST_SHARE = 0.3
#: The bias of its sources is so many of their standard deviations,
DEVIATIONS = 3.0
#: and this part of the spread of an item.
LEAST_BIAS = 0.5


def has_camps(learned: NumberParameters) -> Mask:
    """Say of which attributes the sources fall into camps."""
    attribute = np.repeat(np.arange(len(learned.nu)), learned.width)
    bias = np.abs(learned.bias)
    deviation = np.sqrt(learned.error * (learned.level / learned.typical)[attribute])
    apart = (bias > LEAST_BIAS) & (bias > DEVIATIONS * deviation)
    there = sum_by(attribute, np.where(apart, learned.count, 0.0), len(learned.nu))
    total = sum_by(attribute, learned.count, len(learned.nu))
    return np.asarray(there >= LEAST_SHARE * np.maximum(total, 1.0))
