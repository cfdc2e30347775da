"""The choice of the scale of each attribute, by the likelihood of its claims."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from veracity.data.arrays import Floats, Mask, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.models.forms.number.block_numbers import BlockNumbers, of_items
from veracity.models.forms.number.learning import learn
from veracity.models.forms.number.located import locate_items
from veracity.models.forms.number.parameters import NumberParameters
from veracity.models.forms.number.passes import log_density

#: Logarithms are tried where their standard deviation is larger: else both scales are one.
LEAST_LOG_SPREAD = 0.25


def learn_on_best_scale(
    blocks: Blocks[BlockNumbers], n_attributes: int, width: int
) -> NumberParameters:
    """Learn on the natural scale, and on that of logarithms where it may suit; keep the likelier.

    Where reports are exact, the scale matters little, and the natural one is kept. Densities on
    both scales are compared as those of the numbers themselves.
    """
    natural = np.zeros(n_attributes, np.bool_)
    learned = learn(blocks, natural, width)
    tried = _may_be_logs(blocks, n_attributes) & ~learned.exact
    if not tried.any():
        return learned
    on_logs = blocks.prepare(on_scale_of, tried)
    by_logs = learn(on_logs, tried, width)
    of_natural = blocks.total(_likelihood, learned)["likelihood"]
    of_logs = on_logs.total(_likelihood, by_logs)["likelihood"]
    return mixed(learned, by_logs, tried & (of_logs > of_natural))


def on_scale_of(numbers: BlockNumbers, is_log: Mask) -> BlockNumbers:
    """Return the numbers of attributes that are tried on the scale of logarithms, on that."""
    return of_items(numbers, is_log[numbers.attribute]).on_scale(is_log)


def mixed(one: NumberParameters, other: NumberParameters, use_other: Mask) -> NumberParameters:
    """Return the parameters of some attributes from one fit, and of others from another."""
    cells = np.repeat(use_other, one.width)
    chosen = {}
    for name in (field.name for field in fields(one)):
        first, second = getattr(one, name), getattr(other, name)
        mask = use_other if len(first) == len(use_other) else cells
        chosen[name] = np.where(mask.reshape(-1, *[1] * (first.ndim - 1)), second, first)
    return NumberParameters(**chosen)


def _may_be_logs(blocks: Blocks[BlockNumbers], n_attributes: int) -> Mask:
    """Say of which attributes all numbers are positive, and of different orders of magnitude."""
    n, below, total, square = blocks.total(_logs, n_attributes)["logs"].T
    size = np.maximum(n, 1.0)
    variance = square / size - (total / size) ** 2
    return np.asarray((n > 0) & (below == 0) & (variance > LEAST_LOG_SPREAD**2))


def _logs(numbers: BlockNumbers, n_attributes: int) -> Sums:
    positive = numbers.value > 0
    logs = np.log(np.where(positive, numbers.value, 1.0))
    known = numbers.known[numbers.of_claim] <= 0
    columns = (np.ones(len(logs)), (~positive | known).astype(np.float64), logs, logs**2)
    attribute = numbers.attribute[numbers.of_claim]
    return {"logs": np.stack([sum_by(attribute, one, n_attributes) for one in columns], axis=1)}


def _likelihood(numbers: BlockNumbers, learned: NumberParameters) -> Sums:
    found = locate_items(numbers, learned)
    attribute = numbers.attribute[numbers.of_claim]
    density = log_density(found.away, found.noise, learned.nu[attribute])
    density = density - np.where(learned.is_log[attribute], numbers.u, 0.0)
    total: Floats = sum_by(attribute, numbers.weight * density, len(learned.nu))
    return {"likelihood": total}
