"""ExplainedModel: base of models whose verdicts can be taken apart, claim by claim."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from veracity.data.claims import Claims
from veracity.models.base import TruthModel
from veracity.models.explanation import Explainer, Explanation, find_item
from veracity.models.given import GivenAt


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
            Where the item's claims are; those of the fit if left out. Rules and assessors that the
            fit was given count for those of the fit only.
        """
        self._check_fitted("explain")
        if claims is None:
            return self.explain_fitted(entity, attribute, self.claims_)
        claims = Claims.of(claims)
        return self.explainer(claims).item(find_item(claims.matrix, entity, attribute))

    def explain_fitted(self, entity: str, attribute: str | None, claims: Claims) -> Explanation:
        """Return the evidence for an item of the fit, whose claims are given."""
        item = find_item(claims.matrix, entity, attribute)
        return self.fit_explainer(claims).item(item)

    def fit_explainer(self, claims: Claims) -> Explainer:
        """Return what explains claims of the fit, with the rules and assessors it was given."""
        explainer = self.explainer(claims)
        if self._given is not None:
            alone = self.judges_statements
            explainer.add(GivenAt(self._given, claims, explainer.plausibility, alone))
        return explainer
