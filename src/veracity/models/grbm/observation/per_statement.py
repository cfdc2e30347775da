"""Each statement by itself, true or false: the paper's machine with one strength for each claim.

A source says that a true statement is true with log-odds d + u, and that a false one is with d - u:
visible bias a = d - u and weight w = 2 u, with the hidden bias that follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.encode.denials import CLAIMS_TOO, SPEAKS_AND_CLAIMS
from veracity.features.codes import distinct_codes
from veracity.models.explanation import Bill, log_odds_of
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange, nobody
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.observation.base import (
    FIXED,
    AttributePrior,
    ClaimRates,
    Counts,
    Heard,
    ItemBills,
    Posterior,
    Scores,
)
from veracity.models.grbm.observation.evidence import SHARE, TOGETHER, Evidence
from veracity.models.grbm.observation.units import Units, summarise
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta import Theta, rates_of, sigmoid, tied_hidden_bias

#: Prior precisions of b_0, d and the deviations of sources: half, or in the same proportion, of
#: those of the two symmetric parameters of classes.
PRIOR, HABIT, SOURCE_HABIT = 0.5, 0.5, 1.0
#: How much each item with a single claim adds to the precision of b_0.
PRIOR_PER_SINGLE = 0.1
#: Typical variance of a claim, by which curvatures are estimated.
SPREAD = 0.2


class PerStatement:
    """Statements of one attribute, each judged by itself as true or false.

    Own parameters: log-odds of truth b_0 (prior), d of the attribute (habit), and the deviation of
    each source (source_habit).
    """

    uses_claim_count = False
    is_per_statement = True

    def __init__(
        self,
        data: BlockData,
        own: AttributeRange,
        attribute: AttributeParameters,
        place: Indices,
    ) -> None:
        self.data, self.arrays = data, data.item_arrays(own)
        arrays = self.arrays
        self.rows = arrays.rows
        sources, speaker = distinct_codes(data.matrix.source_index[arrays.claims].astype(np.int64))
        self.place_of_row = np.searchsorted(sources, data.source_of_row[self.rows])
        self.n_claims = np.bincount(speaker, minlength=len(sources))
        self.parameters = AttributeParameters(own, attribute.classes, sources, nobody())
        self.units = Units.of(arrays.roles, arrays.row, len(self.rows))
        if data.known is not None:
            self.units = replace(self.units, known=data.known[arrays.statements])

    def theta(self, own: ParameterVector, u: Floats) -> Theta:
        """Return a, w and b of each row."""
        said: Floats = own.number("habit") + own["source_habit"][self.place_of_row]
        a, w = said - u, 2 * u
        return Theta(a, w, tied_hidden_bias(a, w))

    def log_likelihood(self, own: ParameterVector, eta: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        u, slope = self.data.strength(eta[self.rows], 0.0)
        theta = self.theta(own, u)
        summary, _ = summarise(self.units, theta, own.number("prior"), self.data.threads)
        rates = rates_of(theta)
        delta = summary.delta_theta
        delta_a = delta[:, 0] + delta[:, 2] * (rates.fpr - rates.tpr)
        delta_w = delta[:, 1] - delta[:, 2] * rates.tpr
        gradient = own.names.zeros()
        gradient["prior"], gradient["habit"] = summary.delta_global, delta_a.sum()
        gradient["source_habit"] = sum_by(self.place_of_row, delta_a, len(self.n_claims))
        return summary.log_likelihood, gradient.values, (2 * delta_w - delta_a) * slope

    def judge(self, own: ParameterVector, eta: Floats, posterior: Posterior) -> None:
        """Set what the parameters make of the claims."""
        arrays = self.arrays
        posterior.plausibility[arrays.statements] = sigmoid(self._evidence(own, eta))
        posterior.unclaimed[arrays.items] = posterior.hardness[arrays.items] = np.nan

    def score(self, own: ParameterVector, eta: Floats, scores: Scores) -> None:
        """Set the scores of statements: the log-odds of their being true."""
        scores.statement[self.arrays.statements] = self._evidence(own, eta)

    def _evidence(self, own: ParameterVector, eta: Floats) -> Floats:
        """Return the log-odds of each statement."""
        theta = self.theta(own, self.data.strength(eta[self.rows], 0.0)[0])
        return summarise(self.units, theta, own.number("prior"), self.data.threads)[1]

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        u, slope = self.data.strength(eta[self.rows], 0.0)
        by_row = rates_of(self.theta(own, u))
        prior = float(sigmoid(own["prior"].reshape(1))[0])
        row = self.units.row
        claims = self.arrays.claims
        rates.tpr[claims], rates.fpr[claims] = by_row.tpr[row], by_row.fpr[row]
        right = prior * by_row.tpr + (1.0 - prior) * (1.0 - by_row.fpr)
        rates.right[claims] = right[row]
        rates.slope[claims] = slope[row]

    def information(self, own: ParameterVector, eta: Floats) -> Floats:
        """Return the information of claims in eta of each row, about."""
        return np.asarray(SPREAD * self.row_counts()[self.rows, 1])

    def heldout_log_prob(self, own: ParameterVector, eta: Floats, hidden: Indices) -> Floats:
        """Return the log-probability of claims that the likelihood does not see, given the rest.

        Denials that follow from naming other values are not counted.
        """
        matrix, posterior = self.data.matrix, Posterior.empty(self.data.matrix)
        self.judge(own, eta, posterior)
        u, _ = self.data.strength(eta[self.rows], 0.0)
        rates = rates_of(self.theta(own, u))
        row = self.units.row[hidden - self.arrays.claims.start]
        p = posterior.plausibility[matrix.statement_index[hidden]]
        says_yes = p * rates.tpr[row] + (1 - p) * rates.fpr[row]
        yes = matrix.claim_value[hidden] == 1
        return np.asarray(np.log(np.where(yes, says_yes, 1 - says_yes)))

    def n_wrong_values(self, own: ParameterVector, claims: slice) -> float:
        """Return 1: a statement is true or false."""
        return 1.0

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for an item, against each statement's being false."""
        prior, source = own.number("prior"), self.data.matrix.source_index
        u, _ = self.data.strength(eta[self.rows], 0.0)
        theta = self.theta(own, u)
        # log((1 - tpr) / (1 - fpr)) and log(tpr / fpr), also where a rate is 1 but for rounding.
        denied, asserted = theta.hidden_bias, theta.hidden_bias + theta.weight

        def bills(item: int, heard: Sequence[Heard]) -> list[Bill]:
            made = []
            for statement in self.data.statements(item):
                asserting = {
                    int(source[claim])
                    for claim, about, kind in heard
                    if about == statement and kind in (SPEAKS_AND_CLAIMS, CLAIMS_TOO)
                }
                claims, added, claimed = [], [], []
                for claim, about, kind in heard:
                    here = about == statement
                    # Who names another value denies this one; once for each source.
                    if not here and (kind != SPEAKS_AND_CLAIMS or int(source[claim]) in asserting):
                        continue
                    yes = here and kind in (SPEAKS_AND_CLAIMS, CLAIMS_TOO)
                    row = self.arrays.row[claim - self.arrays.claims.start]
                    claims.append(claim)
                    claimed.append(yes)
                    added.append(float((asserted if yes else denied)[row]))
                part = log_odds_of(float(evidence.part[statement]))
                made.append(
                    Bill(statement, prior, claims, added, claimed, ((TOGETHER, part),), SHARE)
                )
            return made

        return bills

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""
        return self.data.row_counts(self.parameters.range)

    def counts(self) -> Counts:
        """Count statements claimed and spoken about, items, and what sources say."""
        claimed, spoken = self.units.counts.sum(axis=0)
        return {
            "n_claimed": float(claimed),
            "n_spoken_about": float(spoken),
            "n_statements": self.units.roles.n_statements,
            "n_single": self.arrays.n_single,
            "n_claims": self.n_claims,
            "n_spoken": sum_by(self.place_of_row, self.units.counts[:, 1], len(self.n_claims)),
        }

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without the attribute."""
        nothing = dict.fromkeys(("n_claimed", "n_spoken_about"), 0.0)
        none = dict.fromkeys(("n_statements", "n_single"), 0)
        return {**nothing, **none, "n_claims": nobody(), "n_spoken": np.empty(0)}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Draw b_0 to the share of claims, the more so the more items have a single claim."""
        names, n_claims = attribute.names, counts["n_claims"]
        centre, precision, curvature = names.zeros(), names.zeros(), names.zeros()
        claimed = counts["n_claimed"]
        # Who repeats a claim claims a statement several times, but speaks about it once.
        spoken = max(counts["n_spoken_about"], claimed)
        centre["prior"] = np.log((claimed + 1.0) / (spoken - claimed + 1.0))
        precision["prior"] = PRIOR + PRIOR_PER_SINGLE * int(counts["n_single"])
        precision["habit"] = HABIT
        precision["source_habit"] = np.where(n_claims >= 2, SOURCE_HABIT, FIXED)
        curvature["prior"] = SPREAD * int(counts["n_statements"])
        curvature["habit"] = SPREAD * spoken
        curvature["source_habit"] = SPREAD * counts["n_spoken"]
        return AttributePrior(centre.values, precision.values, precision.values + curvature.values)
