"""Why a value is believed: what each claim adds to its log-odds, in every observation model."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from veracity.data.arrays import Floats, numbers_of
from veracity.data.claims import Claims
from veracity.data.encode.denials import REDUNDANT
from veracity.models.explanation import Bill, Explainer, FamilyCount
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.observation.evidence import LABELS, Evidence
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
    labelled
        The plausibility of each statement once labels are allowed for; None without labels.
    """

    def __init__(
        self,
        claims: Claims,
        block: BlockObjective,
        own: ParameterVector,
        plausibility: Floats,
        evidence: Evidence,
        labelled: Floats | None = None,
    ) -> None:
        rates, models = block.rates(own), block.models(own)
        weight = np.ones(claims.matrix.n_claims)
        for model, _, _ in models:
            if not model.is_per_statement:  # these take every claim as it is
                own_range = model.parameters.range
                about = block.data.claims_of(own_range.first, own_range.last)
                weight[about] = block.data.weight[about]
        shown = plausibility if labelled is None else labelled
        super().__init__(claims, shown, rates.tpr, rates.fpr, weight)
        self._before_labels, self._shown = None if labelled is None else plausibility, shown
        self._part, self._family = block.data.roles.role, block.spec.family
        self._claim_start = numbers_of(claims.matrix.claim_start)
        self._about = numbers_of(claims.matrix.statement_index)
        self._parts = numbers_of(self._part)
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
        first, last = self._claim_start[item], self._claim_start[item + 1]
        places = range(first, last)
        spoken = zip(places, self._about[first:last], self._parts[first:last], strict=True)
        heard = [claim for claim in spoken if claim[-1] != REDUNDANT]
        bills = self._bills[bisect_right(self._first, item) - 1](item, heard)
        return bills if self._before_labels is None else list(map(self._with_labels, bills))

    def _with_labels(self, bill: Bill) -> Bill:
        """Add the step from the parameters that labels have moved to what is shown."""
        assert self._before_labels is not None
        place = bill.statement
        step = (LABELS, float(self._shown[place]))
        return bill.followed_by(float(self._before_labels[place]), [step])
