"""Sources whose errors go together: found by the correlations of their residuals.

Precision is agreement with the others, so it can be trusted only where errors are independent.
The residuals of two independent sources are correlated just by being taken from one estimate.
Where a pair exceeds that by far, both repeat each other, and share their weight. Where all pairs
together deviate from it by more than chance, weights are made more equal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.located import locate_items
from veracity.models.forms.number.parameters import NumberParameters

#: Pairs are looked at among so many sources of an attribute that speak most.
MOST_SOURCES = 64
#: Residuals further out than this say nothing about correlation.
FAR = 3.0
#: Pairs with fewer items in common say nothing, and with fewer than so many nothing by themselves.
LEAST_COMMON, LEAST_TO_REPEAT = 3, 8
#: A pair repeats each other if its correlation exceeds what is expected by more than this, even
#: two standard errors down.
REPEATS = 0.5
#: A root mean square of correlations stands for so much variance that weights leave out, and for
#: at most this much.
PER_CORRELATION, MOST_SHARED = 30.0, 6.0
#: Where sources report exactly, those that know the truth agree, so that correlation says less,
#: and all look more precise than they are.
PER_CORRELATION_EXACT, LEAST_SHARED_EXACT = 5.0, 2.0
#: The spread of an item is known to about a fifth. A bias of more spreads than this, as of a source
#: in another unit, puts as much error into residuals as the source itself does.
FAR_OFF = 3.0
#: Items that are multiplied at a time.
CHUNK = 4096


def with_dependence(blocks: Blocks[BlockNumbers], learned: NumberParameters) -> NumberParameters:
    """Return the parameters with the weights shared, and evened out, that dependence asks for."""
    top = _loudest(learned)
    sums = blocks.total(_products, learned, top)
    kappa, trust = learned.kappa.copy(), learned.trust.copy()
    for attribute, cells in enumerate(top):
        if not sums["squares"][attribute].all():
            continue
        excess, common = sums["excess"][attribute], sums["common"][attribute]
        usable = common >= LEAST_COMMON
        np.fill_diagonal(usable, False)
        size = np.where(usable, common, 1.0)
        square = sums["squares"][attribute]
        correlation = np.where(usable, excess / size / square[0] * square[1], 0.0)
        enough = common >= LEAST_TO_REPEAT
        repeats = usable & enough & (correlation - 2.0 / np.sqrt(size) > REPEATS)
        heard = cells >= 0
        if learned.exact[attribute]:  # sources that know the truth say the same
            repeats[:] = False
        shared = np.where(repeats, np.minimum(correlation, 1.0), 0.0).sum(axis=1)
        trust[cells[heard]] /= 1.0 + shared[heard]
        loose = heard & (np.where(heard, learned.trust[cells], 0.0) < 1.0)
        loose |= heard & (np.abs(np.where(heard, learned.bias[cells], 0.0)) > FAR_OFF)
        usable &= ~repeats & ~loose[:, None] & ~loose[None, :]
        beyond = beyond_chance(correlation[usable], common[usable])
        kappa[attribute] = shared_variance(beyond, bool(learned.exact[attribute]))
    return replace(learned, kappa=kappa, trust=trust)


def beyond_chance(correlation: Floats, common: Floats) -> float:
    """Return the root mean square of correlations, less that of chance."""
    if not len(correlation):
        return 0.0
    total, n_pairs = common.sum(), len(common) / 2
    chance = len(common) / total
    square = float((common * correlation**2).sum() / total)
    if square < chance * (1.0 + 2.0 * np.sqrt(2.0 / n_pairs)):
        return 0.0
    return float(np.sqrt(square - chance))


def shared_variance(beyond: float, exact: bool) -> float:
    """Return the variance that stands for correlations beyond chance, in units of an item's."""
    if exact:
        return float(np.clip(PER_CORRELATION_EXACT * beyond, LEAST_SHARED_EXACT, MOST_SHARED))
    return float(min(MOST_SHARED, PER_CORRELATION * beyond))


def _loudest(learned: NumberParameters) -> Indices:
    """Return the cells that speak most of each attribute, -1 behind them."""
    count = learned.table(learned.count)[:, :-1]
    order = np.argsort(-count, axis=1, kind="stable")[:, :MOST_SOURCES]
    heard = np.take_along_axis(count, order, axis=1) > 0
    first = learned.width * np.arange(len(count))[:, None]
    return np.where(heard, order + first, -1)


def _products(numbers: BlockNumbers, learned: NumberParameters, top: Indices) -> Sums:
    """Sum products of residuals beyond what is expected, and items in common, by pair."""
    found = locate_items(replace(numbers, known=np.full(len(numbers.item), np.nan)), learned)
    noise, deviation = found.noise, np.sqrt(found.noise)
    z = found.away / deviation
    of_claim = numbers.of_claim
    share = numbers.weight / noise
    share = share / numbers.by_item(share)[of_claim]
    pooled = numbers.by_item(share**2 * noise)[of_claim]
    place = np.full(len(learned.bias), -1, np.int64)
    attribute, rank = np.nonzero(top >= 0)
    place[top[attribute, rank]] = rank
    used = (place[numbers.cell] >= 0) & (np.abs(z) < FAR)
    excess = np.zeros((*top.shape, top.shape[1]))
    common, squares = np.zeros_like(excess), np.zeros((len(top), 2))
    for one in range(len(top)):
        own = np.flatnonzero(used & (numbers.attribute[of_claim] == one))
        if not len(own):
            continue
        items, row = np.unique(of_claim[own], return_inverse=True)
        column = place[numbers.cell[own]]
        for first in range(0, len(items), CHUNK):
            part = (row >= first) & (row < first + CHUNK)
            at = row[part] - first, column[part]
            claims = own[part]

            def table(of_claims: Floats, at: tuple[Indices, Indices] = at) -> Floats:
                filled = np.zeros((CHUNK, top.shape[1]))
                filled[at] = of_claims
                return filled

            residual = table(z[claims])
            inverse = table(1.0 / deviation[claims])
            pull = table(share[claims] * deviation[claims])
            expected = inverse.T @ table(pooled[claims] / deviation[claims])
            expected -= inverse.T @ pull + pull.T @ inverse
            spoke = table(np.ones(len(claims)))
            excess[one] += residual.T @ residual - expected
            common[one] += spoke.T @ spoke
            squares[one] += (residual**2).sum(), spoke.sum()
    return {"excess": excess, "common": common, "squares": squares}
