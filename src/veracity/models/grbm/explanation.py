"""Why a value is believed: what each claim adds to its log-odds, in every observation model."""

from __future__ import annotations

from bisect import bisect_right

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.encode.denials import REDUNDANT
from veracity.models.explanation import Bill, Explainer
from veracity.models.grbm.objective import BlockObjective
from veracity.models.grbm.observation.evidence import Evidence
from veracity.models.grbm.parameters import ParameterVector


class GRBMExplainer(Explainer):
    """Explains verdicts of the GRBM.

    Log-odds are against a value that nobody claims, against the average of the other classes, or,
    where a statement is judged by itself, against its being false. Then come the hardness of the
    item, the evidence for other values, the tempering, and the shares of the claims.

    Parameters
    ----------
    claims, block, own
        The claims, and the fitted model on them.
    plausibility, evidence
        The plausibility of each statement, and the scores that it follows from.
    """

    def __init__(
        self,
        claims: Claims,
        block: BlockObjective,
        own: ParameterVector,
        plausibility: Floats,
        evidence: Evidence,
    ) -> None:
        rates = block.rates(own)
        super().__init__(claims, plausibility, rates.tpr, rates.fpr)
        self._part = block.data.roles.role
        models = block.models(own)
        self._bills = [model.item_bills(own, eta, evidence) for model, own, eta in models]
        self._first = [model.parameters.range.first for model, _, _ in models]

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, in numbers."""
        first, last = self.matrix.claim_start[item], self.matrix.claim_start[item + 1]
        part = self._part[first:last].tolist()
        about = self.matrix.statement_index[first:last].tolist()
        heard = [
            (int(first) + place, about[place], kind)
            for place, kind in enumerate(part)
            if kind != REDUNDANT
        ]
        return self._bills[bisect_right(self._first, item) - 1](item, heard)
