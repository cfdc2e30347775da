"""From scores to plausibilities that mean what they say.

Sources copy, share habits and err together, so that n claims about an item are worth less than n
independent ones, and posteriors are far too sure. They are tempered, and a part of the plain share
of claims is mixed in, which bounds the harm where the model is wrong.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, sum_by
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.results import deniers, speakers
from veracity.models.grbm.observation.base import Posterior

#: How much of the plain share of claims is mixed in.
SHARE_MIXED_IN = 0.2
#: How near to a tie the share may bring the best value.
SHORT_OF_A_TIE = 0.9


def temper(matrix: ClaimMatrix, correlation: float) -> Floats:
    """Return what the log-scores of each item are multiplied by, 1 / (1 + c (n - 1)); (n_items,).

    With n sources that speak about it, each pair of which correlates by c, the evidence is worth
    that of n / (1 + c (n - 1)) independent ones.
    """
    return np.asarray(1.0 / (1.0 + correlation * (speakers(matrix) - 1.0)), np.float64)


def claim_shares(matrix: ClaimMatrix) -> Floats:
    """Return the share of those who speak about each statement that claim it; (n_statements,).

    Where one value is true, a source that names several has one voice all the same: the shares of
    an item sum to 1 at most.
    """
    yes = matrix.sum_by_statement((matrix.claim_value == 1).astype(np.float64))
    spoken = yes + deniers(matrix)
    share = yes / np.maximum(spoken, 1.0)
    item = matrix.item_of_statement
    total = np.where(matrix.kind_is("single"), sum_by(item, share, matrix.n_items), 0.0)
    return np.asarray(share / np.maximum(total, 1.0)[item])


def mix_in_shares(
    matrix: ClaimMatrix, plausibility: Floats, share: Floats, by_itself: npt.NDArray[np.bool_]
) -> Floats:
    """Mix shares of claims into plausibilities, as far as the same value stays the best.

    `by_itself` marks statements that do not compete with others, for which yes competes with no.
    """
    alone = by_itself
    # How far the best of an item is ahead of a value, and how far behind it is in shares.
    best = _value_of_best(matrix, plausibility, plausibility)
    best_share = _value_of_best(matrix, plausibility, share)
    ahead = np.where(alone, np.abs(2 * plausibility - 1), best - plausibility)
    sign = np.where(plausibility >= 0.5, 1.0, -1.0)
    behind = np.where(alone, -sign * (2 * share - 1), share - best_share)
    overtakes = behind > 0
    allowed = np.full(matrix.n_statements, np.inf)
    allowed[overtakes] = ahead[overtakes] / (ahead[overtakes] + behind[overtakes])
    of_item = np.minimum.reduceat(allowed, matrix.statement_start[:-1])
    limit = np.where(alone, allowed, of_item[matrix.item_of_statement])
    part = np.minimum(SHARE_MIXED_IN, SHORT_OF_A_TIE * limit)
    return np.asarray((1 - part) * plausibility + part * share)


def _value_of_best(matrix: ClaimMatrix, ranked: Floats, wanted: Floats) -> Floats:
    """Return a number of the most plausible statement of each statement's item."""
    start = matrix.statement_start[:-1]
    top = np.maximum.reduceat(ranked, start)[matrix.item_of_statement]
    of_best = np.where(ranked >= top, wanted, -np.inf)
    return np.asarray(np.maximum.reduceat(of_best, start)[matrix.item_of_statement])


def plausibilities(matrix: ClaimMatrix, posterior: Posterior) -> Floats:
    """Return plausibilities: tempered posteriors, with the shares of claims mixed in."""
    by_itself = ~matrix.kind_is("single")[matrix.item_of_statement]
    mixed = mix_in_shares(matrix, posterior.plausibility, claim_shares(matrix), by_itself)
    return np.asarray(np.clip(mixed, 0.0, 1.0))
