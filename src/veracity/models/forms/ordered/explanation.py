"""Why a level is believed: what each claim adds to its log-odds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.models.explanation import Bill, Explainer, log_odds_of
from veracity.models.forms.ordered.reading import Ratings, levels_of
from veracity.models.forms.ordered.scale import Scale

#: The step from what each claim adds to the log-odds of the plausibility.
COMPETITORS = "which other level competes"


class OrderedExplainer(Explainer):
    """Explains items of ordered attributes.

    With q the beliefs in the other levels, in shares of one, the log-odds of level k are

        log pi_k / (1 - pi_k)  +  sum over claims of  log P(claim | k) - sum_j q_j log P(claim | j)

    and a last step, how much more the claims say about which other level competes (the divergence
    of q from the prior of the others). The sum is exact.
    """

    def __init__(
        self,
        claims: Claims,
        plausibility: Floats,
        scales: Sequence[Scale],
        ratings: Sequence[Ratings],
    ) -> None:
        matrix = claims.matrix
        tpr, fpr = np.full(matrix.n_claims, np.nan), np.full(matrix.n_claims, np.nan)
        self._scale_of = np.full(matrix.n_items, -1, np.int64)
        self._level = np.full(matrix.n_statements, -1, np.int64)
        self._scales = tuple(scales)
        self._log_answers: list[Floats] = []
        self._at = np.full(matrix.n_claims, -1, np.int64)
        for place, (scale, own) in enumerate(zip(scales, ratings, strict=True)):
            self._scale_of[own.item] = place
            level = levels_of(matrix, scale.name, scale.order)
            self._level = np.where(level >= 0, level, self._level)
            self._at[own.claim] = np.arange(len(own.claim))
            self._log_answers.append(own.log_answers(scale))
            tpr[own.claim], fpr[own.claim] = _rates(own, scale)
        super().__init__(claims, plausibility, tpr, fpr, matrix.claim_weight)

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each level of an item that somebody claims."""
        matrix = self.matrix
        place = int(self._scale_of[item])
        prior = self._scales[place].prior
        claims = np.arange(matrix.claim_start[item], matrix.claim_start[item + 1])
        log_answers = self._log_answers[place][self._at[claims]]
        joint = np.log(prior) + log_answers.sum(axis=0)
        bills = []
        for statement in range(matrix.statement_start[item], matrix.statement_start[item + 1]):
            level = int(self._level[statement])
            added = log_answers[:, level] - log_answers @ _shares_of_others(joint, level)
            said = (matrix.statement_index[claims] == statement) & (matrix.claim_value[claims] == 1)
            bills.append(
                Bill(
                    int(statement),
                    log_odds_of(float(prior[level])),
                    claims.tolist(),
                    added.tolist(),
                    said.tolist(),
                    (),
                    COMPETITORS,
                )
            )
        return bills


def _shares_of_others(joint: Floats, level: int) -> Floats:
    """Return the belief in each other level, in shares of one; 0 for the level itself."""
    others = joint.copy()
    others[level] = -np.inf
    most = others.max()
    shares = np.exp(others - most) if np.isfinite(most) else np.zeros(len(others))
    return np.asarray(shares / max(shares.sum(), 1e-300))


def _rates(ratings: Ratings, scale: Scale) -> tuple[Floats, Floats]:
    """Return the probability of what each claim says, if it is true and if it is not."""
    speakers, at = np.unique(ratings.source, return_inverse=True)
    said = scale.sources.at(speakers).answers()[at, :, ratings.level]  # (n_claims, K)
    right = said[np.arange(len(said)), ratings.level]
    prior = np.broadcast_to(scale.prior, said.shape).copy()
    prior[np.arange(len(said)), ratings.level] = 0.0
    wrong = (said * prior).sum(axis=1) / np.maximum(prior.sum(axis=1), 1e-300)
    return right, wrong
