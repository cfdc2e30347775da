"""ExplainedModel: base of models whose verdicts can be taken apart, claim by claim."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from veracity.data.claims import Claims
from veracity.models.base import TruthModel
from veracity.models.explanation import Explainer, Explanation, find_item


class ExplainedModel(TruthModel):
    """A model that says why it believes a value, as a sum of log-odds."""

    @abstractmethod
    def explainer(self, claims: Any) -> Explainer:
        """Return what explains one item of claims after the other, quickly."""

    def explain(self, entity: str, attribute: str | None = None, claims: Any = None) -> Explanation:
        """Return the evidence for each value of an item, as a sum of log-odds.

        Parameters
        ----------
        entity, attribute
            The item; the attribute may be left out where the entity has only one.
        claims
            Where the item's claims are; those of the fit if left out.
        """
        self._check_fitted("explain")
        claims = self.claims_ if claims is None else Claims.of(claims)
        item = find_item(claims.matrix, entity, attribute)
        return self.explainer(claims).item(item)
