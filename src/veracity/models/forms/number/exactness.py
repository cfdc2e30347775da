"""Exact reports: attributes about which many sources say just the same, and others are far off.

Where most errors are none at all, a mean of the claims lies beside the number that most of them
name. The location is then a weighted median, which keeps to claimed numbers.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.models.forms.number.parameters import NumberParameters

#: Exact reports take pairs of claims that agree exactly, this share of all at least,
LEAST_TIES = 0.1
#: and tails this heavy: what does not agree is far off. Coarse ratings agree often as well, but
#: their errors are small steps, and tails light.
HEAVY_TAIL = 4.0
#: Sources that agree exactly look more precise than they are; the variance that weights leave out.
SHARED = 2.0


def has_exact_reports(learned: NumberParameters) -> Mask:
    """Say of which attributes many sources report the truth exactly."""
    return np.asarray((learned.ties >= LEAST_TIES) & (learned.nu <= HEAVY_TAIL))


def variance_left_out(kappa: Floats, exact: Mask) -> Floats:
    """Return the variance that weights leave out, where claims are exact and where not."""
    return np.where(exact, SHARED, kappa)
