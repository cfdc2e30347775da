"""Plausibility: from the scores of an item's values to probabilities that can be believed.

Sources copy, share habits and err together, so n claims about an item are worth less than n
independent ones, and posteriors are far too sure. How much less is not known. With x_k the distance
of a score from the best, e^(-T x) is averaged over an unknown tempering T ~ Gamma(s, mean m):

    f(x) = E e^(-T x) = (1 + m x / s)^-s

and the plausibility of a value mixes its part of f with the smoothed share of its claims:

    p_k = mix f(x_k) / sum_j f(x_j) + (1 - mix) (n_k + c / D) / (n + c)

These four constants are learned across data sets, see ``scripts/learn_constants.py``, and are the
only ones of that kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.results import deniers
from veracity.models.grbm.observation.base import Scores


@dataclass(frozen=True)
class LearnedConstants:
    """The constants that are learned across data sets.

    Attributes
    ----------
    mix
        The part of the model in a plausibility; the rest is the share of the claims.
    temper, shape
        The mean of the tempering of scores, and the shape of its Gamma distribution.
    smoothing
        How many claims the even share of all values weighs.
    """

    mix: float = 0.6
    temper: float = 0.7
    shape: float = 2.0
    smoothing: float = 0.5


CONSTANTS = LearnedConstants()
#: With these, shares are those of the claims as they are.
PLAIN_SHARES = LearnedConstants(smoothing=0.0)


def tempered(x: Floats, constants: LearnedConstants = CONSTANTS) -> Floats:
    """Return f(x) = (1 + m x / s)^-s: e^(-T x), averaged over the unknown tempering T."""
    return np.asarray((1.0 + constants.temper * x / constants.shape) ** -constants.shape)


def plausibilities(
    matrix: ClaimMatrix,
    scores: Scores,
    weight: Floats,
    size: Indices | None = None,
    constants: LearnedConstants = CONSTANTS,
) -> Floats:
    """Return the plausibility of each statement, by scores and by weighted shares of claims.

    `size` is how many values each item may take, if the model knows better than the claims.
    """
    part = tempered_parts(matrix, scores, weight, constants)
    share = claim_shares(matrix, weight, size, constants)
    return np.asarray(np.clip(constants.mix * part + (1 - constants.mix) * share, 0.0, 1.0))


def tempered_parts(
    matrix: ClaimMatrix,
    scores: Scores,
    weight: Floats,
    constants: LearnedConstants = CONSTANTS,
) -> Floats:
    """Return the part of f that each statement has among the values of its item."""
    by_itself = _by_itself(matrix)
    if by_itself.all():
        return _part_of_one(matrix, scores, weight, constants)
    part = _part(matrix, scores, constants)
    if by_itself.any():
        return np.where(by_itself, _part_of_one(matrix, scores, weight, constants), part)
    return part


def _part(matrix: ClaimMatrix, scores: Scores, constants: LearnedConstants) -> Floats:
    """Return the parts of competing values; those that nobody claims are one value.

    Distances are from the best claimed value, and unclaimed ones are at best as good.
    """
    item, start = matrix.item_of_statement, matrix.statement_start[:-1]
    best = np.maximum.reduceat(scores.statement, start)
    possible = best > -np.inf
    best = np.where(possible, best, 0.0)
    f = np.where(possible[item], tempered(best[item] - scores.statement, constants), 0.0)
    rest = tempered(np.maximum(best - scores.unclaimed, 0.0), constants)
    total = matrix.sum_by_item(f) + rest
    return np.asarray(f / np.where(total > 0, total, 1.0)[item])


def _part_of_one(
    matrix: ClaimMatrix, scores: Scores, weight: Floats, constants: LearnedConstants
) -> Floats:
    """Return the part of each statement that is judged by itself, true against false."""
    yes, no = said_yes_and_no(matrix, weight)
    boolean = matrix.kind_is("boolean")[matrix.item_of_statement]
    against = np.where(boolean, scores.unclaimed[matrix.item_of_statement], 0.0)
    with np.errstate(invalid="ignore"):
        odds = np.nan_to_num(scores.statement - against)
    # Nobody says the opposite: it is at best as good.
    odds = np.where((no <= 0) & (yes > 0), np.maximum(odds, 0.0), odds)
    odds = np.where((yes <= 0) & (no > 0), np.minimum(odds, 0.0), odds)
    f = tempered(np.abs(odds), constants)
    return np.where(odds >= 0, 1.0, f) / (1.0 + f)


def claim_shares(
    matrix: ClaimMatrix,
    weight: Floats,
    size: Indices | None = None,
    constants: LearnedConstants = CONSTANTS,
) -> Floats:
    """Return the smoothed share of an item's claims that each statement has; (n_statements,)."""
    item, c = matrix.item_of_statement, constants.smoothing
    named = matrix.sum_by_statement(np.where(matrix.claim_value == 1, weight, 0.0))
    total = sum_by(item, named, matrix.n_items)[item]
    size = matrix.domain_size if size is None else size
    share = (named + c / size[item]) / np.where(total + c > 0, total + c, 1.0)
    yes, no = said_yes_and_no(matrix, weight)
    spoken = yes + no + c
    of_one = (yes + c / 2) / np.where(spoken > 0, spoken, 1.0)
    return np.where(_by_itself(matrix), of_one, share)


def said_yes_and_no(matrix: ClaimMatrix, weight: Floats) -> tuple[Floats, Floats]:
    """Return the weight of those who claim each statement, and of those who deny it."""
    is_yes = matrix.claim_value == 1
    yes = matrix.sum_by_statement(np.where(is_yes, weight, 0.0))
    if not matrix.kind_is("multiple").any():
        return yes, matrix.sum_by_statement(np.where(is_yes, 0.0, weight))
    boolean = matrix.kind_is("boolean")[matrix.item_of_statement]
    return yes, np.where(
        boolean, matrix.sum_by_statement(np.where(is_yes, 0.0, weight)), deniers(matrix)
    )


def _by_itself(matrix: ClaimMatrix) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return ~matrix.kind_is("single")[matrix.item_of_statement]
