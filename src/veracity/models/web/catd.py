"""CATD: sources weighed by what their losses are at most, few claims counting little."""

from __future__ import annotations

import numpy as np
from scipy import special

from veracity.data.arrays import Floats
from veracity.data.output.results import Estimates
from veracity.errors import InvalidParameter
from veracity.models.numeric.numbers import Numbers, mean_of, weighted_mean
from veracity.models.web.losses import LossModel, MixedClaims


class CATD(LossModel):
    """Weigh sources by the upper end of a confidence interval of their error.

    Confidence-aware truth discovery (Li, Li, Gao, Su, Zhao, Demirbas, Fan and Han, A
    confidence-aware approach for truth discovery on long-tail data, VLDB 2014). Errors of a source
    are taken to be normal about 0 with a variance of its own. From n_s claims, its variance is at
    most (sum of squared errors) / chi2(alpha / 2, n_s) with confidence 1 - alpha / 2, where chi2 is
    the lower quantile. Sources are weighed by the inverse of that,

        w_s = chi2(alpha / 2, n_s) / sum over its claims of d(v*, v)

    and truths are weighted means of numbers and weighted votes on answers, in turns. A source
    with few claims has a small quantile, and so little weight even if they all agree: this is for
    the long tail. Of numbers, d is the squared distance in standard deviations of what is claimed
    for the item; of answers, 0 for the believed one and 1 for others.

    It assumes that a source is as reliable about one attribute as about another. Answers that tie
    share the truth. Boolean items, lists of values and denials are put as questions with two or
    more answers, of which one is true. The plausibility of an answer is its share of the weight;
    that of a number is the probability that no other claimed number is nearer to the truth, if
    the truth is normal about the estimate. The paper gives no standard error: it is that of a
    weighted mean whose weights were given.

    Parameters
    ----------
    alpha
        One less the confidence of the interval; 0.05 in the paper.
    least_loss
        The sum of losses that a source has at least, half a wrong answer by default. The paper
        does not say what becomes of a source without loss; by its formula the weight would be
        infinite, for a source that spoke once and agreed as well.
    max_iter, tol
        Rounds at most, and the change of weights (the largest being 1) to stop at.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import CATD
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> CATD().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    def __init__(
        self,
        alpha: float = 0.05,
        least_loss: float = 0.5,
        max_iter: int = 100,
        tol: float | None = 1e-3,
        random_state: int = 0,
    ) -> None:
        self.alpha = alpha
        self.least_loss = least_loss
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _check(self) -> None:
        if not 0 < self.alpha < 1:
            raise InvalidParameter(f"alpha must be between 0 and 1. Got {self.alpha!r} instead.")

    def _estimate(self, numbers: Numbers, weight: Floats) -> Estimates:
        return mean_of(numbers, weight)

    def _truth(self, numbers: Numbers, weight: Floats) -> Floats:
        return weighted_mean(numbers, weight)

    def _number_losses(self, numbers: Numbers, truth: Floats) -> Floats:
        away = numbers.value - truth[numbers.item]
        spread = numbers.deviation[numbers.item]
        return np.where(spread > 0, (away / np.where(spread > 0, spread, 1.0)) ** 2, 0.0)

    def _weights(self, mixed: MixedClaims, vote_losses: Floats, number_losses: Floats) -> Floats:
        loss = mixed.questions.to_sources(vote_losses)
        loss += mixed.numbers.sum_by_source(number_losses)
        return lower_quantile(self.alpha, mixed.n_given) / np.maximum(loss, self.least_loss)


def lower_quantile(alpha: float, n_claims: Floats) -> Floats:
    """Return the alpha / 2 quantile of chi squared with n degrees of freedom; 0 for n = 0."""
    shape = np.maximum(n_claims, 0.0) / 2
    return np.where(shape > 0, 2 * special.gammaincinv(np.maximum(shape, 1e-9), alpha / 2), 0.0)
