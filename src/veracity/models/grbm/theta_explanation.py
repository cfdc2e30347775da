"""Why a statement is believed by the machine of the paper: one term per claim."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.models.explanation import Bill, Explainer
from veracity.models.grbm.observation import statement_kernels as kernels
from veracity.models.grbm.observation.free_binary import Units
from veracity.models.grbm.theta import Theta, rates_of


class BinaryExplainer(Explainer):
    """Explains by the machine of the paper: each statement by itself."""

    def __init__(
        self,
        claims: Claims,
        plausibility: Floats,
        units: Units,
        theta: Theta,
        global_hidden_bias: float,
    ) -> None:
        rates, own = rates_of(theta), units.own_row
        super().__init__(claims, plausibility, rates.tpr[own], rates.fpr[own])
        self._units, self._theta, self._b0 = units, theta, float(global_hidden_bias)
        self._identity = np.arange(claims.matrix.n_claims, dtype=np.int32)

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, in numbers."""
        matrix, units, theta = self.matrix, self._units, self._theta
        layout = units.layout
        n_claims = int(matrix.claim_start[item + 1] - matrix.claim_start[item])
        heard, claimed = np.empty(n_claims, np.int64), np.empty(n_claims, np.bool_)
        arrays = (layout.part, layout.speaker, layout.claim_start, layout.statement_index)
        bills = []
        for statement in range(matrix.statement_start[item], matrix.statement_start[item + 1]):
            n = kernels.gather_units(item, statement, *arrays, self._identity, heard, claimed)
            row = units.row_of[units.row[heard[:n]], units.state[statement]]
            added = theta.hidden_bias[row] + np.where(claimed[:n], theta.weight[row], 0.0)
            bills.append(
                Bill(
                    int(statement),
                    self._b0,
                    heard[:n].tolist(),
                    added.tolist(),
                    claimed[:n].tolist(),
                    (),
                    "rounding to certainty",
                )
            )
        return bills
