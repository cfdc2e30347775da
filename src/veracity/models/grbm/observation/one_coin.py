"""One coin: a source is right with one probability, whatever the value.

With D values that an item may take, u >= 0 the strength of a claim and k the truth,

    P(says k | k) = e^u / (e^u + D - 1)        P(says j | k) = 1 / (e^u + D - 1)

so every claim of k adds u to its score. The strength follows from eta by e^u = 1 + (D - 1) e^eta,
which makes nobody worse than chance. A source that denies a value without naming another says one
of the others: P(denies j | k) = 1 - P(says j | k).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.encode.denials import CLAIMS_TOO, DENIES_ALONE, SPEAKS_AND_CLAIMS
from veracity.engines.threads import over_threads
from veracity.models.compiled import compiled
from veracity.models.explanation import Bill
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange, nobody
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.observation.base import (
    AttributePrior,
    ClaimRates,
    Counts,
    Heard,
    ItemBills,
    Posterior,
)
from veracity.models.grbm.observation.evidence import SHARE, Evidence, competition
from veracity.models.grbm.observation.statement_kernels import LARGE
from veracity.models.grbm.parameters import ParameterVector


class OneCoin:
    """Items of one attribute, judged by one reliability of each claim; no own parameters."""

    uses_claim_count = True
    is_per_statement = False

    def __init__(
        self,
        data: BlockData,
        own: AttributeRange,
        attribute: AttributeParameters,
        place: Indices,
    ) -> None:
        self.data = data
        self.parameters = replace(attribute, range=own, sources=nobody(), has_confusion=nobody())
        n_claimed = np.diff(data.roles.statement_start)
        size = np.full(data.matrix.n_items, float(own.n_classes))
        self.domain_size = np.maximum(size, n_claimed) if own.n_classes else n_claimed + 1.0

    def log_likelihood(
        self,
        own: ParameterVector,
        eta: Floats,
        posterior: Posterior,
        temper: Floats | None = None,
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        data, items = self.data, self.parameters.range
        exp_eta = np.exp(np.minimum(eta, 300.0))
        temper = data.untempered if temper is None else temper

        def work(first: int, last: int) -> tuple[float, Floats]:
            gradient = np.zeros(data.n_rows)
            value = one_coin_pass(
                first, last, *data.kernel_arrays(), data.row, self.domain_size, data.offset,
                data.offset_unseen, exp_eta, data.floor, temper, gradient, posterior.score,
                posterior.plausibility, posterior.likelihood,
            )  # fmt: skip
            return value, gradient

        parts = over_threads(work, data.roles.claim_start, data.threads, items.first, items.last)
        starts = data.roles.statement_start[items.first : items.last]
        end = data.roles.statement_start[items.last]
        claimed = np.add.reduceat(posterior.plausibility[:end], starts)
        posterior.unclaimed[items.first : items.last] = np.clip(1.0 - claimed, 0.0, 1.0)
        gradient = sum((part[1] for part in parts[1:]), parts[0][1])
        return sum(part[0] for part in parts), np.zeros(0), gradient

    def _odds(self, claims: Indices | slice, eta: Floats) -> tuple[Floats, Floats]:
        """Return e^u of claims, and how many values are wrong."""
        data, others = self.data, self.n_wrong_values(claims)
        return data.floor + others * np.exp(np.minimum(eta[data.row[claims]], 300.0)), others

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        items = self.parameters.range
        claims = self.data.claims_of(items.first, items.last)
        x, others = self._odds(claims, eta)
        rates.right[claims] = rates.tpr[claims] = x / (x + others)
        rates.fpr[claims] = 1.0 / (x + others)
        rates.slope[claims] = (x - self.data.floor) / x

    def heldout_log_prob(
        self, own: ParameterVector, eta: Floats, posterior: Posterior, hidden: Indices
    ) -> Floats:
        """Return the log-probability of claims that the last pass did not see."""
        x, others = self._odds(hidden, eta)
        q = posterior.plausibility[self.data.matrix.statement_index[hidden]]
        return np.asarray(np.log((q * x + 1.0 - q) / (x + others)))

    def n_wrong_values(self, claims: Indices | slice) -> Floats:
        """Return how many values of its item are wrong, D - 1, of each claim."""
        return np.asarray(self.domain_size[self.data.matrix.item_of_claim[claims]] - 1.0)

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for an item, against a value that nobody claims."""
        data = self.data

        def bills(item: int, heard: Sequence[Heard]) -> list[Bill]:
            statements, unseen = evidence.statements(item), float(data.offset_unseen[item])
            n_unseen = float(self.domain_size[item]) - len(statements)
            scores = (evidence.score[statements.start : statements.stop] - unseen).tolist()
            made = []
            for place, statement in enumerate(statements):
                here = [(claim, kind) for claim, about, kind in heard if about == statement]
                made.append(
                    Bill(
                        statement,
                        float(data.offset[statement]) - unseen,
                        [claim for claim, _ in here],
                        [evidence.of_claim(claim, kind != DENIES_ALONE) for claim, kind in here],
                        [kind != DENIES_ALONE for _, kind in here],
                        competition(scores, place, n_unseen, evidence.temper_of(item)),
                        SHARE,
                    )
                )
            return made

        return bills

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""
        return self.data.row_counts(self.parameters.range)

    def counts(self) -> Counts:
        """Count nothing: there are no parameters."""
        return {}

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Count nothing: there are no parameters."""
        return {}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Return no priors: there are no parameters."""
        return AttributePrior(*np.zeros((3, 0)))


@compiled
def one_coin_pass(
    first_item: int,
    last_item: int,
    part: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    domain_size: Any,
    offset: Any,
    offset_unseen: Any,
    exp_eta: Any,
    floor: float,
    temper: Any,
    gradient: Any,
    score: Any,
    posterior: Any,
    likelihood: Any,
) -> Any:
    """Add the likelihood of a range of items, return it; and its gradient in eta of each row.

    Parameters
    ----------
    domain_size
        D of each item.
    offset, offset_unseen
        What is added to the score of each statement, and to that of each value of an item that
        nobody claims: -inf for what is known to be false.
    exp_eta
        e^eta of each row.
    floor
        The least e^u: 1, or 0 for sources that may be worse than chance.
    temper
        What the scores of each item are multiplied by; 1 while fitting.
    gradient
        With respect to eta of each row; added to.
    score, posterior, likelihood
        Set to the log-scores of statements, to their probabilities, and to the log-likelihood of
        the claims about each item.
    """
    total = 0.0
    for item in range(first_item, last_item):
        first, last = claim_start[item], claim_start[item + 1]
        first_statement, last_statement = statement_start[item], statement_start[item + 1]
        others = domain_size[item] - 1.0
        value, product = -np.log(domain_size[item]), 1.0
        for statement in range(first_statement, last_statement):
            score[statement] = offset[statement]
        for claim in range(first, last):
            kind = part[claim]
            x = floor + others * exp_eta[row[claim]]
            if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                score[statement_index[claim]] += np.log(x)
                product *= x + others
                if product > LARGE:
                    value -= np.log(product)
                    product = 1.0
            elif kind == DENIES_ALONE:
                left = x + others - 1.0
                score[statement_index[claim]] -= np.log(left / others)
                value += np.log(left / (x + others))
        n_unseen = domain_size[item] - (last_statement - first_statement)
        peak = offset_unseen[item] if n_unseen > 0.0 else -np.inf
        for statement in range(first_statement, last_statement):
            peak = max(peak, score[statement])
        if peak == -np.inf:  # contradictory knowledge: nothing is possible
            likelihood[item] = 0.0
            for statement in range(first_statement, last_statement):
                posterior[statement] = 0.0
            continue
        each = offset_unseen[item] - peak  # of the values that nobody claims
        mass = n_unseen * np.exp(temper[item] * each) if n_unseen > 0.0 else 0.0
        for statement in range(first_statement, last_statement):
            posterior[statement] = np.exp(temper[item] * (score[statement] - peak))
            mass += posterior[statement]
        likelihood[item] = value + peak + np.log(mass) - np.log(product)
        total += likelihood[item]
        for statement in range(first_statement, last_statement):
            posterior[statement] /= mass
        for claim in range(first, last):
            kind, r = part[claim], row[claim]
            x = floor + others * exp_eta[r]
            q = posterior[statement_index[claim]]
            if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                gradient[r] += (q / x - 1.0 / (x + others)) * (x - floor)
            elif kind == DENIES_ALONE:
                left = x + others - 1.0
                gradient[r] += ((1.0 - q) / left - 1.0 / (x + others)) * (x - floor)
    return total
