"""Errors that sources share: the correlation of their residuals within items."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.located import locate_items
from veracity.models.forms.number.parameters import NumberParameters

#: Residuals further out than this say nothing about correlation.
FAR = 3.0
#: A correlation of residuals stands for so much shared variance, and at most this much.
PER_CORRELATION, MOST_SHARED = 60.0, 2.0
#: Items with fewer claims say nothing about correlation.
LEAST_CLAIMS = 3.0


def shared_variance(blocks: Blocks[BlockNumbers], learned: NumberParameters) -> Floats:
    """Return the variance that all sources' errors share, by attribute, in units of the item's.

    Residuals are correlated since they are taken from one estimate; what exceeds that is shared.
    It evens out the weights: precise sources gain nothing where the errors of all are one.
    """
    found, expected, pairs = blocks.total(_products, learned)["products"].T
    excess = (found - expected) / np.maximum(pairs, 1.0)
    return np.asarray(np.minimum(MOST_SHARED, PER_CORRELATION * np.maximum(excess, 0.0)))


def _products(numbers: BlockNumbers, learned: NumberParameters) -> Sums:
    """Sum products of standardised residuals within items, and their expectations."""
    found = locate_items(numbers, learned)
    noise = found.noise
    deviation = np.sqrt(noise)
    z = found.away / deviation
    near = np.abs(z) < FAR
    z = np.where(near, z, 0.0)
    by_item, of_claim = numbers.by_item, numbers.of_claim
    product = by_item(z) ** 2 - by_item(z**2)
    n_near = by_item(near.astype(np.float64))
    share = numbers.weight / noise
    share = share / by_item(share)[of_claim]
    inverse = by_item(np.where(near, 1.0 / deviation, 0.0))
    pull = by_item(np.where(near, share * deviation, 0.0))
    both = inverse**2 - by_item(np.where(near, 1.0 / noise, 0.0))
    mixed = pull * inverse - by_item(np.where(near, share, 0.0))
    expected = by_item(share**2 * noise) * both - 2 * mixed
    used = (numbers.count >= LEAST_CLAIMS) & np.isnan(numbers.known)
    columns = [
        sum_by(numbers.attribute, np.where(used, column, 0.0), len(learned.nu))
        for column in (product, expected, n_near * (n_near - 1))
    ]
    return {"products": np.stack(columns, axis=1)}
