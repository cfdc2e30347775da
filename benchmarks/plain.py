"""One plain fit of the default model: nothing is tried, and nothing is checked."""

from __future__ import annotations

from typing import ClassVar

from veracity.models.grbm.dependent import Dependents
from veracity.models.grbm.prepared_block import add_features, lay_ground
from veracity.models.grbm.scores import LinearScore, Score

from veracity import GRBM
from veracity.data.notes import Note
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.features import FeatureBuilder
from veracity.models.grbm.claim_counts import survey
from veracity.models.grbm.feature_trial import learn_features
from veracity.models.grbm.model_spec import Plan
from veracity.models.grbm.selection import Flow, Learned
from veracity.models.tables import Judged


class PlainFlow(Flow):
    """One fit, with all features from the start, and all sources taken to be independent."""

    def run(self) -> Learned:
        """Learn."""
        seen, choices = survey(self.claims), self.choices
        dependents = Dependents.none(self.claims)
        grounds = self.claims.blocks.prepare(lay_ground, dependents.groups, seen.prolific)
        builder: FeatureBuilder | None = None
        score: Score = LinearScore(0)
        if choices.features != "never":
            builder = learn_features(self.claims.blocks, choices.features, choices.bins)
            score = choices.score_of(len(builder.column_names))
            grounds = grounds.prepare(add_features, builder)
        plan = Plan(
            seen.shapes,
            seen.prolific,
            choices.floor,
            score,
            uses_features=builder is not None,
            threads=choices.threads,
        )
        return Learned(seen, dependents, self.fit_to(grounds, plan, seen, settle=True), builder)


class OnePlainFit(GRBM):
    """The default without its guards: features are used as they are, or never.

    What the guards cost is the difference to `GRBM`. There is no search for sources that depend on
    each other, no fit with values that cluster, no held-out comparison, and no warning.
    """

    _flow: ClassVar[type[Flow]] = PlainFlow

    def _warnings(self, claims: ClaimsInBlocks, judged: Blocks[Judged], least: float) -> list[Note]:
        return []
