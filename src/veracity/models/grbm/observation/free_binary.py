"""The paper's machine: each statement by itself, with three free parameters for each claim.

eta of a claim is what g returns for theta = (a, w, b): visible bias, weight and hidden bias. Where
nobody is below chance, w is the softplus of its second number. With b tied to a and w, as in the
original RBM, the plausibility is a naive-Bayes posterior; with b free, the very fact of speaking
carries evidence. Own parameter: the global hidden bias b_0. The formulas are in `units`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.explanation import Bill
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange, nobody
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.observation import statement_kernels as kernels
from veracity.models.grbm.observation.base import (
    AttributePrior,
    ClaimRates,
    Counts,
    Heard,
    ItemBills,
    Posterior,
    Scores,
)
from veracity.models.grbm.observation.evidence import Evidence
from veracity.models.grbm.observation.units import Summary, Units, summarise
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta import Theta, rates_of, sigmoid, theta_from, through_theta

#: Typical variance of the truth of a statement, given the claims, and of a claim, given the truth;
#: what keeps curvatures positive; and the share of claims that are taken to be true.
VARIANCE, FLOOR, TRUE = 0.15, 1e-3, 0.9
ROUNDING = "rounding to certainty"


class FreeBinary:
    """All statements of a block, each a machine with one hidden unit; b is free."""

    uses_claim_count = False
    is_per_statement = True
    #: Whether b follows from a and w.
    is_tied = False

    def __init__(
        self,
        data: BlockData,
        own: AttributeRange,
        attribute: AttributeParameters,
        place: Indices,
    ) -> None:
        self.data = data
        self.parameters = replace(attribute, range=own, sources=nobody(), has_confusion=nobody())
        self.units, self.rows = units_of(data), np.arange(data.n_rows)

    @property
    def has_softplus(self) -> bool:
        """Whether weights are not negative."""
        return self.data.floor > 0.0

    def theta(self, eta: Floats) -> Theta:
        """Return a, w and b of each row."""
        return theta_from(eta, nonnegative=self.has_softplus, tied=self.is_tied)

    def log_likelihood(self, own: ParameterVector, eta: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in b_0 and in theta of each row."""
        theta = self.theta(eta)
        return self.gradient(eta, theta, self._summarised(own, theta)[0])

    def judge(self, own: ParameterVector, eta: Floats, posterior: Posterior) -> None:
        """Set what the parameters make of the claims."""
        posterior.plausibility[:] = sigmoid(self._summarised(own, self.theta(eta))[1])
        posterior.unclaimed[:] = posterior.hardness[:] = np.nan

    def score(self, own: ParameterVector, eta: Floats, scores: Scores) -> None:
        """Set the scores of statements: the log-odds of their being true."""
        scores.statement[:] = self._summarised(own, self.theta(eta))[1]

    def _summarised(self, own: ParameterVector, theta: Theta) -> tuple[Summary, Floats]:
        """Return the sums of a pass, and the evidence for each statement."""
        b0 = own.number("global_hidden_bias")
        return summarise(self.units, theta, b0, self.data.threads)

    def gradient(self, eta: Floats, theta: Theta, summary: Summary) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood of the machines that were summarised, and its gradient."""
        ascent = through_theta(
            eta, theta, summary.delta_theta, nonnegative=self.has_softplus, tied=self.is_tied
        )
        return summary.log_likelihood, np.array([summary.delta_global]), ascent

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims; a claim is right half of the time if that is all one knows."""
        by_row, row = rates_of(self.theta(eta)), self.units.own_row
        rates.tpr[:], rates.fpr[:] = by_row.tpr[row], by_row.fpr[row]
        rates.right[:] = 0.5 * (rates.tpr + 1.0 - rates.fpr)
        rates.slope[:] = 1.0

    def information(self, own: ParameterVector, eta: Floats) -> Floats:
        """Return about how much claims tell of a + w, of a and of b of each row; (3, n_rows)."""
        n_claimed, n_spoken = self.row_counts().T
        if_true, if_false = TRUE * n_claimed, n_spoken - TRUE * n_claimed
        return np.asarray(VARIANCE * np.stack([if_true, if_false, n_spoken]))

    def heldout_log_prob(self, own: ParameterVector, eta: Floats, hidden: Indices) -> Floats:
        """Return the log-probability of claims that the likelihood does not see, given the rest."""
        matrix, row = self.data.matrix, self.units.own_row[hidden]
        posterior, rates = Posterior.empty(matrix), rates_of(self.theta(eta))
        self.judge(own, eta, posterior)
        p = posterior.plausibility[matrix.statement_index[hidden]]
        says_yes = p * rates.tpr[row] + (1 - p) * rates.fpr[row]
        yes = matrix.claim_value[hidden] == 1
        return np.asarray(np.log(np.where(yes, says_yes, 1 - says_yes)))

    def n_wrong_values(self, own: ParameterVector, claims: slice) -> float:
        """Return 1: a statement is true or false."""
        return 1.0

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for an item: b_0, and one term for each unit.

        Where the denial is a machine of its own, what both have in common falls out.
        """
        matrix, units = self.data.matrix, self.units
        theta, b0 = self.theta(eta), own.number("global_hidden_bias")
        roles, identity = units.roles, np.arange(matrix.n_claims, dtype=np.int32)
        arrays = (roles.role, roles.speaker, roles.claim_start, roles.statement_index)
        is_mirrored = np.isin(np.arange(units.n_statements), units.mirrored)

        def bills(item: int, spoken: Sequence[Heard]) -> list[Bill]:
            n_claims = int(matrix.claim_start[item + 1] - matrix.claim_start[item])
            heard, claimed = np.empty(n_claims, np.int64), np.empty(n_claims, np.bool_)
            made = []
            for statement in self.data.statements(item):
                n = kernels.gather_units(item, statement, *arrays, identity, heard, claimed)
                row = units.row_of[units.row[heard[:n]], units.state[statement]]
                w, before = theta.weight[row], b0
                added = theta.hidden_bias[row] + np.where(claimed[:n], w, 0.0)
                if is_mirrored[statement]:
                    added, before = np.where(claimed[:n], w, -w), 0.0
                listed = heard[:n].tolist(), added.tolist(), claimed[:n].tolist()
                made.append(Bill(statement, before, *listed, (), ROUNDING))
            return made

        return bills

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""
        return self.units.counts

    def counts(self) -> Counts:
        """Count statements."""
        return {"n_statements": self.units.n_machines}

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without claims."""
        return {"n_statements": 0}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Return the prior of b_0; its precision is the one penalty of the whole machine."""
        curvature = VARIANCE * int(counts["n_statements"]) + FLOOR
        return AttributePrior(np.zeros(1), np.zeros(1), np.array([curvature]))


class TiedBinary(FreeBinary):
    """The same with b tied to a and w: the original RBM."""

    is_tied = True


def units_of(data: BlockData) -> Units:
    """Return the claims of a block as units of the machine."""
    rows, roles = data.rows, data.roles
    units = Units.of(roles, rows.row, data.n_rows)
    if rows.row_of is not None and rows.state is not None:
        units = Units(roles, rows.row, rows.state, rows.row_of, data.n_rows)
    if data.one_hot:
        yes_no = data.matrix.kind_is("boolean")[data.matrix.item_of_statement]
        units = replace(units, mirrored=np.flatnonzero(yes_no))
    return units if data.known is None else replace(units, known=data.known)
