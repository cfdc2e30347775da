"""One plain fit of the default model: nothing is tried, and nothing is checked."""

from __future__ import annotations

import numpy as np

from veracity import GRBM
from veracity.data.claims import Claims
from veracity.data.known import KnownTruth
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.results import Verdict
from veracity.features import FeatureBuilder
from veracity.models.base import Judgement
from veracity.models.categorical.fitting import Fit, Objective
from veracity.models.grbm import MAX_VALUE_SHARE, STATISTICS


class OnePlainFit(GRBM):
    """The default without its guards: features are used as they are, or never.

    What the guards cost is the difference to `GRBM`. There is no search for sources that depend on
    each other, no fit with values that cluster, no held-out comparison, and no warning.
    """

    def _fit(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        self._fitting = claims
        return super()._fit(claims, known)

    def _find_dependence(self, matrix: ClaimMatrix) -> None:
        """Take no source to depend on another; have the features from the start."""
        self._groups = np.full(matrix.n_sources, -1)
        if self.features != "never":
            builder = FeatureBuilder(
                "auto" if isinstance(self.features, str) else list(self.features),
                self.bins,
                scale="rank",
                max_value_share=MAX_VALUE_SHARE,
                statistics=STATISTICS,
            )
            self._use(builder.fit(self._fitting))

    def _with_clusters(self, objective: Objective, found: Fit) -> tuple[Objective, Fit]:
        return objective, found

    def _with_features(
        self, claims: Claims, known: KnownTruth | None, objective: Objective, found: Fit
    ) -> tuple[Objective, Fit]:
        return objective, found

    def _warnings(self, claims: Claims, verdict: Verdict) -> list[Note]:
        return []
