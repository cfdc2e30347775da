"""What users read about sources: bias, standard deviation, gross errors, and reliability."""

from __future__ import annotations

import numpy as np
from scipy import special

from veracity.data.arrays import Floats, Mask, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.closeness import Closeness
from veracity.models.forms.number.located import Located, locate_items
from veracity.models.forms.number.parameters import NumberParameters
from veracity.models.forms.number.scale import from_scale

#: A claim is a gross error if its source's own errors were that far off less often than this.
GROSS = 1e-3


def summaries(
    blocks: Blocks[BlockNumbers], learned: NumberParameters, closeness: Closeness
) -> dict[str, Floats]:
    """Return, of each cell, weight, reliability, bias, sd and share of gross errors."""
    table = blocks.total(_summed, learned, closeness)["cells"].everywhere()
    weight = table[:, 0]
    size = np.where(weight > 0, weight, np.nan)
    right, bias, log_sd, gross = (table[:, 1:] / size[:, None]).T
    return {
        "weight": weight,
        "reliability": right,
        "bias": bias,
        "sd": np.exp(log_sd),
        "gross_errors": gross,
    }


def gross_claims(found: Located) -> Mask:
    """Mark the claims that are further off than the errors of their source explain."""
    nu = found.parameters.nu[found.numbers.attribute][found.numbers.of_claim]
    z = np.abs(found.away) / np.sqrt(found.noise)
    return np.asarray(2.0 * special.stdtr(nu, -z) < GROSS)


def _summed(numbers: BlockNumbers, learned: NumberParameters, closeness: Closeness) -> Sums:
    found = locate_items(numbers, learned)
    of_claim = numbers.of_claim
    attribute = numbers.attribute[of_claim]
    bias = found.spread[of_claim] * learned.bias[numbers.cell]
    deviation = np.sqrt(found.noise)
    centre = found.location[of_claim]
    truth = from_scale(centre, learned.is_log[attribute])
    low, high = closeness.bounds(truth, attribute, learned)
    nu = learned.nu[attribute]
    right = special.stdtr(nu, (high - centre - bias) / deviation)
    right = right - special.stdtr(nu, (low - centre - bias) / deviation)
    cells = np.unique(numbers.cell)
    at = np.searchsorted(cells, numbers.cell)
    gross = gross_claims(found).astype(np.float64)
    columns = (np.ones(len(at)), right, bias, np.log(deviation), gross)
    table = np.stack([sum_by(at, numbers.weight * one, len(cells)) for one in columns], axis=1)
    return {"cells": Scattered(cells, table, len(learned.bias))}
