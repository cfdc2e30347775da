"""What users read about sources: bias, standard deviation, gross errors, and reliability."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from veracity.data.arrays import Floats, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.closeness import Closeness
from veracity.models.forms.number.located import Located, locate_items
from veracity.models.forms.number.parameters import NumberParameters
from veracity.models.forms.number.passes import log_density
from veracity.models.forms.number.scale import from_scale

#: Before claims are looked at, this share of them is gross errors,
GROSS = 0.02
#: which may be off by up to a million standard deviations.
DECADES = math.log(1e6)


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


def gross_chance(found: Located) -> Floats:
    """Return the probability that each claim is a gross error, off by anything.

    Its density against that of an error as its source makes them: the logarithm of the size of a
    gross error is uniform over `DECADES`, from one standard deviation on.
    """
    away, noise = np.abs(found.away), found.noise
    nu = found.parameters.nu[found.numbers.attribute][found.numbers.of_claim]
    far = away**2 > noise
    anything = GROSS / (2.0 * np.where(far, away, 1.0) * DECADES)
    own = (1.0 - GROSS) * np.exp(log_density(away, noise, nu))
    return np.where(far, anything / (anything + own), 0.0)


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
    gross = gross_chance(found)
    columns = (np.ones(len(at)), right, bias, np.log(deviation), gross)
    table = np.stack([sum_by(at, numbers.weight * one, len(cells)) for one in columns], axis=1)
    return {"cells": Scattered(cells, table, len(learned.bias))}
