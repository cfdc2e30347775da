"""CRH: conflicts resolved by the weight of sources, over answers and numbers together."""

from __future__ import annotations

from typing import Literal

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.data.output.results import Estimates
from veracity.errors import InvalidParameter
from veracity.models.numeric.numbers import (
    Numbers,
    mean_of,
    median_of,
    weighted_mean,
    weighted_median,
)
from veracity.models.web.losses import LossModel, MixedClaims


class CRH(LossModel):
    """Weigh sources by their losses over attributes of every type, and truths by these weights.

    Conflict resolution on heterogeneous data (Li, Li, Gao, Zhao, Fan and Han, Resolving conflicts
    in heterogeneous data by truth discovery and source reliability estimation, SIGMOD 2014). It
    looks for truths v* and weights w that minimise the weighted losses of the sources,

        sum over sources of w_s sum over claims of d(v*, v),   where sum over sources exp(-w_s) = 1

    in turns. Truths given weights: of answers, the one with the largest weight of votes (0-1
    loss); of numbers, the weighted median (d = |v* - v| / std) or the weighted mean
    (d = (v* - v)^2 / std), with std the standard deviation of the numbers claimed for the item.
    Weights given truths, with L_s the mean loss of what a source claims:

        w_s = -log( L_s / sum of L )

    It assumes that a source is as reliable about one attribute as about another. So that none of
    them drowns the others, losses are divided by their mean over the attribute's claims.

    Answers that several weights of votes tie for share the truth. Boolean items, lists of values
    and denials are put as questions with two or more answers, of which one is true. The
    plausibility of an answer is its share of the weight; that of a number is the probability that
    no other claimed number is nearer to the truth, if the truth is normal about the estimate. The
    paper gives no standard error: it is that of a weighted mean or median whose weights were given.

    Parameters
    ----------
    loss
        Of numbers: ``absolute``, whose truth is the weighted median, or ``squared``, whose truth
        is the weighted mean.
    scale
        What losses are divided by within the logarithm: their ``sum`` over sources, or the
        ``max``, which leaves the worst source without weight.
    least_loss
        The loss in all, in mean losses of a claim, that a source has at least. The paper does not
        say what becomes of a source without loss; by its formula the weight would be infinite,
        for a source that spoke once and agreed as well.
    max_iter, tol
        Rounds at most, and the change of weights (the largest being 1) to stop at.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import CRH
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> CRH().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(
        self,
        loss: Literal["absolute", "squared"] = "absolute",
        scale: Literal["sum", "max"] = "sum",
        least_loss: float = 0.5,
        max_iter: int = 100,
        tol: float | None = 1e-3,
        random_state: int = 0,
    ) -> None:
        self.loss = loss
        self.scale = scale
        self.least_loss = least_loss
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check(self) -> None:
        if self.loss not in ("absolute", "squared"):
            raise InvalidParameter(f"loss must be absolute or squared. Got {self.loss!r} instead.")
        if self.scale not in ("sum", "max"):
            raise InvalidParameter(f"scale must be sum or max. Got {self.scale!r} instead.")

    def _estimate(self, numbers: Numbers, weight: Floats) -> Estimates:
        return (median_of if self.loss == "absolute" else mean_of)(numbers, weight)

    def _truth(self, numbers: Numbers, weight: Floats) -> Floats:
        return (weighted_median if self.loss == "absolute" else weighted_mean)(numbers, weight)

    def _number_losses(self, numbers: Numbers, truth: Floats) -> Floats:
        away = np.abs(numbers.value - truth[numbers.item])
        spread = numbers.deviation[numbers.item]
        distance = away if self.loss == "absolute" else away**2
        return np.where(spread > 0, distance / np.where(spread > 0, spread, 1.0), 0.0)

    def _weights(self, mixed: MixedClaims, vote_losses: Floats, number_losses: Floats) -> Floats:
        each = 1.0 / mean_losses(mixed, vote_losses, number_losses)
        numbers = mixed.numbers
        attribute = numbers.matrix.attribute_index[numbers.item]
        loss = mixed.questions.to_sources(vote_losses * each[mixed.attribute_of_answer])
        loss += numbers.sum_by_source(number_losses * each[attribute])
        given = np.where(mixed.n_given > 0, mixed.n_given, 1.0)
        mean = np.maximum(loss, self.least_loss) / given
        return np.asarray(-np.log(mean / (mean.sum() if self.scale == "sum" else mean.max())))


def mean_losses(mixed: MixedClaims, vote_losses: Floats, number_losses: Floats) -> Floats:
    """Return the mean loss of the claims about each attribute, infinite where nothing is lost."""
    numbers = mixed.numbers
    n_attributes = len(numbers.matrix.attributes)
    of_number = numbers.matrix.attribute_index[numbers.item]
    cast = mixed.questions.n_votes
    lost = sum_by(mixed.attribute_of_answer, vote_losses * cast, n_attributes)
    lost += sum_by(of_number, number_losses, n_attributes)
    given = sum_by(mixed.attribute_of_answer, mixed.is_voted_on * cast, n_attributes)
    given += sum_by(of_number, numbers.weight, n_attributes)
    return np.where(lost > 0, lost / np.where(given > 0, given, 1.0), np.inf)
