"""Explain items whose values lie within one another."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.claims import Claims
from veracity.models.explanation import Bill, Explainer, log_odds_of
from veracity.models.forms.hierarchy.trees import Trees


class HierarchyExplainer(Explainer):
    """Explains by what changes when a claim is left out.

    What one claim adds depends on the others, since the tree is judged as a whole. So each is
    weighed against all others, and the last step leads from the sum to the plausibility.
    """

    def __init__(self, claims: Claims, trees: Trees, rates: Floats) -> None:
        matrix = claims.matrix
        found = trees.beliefs(rates)
        right = rates[matrix.source_index]
        plausibility = np.minimum(found.inside[trees.node_of_statement], 1.0)
        super().__init__(claims, plausibility, right, 1.0 - right, matrix.claim_weight)
        self._trees, self._rates, self._weight = trees, rates, self.weight.copy()

    def bills(self, item: int) -> list[Bill]:
        """Return the evidence for each statement of an item, in numbers."""
        matrix, trees = self.matrix, self._trees
        first, last = matrix.claim_start[item], matrix.claim_start[item + 1]
        statements = range(*matrix.statement_start[item : item + 2].tolist())
        nodes = trees.node_of_statement[list(statements)]
        without_any = self._inside(item, np.zeros(matrix.n_claims), nodes)
        added = []
        for claim in range(first, last):
            self._weight[claim] = 0.0
            left = self._inside(item, self._weight, nodes)
            self._weight[claim] = self.weight[claim]
            added.append(_log_odds(self.plausibility[list(statements)]) - _log_odds(left))
        bills = []
        for place, statement in enumerate(statements):
            claims = list(range(first, last))
            bills.append(
                Bill(
                    statement,
                    log_odds_of(float(without_any[place])),
                    claims,
                    [float(of_claim[place]) for of_claim in added],
                    [
                        bool(matrix.claim_value[claim] == 1)
                        and int(matrix.statement_index[claim]) == statement
                        for claim in claims
                    ],
                    (),
                    "what these claims have in common, as they are weighed together",
                )
            )
        return bills

    def _inside(self, item: int, weight: Floats, nodes: Indices) -> Floats:
        return np.asarray(self._trees.beliefs_at(item, self._rates, weight).inside[nodes])


def _log_odds(probability: Floats) -> Floats:
    return np.array([log_odds_of(float(p)) for p in probability])
