"""Why a value is believed: what each claim adds to its log-odds, in every observation model."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.encode.denials import REDUNDANT
from veracity.models.explanation import Bill, Explainer, FamilyCount
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
        rates, models = block.rates(own), block.models(own)
        weight = np.ones(claims.matrix.n_claims)
        for model, _, _ in models:
            if not model.is_per_statement:  # these take every claim as it is
                own_range = model.parameters.range
                about = block.data.claims_of(own_range.first, own_range.last)
                weight[about] = block.data.weight[about]
        super().__init__(claims, plausibility, rates.tpr, rates.fpr, weight)
        self._part, self._family = block.data.roles.role, block.spec.family
        self._bills = [model.item_bills(own, eta, evidence) for model, own, eta in models]
        self._first = [model.parameters.range.first for model, _, _ in models]

    def families(self, item: int) -> tuple[FamilyCount, ...]:
        """Return the declared families of which several members speak about an item."""
        if self._family is None or self._family not in self.claims.features.column_names:
            return ()
        first, last = self.matrix.claim_start[item], self.matrix.claim_start[item + 1]
        members: dict[str, set[int]] = {}
        counted: dict[str, float] = {}
        for claim in range(int(first), int(last)):
            label = self._cells.of(int(self.matrix.row[claim]))[self._family]
            if label is None or self._part[claim] == REDUNDANT:
                continue
            members.setdefault(str(label), set()).add(int(self.matrix.source_index[claim]))
            counted[str(label)] = counted.get(str(label), 0.0) + float(self.weight[claim])
        return tuple(
            FamilyCount(label, len(members[label]), counted[label])
            for label in sorted(members)
            if len(members[label]) > 1 and counted[label] < len(members[label])
        )

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
