"""Before learning: how far claims are from the medians, and parameters to begin with."""

from __future__ import annotations

import math

import numpy as np

from veracity.data.arrays import Floats, Mask, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.located import squares_within
from veracity.models.forms.number.parameters import STRENGTHS, NumberParameters

#: The standard deviation of a normal distribution, in geometric means of the distance from 0.
GEOMETRIC = math.exp((np.euler_gamma + math.log(2.0)) / 2.0)
#: Spreads are at least this share of the numbers' size: claims that all agree have none.
LEAST_SPREAD = 1e-9
START_TAIL, START_STRENGTH, START_TAU2 = 6.0, 4.0, 0.1


def first_parameters(blocks: Blocks[BlockNumbers], is_log: Mask, width: int) -> NumberParameters:
    """Return the parameters to begin with: sources that are all alike."""
    n_attributes = len(is_log)
    sums = blocks.total(_sizes, n_attributes, width)
    logs, different, n_items, n_claims, middles, size, ties, pairs = sums["by_attribute"].T
    least = LEAST_SPREAD * size / np.maximum(n_claims, 1.0)
    least = np.where(least > 0, least, 1.0)
    floor = np.where(different > 0, GEOMETRIC * np.exp(logs / np.maximum(different, 1.0)), least)
    squares, free = blocks.total(_squares, floor)["by_attribute"].T
    typical = np.maximum(squares / np.maximum(free, 1.0), least**2)
    each, cells = np.ones(n_attributes), np.ones(n_attributes * width)
    return NumberParameters(
        is_log,
        floor,
        typical,
        middles / np.maximum(n_items, 1.0),
        ties / np.maximum(pairs, 1.0),
        np.zeros(n_attributes, np.bool_),
        START_TAIL * each,
        0.0 * each,
        np.zeros(n_attributes, np.bool_),
        START_STRENGTH * each,
        typical,
        np.repeat(typical[:, None], len(STRENGTHS), axis=1),
        START_STRENGTH * each,
        each,
        START_TAU2 * each,
        n_items,
        n_claims,
        0.0 * cells,
        0.0 * cells,
        cells,
        cells,
        sums["count"].everywhere(),
    )


def _sizes(numbers: BlockNumbers, n_attributes: int, width: int) -> Sums:
    of_claim = numbers.attribute[numbers.of_claim]
    away = np.abs(numbers.u - numbers.middle[numbers.of_claim])
    apart = away > 0
    logs = np.where(apart, np.log(np.where(apart, away, 1.0)), 0.0)

    def by_attribute(of_claims: Floats) -> Floats:
        return sum_by(of_claim, of_claims, n_attributes)

    columns = [
        by_attribute(numbers.weight * logs),
        by_attribute(numbers.weight * apart),
        sum_by(numbers.attribute, np.ones(len(numbers.item)), n_attributes),
        by_attribute(numbers.weight),
        sum_by(numbers.attribute, numbers.middle, n_attributes),
        by_attribute(numbers.weight * np.abs(numbers.u)),
        by_attribute(_equal_claims(numbers)),
        by_attribute((np.diff(numbers.start) > 1)[numbers.of_claim].astype(np.float64)),
    ]
    cells = np.unique(numbers.cell)
    count = sum_by(np.searchsorted(cells, numbers.cell), numbers.weight, len(cells))
    return {
        "by_attribute": np.stack(columns, axis=1),
        "count": Scattered(cells, count, n_attributes * width),
    }


def _equal_claims(numbers: BlockNumbers) -> Floats:
    """Return the share of the other claims about its item that agree exactly with each claim."""
    of_claim, value = numbers.of_claim, numbers.value
    first = np.append(True, (np.diff(of_claim) != 0) | (np.diff(value) != 0))
    group = np.cumsum(first) - 1
    n_others = np.diff(numbers.start)[of_claim] - 1
    equal = np.bincount(group)[group] - 1 if len(group) else np.zeros(0)
    return np.asarray(equal / np.maximum(n_others, 1), np.float64)


def _squares(numbers: BlockNumbers, floor: Floats) -> Sums:
    free = np.maximum(numbers.count - 1.0, 0.0)
    columns = [
        sum_by(numbers.attribute, of_item, len(floor))
        for of_item in (squares_within(numbers, floor), free)
    ]
    return {"by_attribute": np.stack(columns, axis=1)}
