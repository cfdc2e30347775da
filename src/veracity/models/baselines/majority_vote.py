"""Majority vote: every source counts the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, sum_by
from veracity.data.claims import Claims
from veracity.data.encode.denials import implied_denials
from veracity.data.matrix import ClaimMatrix
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement, TruthModel
from veracity.models.views.one_true_value import repeated_weight


class MajorityVote(TruthModel):
    """Believe the value that most sources claim.

    The plausibility of a statement is its smoothed share of the votes. With n_k the weight of the
    claims for value k of an item, n their sum, D the number of values the item may take (all of a
    closed domain; of an open one the claimed values and one unseen) and s the smoothing:

        p_k = (n_k + s / D) / (n + s)

    A source that denies a value without naming another gives its vote in equal parts to all
    others. Boolean statements are the case D = 2. Where several values may be true, each is voted
    on by itself: n counts those who speak about the item, n_k those who name the value, D = 2.

    Parameters
    ----------
    smoothing
        How many votes the prior counts for; 0 gives plain shares.
    random_state
        Seed for breaking ties. A tie is broken by a hash of seed, entity, attribute and value, so
        it depends neither on row order nor on who the sources are, and it is flagged.

    Examples
    --------
    >>> from veracity import MajorityVote
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> MajorityVote().fit_predict(claims)
    truths: 1 row
    entity  attribute  value  plausibility  margin  n_sources  n_values  tie  decision
    sky     value      blue         0.5833  0.2500          3         2  no   review
    """

    streams = True

    def __init__(self, smoothing: float = 1.0, random_state: int = 0) -> None:
        self.smoothing = smoothing
        self.random_state = random_state

    def _fit(self, claims: ClaimsInBlocks) -> None:
        """There is nothing to learn."""
        if not np.isfinite(self.smoothing) or self.smoothing < 0:
            raise InvalidParameter(
                f"smoothing must be a number, zero or more. Got {self.smoothing!r} instead."
            )

    def _judge(self, claims: Claims) -> Judgement:
        matrix = claims.matrix
        item = matrix.item_of_statement
        multiple = matrix.kind_is("multiple")
        size = np.where(multiple | matrix.kind_is("boolean"), 2, matrix.domain_size)[item]
        votes_for, votes = _count_votes(matrix, size, multiple)
        total = votes + self.smoothing
        share = (votes_for + self.smoothing / size) / np.where(total > 0, total, 1)
        return Judgement(np.where(total > 0, share, 1 / size))


def _count_votes(
    matrix: ClaimMatrix, size: npt.NDArray[np.int64], multiple: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return the votes for each statement, and all votes cast on it; both (n_statements,)."""
    weight, yes = matrix.claim_weight, matrix.claim_value == 1
    item = matrix.item_of_statement
    support = matrix.sum_by_statement(np.where(yes, weight, 0.0))
    against = matrix.sum_by_statement(np.where(yes | implied_denials(matrix), 0.0, weight))
    cast = matrix.sum_by_item(support + against)[item]
    passed_on = (matrix.sum_by_item(against)[item] - against) / (size - 1)
    if not multiple.any():
        return support + passed_on, cast
    by_itself = multiple[item]
    speaking = np.maximum(_speaking_weight(matrix)[item], support) + against
    return (
        np.where(by_itself, support, support + passed_on),
        np.where(by_itself, speaking, cast),
    )


def _speaking_weight(matrix: ClaimMatrix) -> Floats:
    """Sum, for each item, the weight of the sources that name a value, each counted once."""
    yes = np.flatnonzero(matrix.claim_value == 1)
    pair = matrix.pair_of_claim[yes]
    # A source that names several values speaks once, with the largest of their weights.
    weight = repeated_weight(matrix, yes)
    order = np.lexsort((weight, pair))
    last = np.ones(len(order), np.bool_)
    last[:-1] = pair[order][1:] != pair[order][:-1]
    chosen = order[last]
    return sum_by(matrix.item_of_claim[yes[chosen]], weight[chosen], matrix.n_items)
