"""Exact reports: attributes about which many sources say just the same, and others are far off.

Where most errors are none at all, a mean of the claims lies beside the number that most of them
name. The location is then a weighted median, which keeps to claimed numbers.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Mask
from veracity.models.forms.number.parameters import NumberParameters

#: Exact reports take pairs of claims that agree exactly, this share of all at least,
LEAST_TIES = 0.1
#: and tails this heavy: what does not agree is far off. Coarse ratings agree often as well, but
#: their errors are small steps, and tails light.
HEAVY_TAIL = 4.0
#: Where more than this share of pairs agrees, tails do not matter.
MANY_TIES = 0.5


def has_exact_reports(learned: NumberParameters) -> Mask:
    """Say of which attributes many sources report the truth exactly."""
    heavy = (learned.ties >= LEAST_TIES) & (learned.nu <= HEAVY_TAIL)
    return np.asarray(heavy | (learned.ties >= MANY_TIES))
