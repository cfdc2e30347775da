"""Evidence for the statements of an item, as every observation model sums it up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.models.explanation import CERTAIN, log_odds_of
from veracity.models.grbm.observation.base import ClaimRates, Posterior

#: The steps from the sum of the evidence to the plausibility.
OTHERS, TOGETHER, SHARE = "evidence for other values", "claims err together", "share of the claims"
COPIES = "copies set aside"
#: The log-odds of what the model holds to be impossible.
IMPOSSIBLE = log_odds_of(CERTAIN / 2)
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores of statements, and what each claim adds to the log-odds of its own.

    Attributes
    ----------
    matrix
        The claims.
    score, temper
        The log-score of each statement, and what the scores of each item are multiplied by.
    asserted, denied
        The log-odds that each claim adds to its statement, if it asserts and if it denies it.
    """

    matrix: ClaimMatrix
    score: Floats
    temper: Floats
    asserted: Floats
    denied: Floats

    @classmethod
    def of(
        cls, matrix: ClaimMatrix, posterior: Posterior, temper: Floats, rates: ClaimRates
    ) -> Evidence:
        """Take the log-odds of claims from their tpr and fpr."""
        asserted = np.log(np.maximum(rates.tpr, TINY) / np.maximum(rates.fpr, TINY))
        denied = np.log(np.maximum(1 - rates.tpr, TINY) / np.maximum(1 - rates.fpr, TINY))
        return cls(matrix, posterior.score, temper, asserted, denied)

    def statements(self, item: int) -> range:
        """Return the statements of an item."""
        start = self.matrix.statement_start
        return range(int(start[item]), int(start[item + 1]))

    def temper_of(self, item: int) -> float:
        """Return what the scores of an item are multiplied by."""
        return float(self.temper[item])

    def of_claim(self, claim: int, asserts: bool) -> float:
        """Return the log-odds that a claim adds to its statement."""
        return float((self.asserted if asserts else self.denied)[claim])


def competition(
    scores: Sequence[float], place: int, n_unseen: float, temper: float
) -> list[tuple[str, float]]:
    """Return the log-odds of one value against all others, plain and tempered.

    `n_unseen` values have the score 0 beside those given.
    """
    rest = [*scores[:place], *scores[place + 1 :]]
    return [
        (reason, power * scores[place] - _log_sum((power * other for other in rest), n_unseen))
        for reason, power in ((OTHERS, 1.0), (TOGETHER, temper))
    ]


def _log_sum(scores: Iterable[float], n_unseen: float) -> float:
    """Return the log of the sum of e^score, and of as many values with score 0 as are unseen."""
    known = list(scores)
    peak = max(known, default=0.0)
    if n_unseen > 0:
        peak = max(peak, 0.0)
    total = sum(math.exp(score - peak) for score in known)
    if n_unseen > 0:
        total += n_unseen * math.exp(-peak)
    return peak + math.log(total) if total > 0 else -math.inf
