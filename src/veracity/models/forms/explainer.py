"""Explain items of several forms: each by the model that judges it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veracity.data.block_parts import OwnPart
from veracity.data.claims import Claims
from veracity.models.explanation import Bill, Explainer, Explanation, FamilyCount


class ExplainerOfForms(Explainer):
    """Explains each item by the explainer of its part of the claims.

    Parameters
    ----------
    claims
        All claims.
    parts
        Where the items of each part are, and what explains them.
    """

    def __init__(self, claims: Claims, parts: Sequence[tuple[OwnPart, Explainer]]) -> None:
        matrix = claims.matrix
        plausibility = np.zeros(matrix.n_statements)
        tpr, fpr, weight = (np.zeros(matrix.n_claims) for _ in range(3))
        self._part = np.zeros(matrix.n_items, np.int64)
        self._place = np.zeros(matrix.n_items, np.int64)
        for number, (own, explainer) in enumerate(parts):
            plausibility[own.statement] = explainer.plausibility
            tpr[own.claim], fpr[own.claim] = explainer.tpr, explainer.fpr
            weight[own.claim] = explainer.weight
            self._part[own.item] = number
            self._place[own.item] = np.arange(len(own.item))
        super().__init__(claims, plausibility, tpr, fpr, weight)
        self._parts = list(parts)

    def part_of(self, item: int) -> tuple[Explainer, int]:
        """Return what explains an item, and the place of the item there."""
        return self._parts[self._part[item]][1], int(self._place[item])

    def families(self, item: int) -> tuple[FamilyCount, ...]:
        """Return the declared families of which several members speak about an item."""
        explainer, place = self.part_of(item)
        return explainer.families(place)

    def item(self, item: int) -> Explanation:
        """Explain an item in the way of its form."""
        own, explainer = self._parts[self._part[item]]
        found: Explanation = explainer.item(int(self._place[item]))
        return found.renumbered(own.claim)

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, in numbers."""
        own, explainer = self._parts[self._part[item]]
        return [
            bill._replace(
                statement=int(own.statement[bill.statement]),
                claims=[int(own.claim[claim]) for claim in bill.claims],
            )
            for bill in explainer.bills(int(self._place[item]))
        ]
