"""Exact reports: attributes about which many sources say just the same, and others are far off.

Where most errors are none at all, a mean of the claims lies beside the number that most of them
name. The location is then a weighted median, which keeps to claimed numbers.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Mask
from veracity.models.forms.number.parameters import NumberParameters

#: Exact reports take pairs of claims that agree exactly, this share of all at least,
LEAST_TIES = 0.125
#: and tails this heavy: what does not agree is far off. Coarse ratings agree often as well, but
#: their errors are small steps, and tails light.
HEAVY_TAIL = 4.0
#: Items with fewer claims on average do not show how heavy tails are; ties are then enough.
LEAST_CLAIMS = 8.0
#: Where half of the claims are exact, a quarter of the pairs agrees; tails do not matter then.
MANY_TIES = 0.25


def has_exact_reports(learned: NumberParameters) -> Mask:
    """Say of which attributes many sources report the truth exactly."""
    few = learned.n_claims < LEAST_CLAIMS * learned.n_items
    heavy = (learned.ties >= LEAST_TIES) & (few | (learned.nu <= HEAVY_TAIL))
    return np.asarray(heavy | (learned.ties >= MANY_TIES))
