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
from veracity.data.encode.denials import CLAIMS_TOO, SPEAKS_AND_CLAIMS, ClaimRoles
from veracity.features.codes import distinct_codes
from veracity.models.explanation import Bill
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange, nobody
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.observation.base import (
    FIXED,
    PRECISION_PER_THIN_ITEM,
    AttributePrior,
    ClaimRates,
    Counts,
    Heard,
    ItemBills,
    Posterior,
)
from veracity.models.grbm.observation.evidence import COPIES, SHARE, TOGETHER, Evidence
from veracity.models.grbm.observation.units import Units, summarise
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta import Theta, rates_of, sigmoid, tied_hidden_bias

#: Prior precisions of b_0, d and the deviations of sources: half, or in the same proportion, of
#: those of the two symmetric parameters of classes.
PRIOR, HABIT, SOURCE_HABIT = 0.5, 0.5, 1.0
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
        self.data = data
        matrix, roles = data.matrix, data.roles
        claims = self.claims = data.claims_of(own.first, own.last)
        self.statements = data.statements_of(own.first, own.last)
        sources, speaker = distinct_codes(matrix.source_index[claims].astype(np.int64))
        self.rows, row = distinct_codes(data.row[claims])
        self.place_of_row = np.searchsorted(sources, data.source_of_row[self.rows])
        self.n_claims = np.bincount(speaker, minlength=len(sources))
        self.parameters = AttributeParameters(own, attribute.classes, sources, nobody())
        first_statement = self.statements.start
        part = ClaimRoles(
            roles.role[claims],
            roles.speaker[claims] - claims.start,
            roles.claim_start[own.first : own.last + 1] - claims.start,
            roles.statement_start[own.first : own.last + 1] - first_statement,
            roles.statement_index[claims] - np.int32(first_statement),
        )
        self.units = Units.of(part, row.astype(np.int32), len(self.rows))
        if data.known is not None:
            self.units = replace(self.units, known=data.known[self.statements])

    def theta(self, own: ParameterVector, u: Floats) -> Theta:
        """Return a, w and b of each row."""
        said: Floats = own.number("habit") + own["source_habit"][self.place_of_row]
        a, w = said - u, 2 * u
        return Theta(a, w, tied_hidden_bias(a, w))

    def log_likelihood(
        self,
        own: ParameterVector,
        eta: Floats,
        posterior: Posterior,
        temper: Floats | None = None,
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        data, items = self.data, self.parameters.range
        u, slope = data.strength(eta[self.rows], 2.0)
        theta = self.theta(own, u)
        summary, evidence = summarise(self.units, theta, own.number("prior"), data.threads)
        rates = rates_of(theta)
        delta = summary.delta_theta
        delta_a = delta[:, 0] + delta[:, 2] * (rates.fpr - rates.tpr)
        delta_w = delta[:, 1] - delta[:, 2] * rates.tpr
        gradient = own.names.zeros()
        gradient["prior"], gradient["habit"] = summary.delta_global, delta_a.sum()
        gradient["source_habit"] = sum_by(self.place_of_row, delta_a, len(self.n_claims))
        delta_eta = np.zeros(data.n_rows)
        delta_eta[self.rows] = (2 * delta_w - delta_a) * slope
        posterior.score[self.statements] = evidence
        shown = evidence
        if temper is not None:
            item = data.matrix.item_of_statement[self.statements]
            shown = evidence * temper[item]
        posterior.plausibility[self.statements] = sigmoid(shown)
        posterior.unclaimed[items.first : items.last] = np.nan
        return summary.log_likelihood, gradient.values, delta_eta

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        u, slope = self.data.strength(eta[self.rows], 2.0)
        by_row = rates_of(self.theta(own, u))
        prior = float(sigmoid(own["prior"].reshape(1))[0])
        row = self.units.row
        rates.tpr[self.claims], rates.fpr[self.claims] = by_row.tpr[row], by_row.fpr[row]
        right = prior * by_row.tpr + (1.0 - prior) * (1.0 - by_row.fpr)
        rates.right[self.claims] = right[row]
        rates.slope[self.claims] = slope[row]

    def heldout_log_prob(
        self, own: ParameterVector, eta: Floats, posterior: Posterior, hidden: Indices
    ) -> Floats:
        """Return the log-probability of claims that the last pass did not see.

        Denials that follow from naming other values are not counted.
        """
        matrix = self.data.matrix
        u, _ = self.data.strength(eta[self.rows], 2.0)
        rates = rates_of(self.theta(own, u))
        row = self.units.row[hidden - self.claims.start]
        p = posterior.plausibility[matrix.statement_index[hidden]]
        says_yes = p * rates.tpr[row] + (1 - p) * rates.fpr[row]
        yes = matrix.claim_value[hidden] == 1
        return np.asarray(np.log(np.where(yes, says_yes, 1 - says_yes)))

    def n_wrong_values(self, claims: Indices | slice) -> float:
        """Return 1: a statement is true or false."""
        return 1.0

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for an item, against each statement's being false."""
        prior, source = own.number("prior"), self.data.matrix.source_index

        def bills(item: int, heard: Sequence[Heard]) -> list[Bill]:
            made = []
            for statement in evidence.statements(item):
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
                    claims.append(claim)
                    claimed.append(yes)
                    added.append(evidence.of_claim(claim, yes))
                score = float(evidence.score[statement])
                steps = ((COPIES, score), (TOGETHER, evidence.temper_of(item) * score))
                made.append(Bill(statement, prior, claims, added, claimed, steps, SHARE))
            return made

        return bills

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""
        return self.data.row_counts(self.parameters.range)

    def counts(self) -> Counts:
        """Count statements claimed and spoken about, items, and what sources say."""
        items = self.parameters.range
        claimed, spoken = self.units.counts.sum(axis=0)
        return {
            "n_claimed": float(claimed),
            "n_spoken_about": float(spoken),
            "n_statements": self.units.roles.n_statements,
            "n_thin": self.data.n_thin(items.first, items.last),
            "n_claims": self.n_claims,
            "n_spoken": sum_by(self.place_of_row, self.units.counts[:, 1], len(self.n_claims)),
        }

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without the attribute."""
        nothing = dict.fromkeys(("n_claimed", "n_spoken_about"), 0.0)
        none = dict.fromkeys(("n_statements", "n_thin"), 0)
        return {**nothing, **none, "n_claims": nobody(), "n_spoken": np.empty(0)}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Draw b_0 to the share of claims, the more so the more items have few sources."""
        names, n_claims = attribute.names, counts["n_claims"]
        centre, precision, curvature = names.zeros(), names.zeros(), names.zeros()
        claimed, spoken = counts["n_claimed"], counts["n_spoken_about"]
        centre["prior"] = np.log((claimed + 1.0) / (spoken - claimed + 1.0))
        precision["prior"] = PRIOR + PRECISION_PER_THIN_ITEM * int(counts["n_thin"])
        precision["habit"] = HABIT
        precision["source_habit"] = np.where(n_claims >= 2, SOURCE_HABIT, FIXED)
        curvature["prior"] = SPREAD * int(counts["n_statements"])
        curvature["habit"] = SPREAD * spoken
        curvature["source_habit"] = SPREAD * counts["n_spoken"]
        return AttributePrior(centre.values, precision.values, precision.values + curvature.values)
