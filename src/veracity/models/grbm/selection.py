"""How the default model learns: one fit after another, each over blocks of claims.

Who depends on whom is found first. Then come a fit, one with wrong values that cluster, and one
with features, each of which is kept if it is the better. Claims in memory are one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.notes import Note
from veracity.data.truth.known import UNKNOWN
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Sums
from veracity.errors import listing
from veracity.features import FeatureBuilder
from veracity.models.grbm import feature_trial as trial
from veracity.models.grbm.claim_counts import Survey, survey
from veracity.models.grbm.curvature import SharedCurvature
from veracity.models.grbm.dependent import Dependents, find_dependents
from veracity.models.grbm.forms import Block
from veracity.models.grbm.held_out import Gain
from veracity.models.grbm.model_spec import Plan
from veracity.models.grbm.objective import Fit, fit
from veracity.models.grbm.penalised_blocks import ObjectiveInBlocks
from veracity.models.grbm.prepared_block import Ground, add_features, hold_out, lay_ground
from veracity.models.grbm.scores import LinearScore, Score


@dataclass(frozen=True, eq=False)
class Choices:
    """How to learn; see the parameters of `GRBM`.

    ``floor`` is the least e^u, and ``score_of`` makes g of so many features.
    """

    features: str | Sequence[str]
    bins: int | None
    score_of: Callable[[int], Score]
    floor: float
    discount_copies: bool | Literal["auto"]
    max_iter: int
    tol: float
    seed: int
    threads: int | None = None


@dataclass(frozen=True, eq=False)
class Step:
    """A fit: what it was to, and what came of it."""

    grounds: Blocks[Ground]
    plan: Plan
    objective: ObjectiveInBlocks
    found: Fit


@dataclass
class Learned:
    """What was learned.

    Attributes
    ----------
    survey, dependents
        How much sources say, and which of them depend on each other.
    step
        The fit that was kept.
    builder
        What makes the features in use; None without.
    considered, gain
        What was considered as features, None if nothing was, and how much they helped, if that
        was tried.
    notes
        What a user should know.
    """

    survey: Survey
    dependents: Dependents
    step: Step
    builder: FeatureBuilder | None = None
    considered: FeatureBuilder | None = None
    gain: Gain | None = None
    notes: list[Note] = field(default_factory=list)


class Flow:
    """The default model, on its way from claims to what it learns."""

    def __init__(self, claims: ClaimsInBlocks, choices: Choices) -> None:
        self.claims, self.choices = claims, choices

    def run(self) -> Learned:
        """Learn."""
        seen = survey(self.claims)
        dependents = find_dependents(self.claims, seen.prolific, self.choices.discount_copies)
        prolific, choices = seen.prolific, self.choices
        plan = Plan(seen.shapes, prolific, choices.floor, LinearScore(0), threads=choices.threads)
        grounds = self.claims.blocks.prepare(lay_ground, dependents.groups, prolific)
        step = self._oriented(self.fit_to(grounds, plan, seen), seen)
        learned = Learned(seen, dependents, step, notes=list(dependents.notes))
        self._let_cluster(learned)
        self._let_features_speak(learned)
        if learned.builder is None:  # else it is settled
            learned.step = self._settled(learned.step)
        return learned

    def _let_cluster(self, learned: Learned) -> None:
        """Let wrong values cluster, where all items are open and that is the likelier."""
        step = learned.step
        if not step.plan.may_cluster:
            return
        curvature = step.objective.shared_curvature
        plan = replace(step.plan, clustered=True)
        other = self.fit_to(step.grounds, plan, learned.survey, step.found.x, curvature)
        more = other.found.objective - step.found.objective
        text = (
            f"Wrong values {'cluster' if more > 0 else 'do not cluster'}: letting them changes the "
            f"log-likelihood by {more:+,.1f}."
        )
        learned.notes.append(Note("clusters", text))
        if more > 0:
            learned.step = other

    def _let_features_speak(self, learned: Learned) -> None:
        """Add features to the model, if there are any and they help."""
        choices = self.choices
        if choices.features == "never":
            return
        builder = trial.learn_features(self.claims.blocks, choices.features, choices.bins)
        learned.considered = builder
        learned.notes += trial.notes_on_left_out(builder)
        used = [choice.name for choice in builder.choices_ if choice.used]
        if not used:
            return
        step = learned.step
        score = choices.score_of(len(builder.column_names))
        plan = replace(step.plan, score=score, uses_features=True)
        curvature: SharedCurvature | None = None
        if choices.features == "auto":
            tried = self._try_features(learned, plan, builder)
            assert learned.gain is not None
            learned.notes.append(trial.note_on_gain(learned.gain, used))
            if not trial.helps(learned.gain):
                return
            grounds, curvature = tried.grounds, tried.objective.shared_curvature
        else:
            grounds = step.grounds.prepare(add_features, builder)
            learned.notes.append(Note("features", f"Features used: {listing(used, 40)}."))
        learned.builder = builder
        learned.step = self.fit_to(
            grounds, plan, learned.survey, step.found.x, curvature, settle=True
        )

    def _try_features(self, learned: Learned, plan: Plan, builder: FeatureBuilder) -> Step:
        """Fit with features to claims of which some are hidden; see how well these are foreseen.

        What is held out is foreseen without clusters.
        """
        step, seen = learned.step, learned.survey
        curvature = step.objective.shared_curvature
        hidden = step.grounds.prepare(hold_out, self.choices.seed)
        bare = replace(step.plan, clustered=False, holds_out=True)
        without = self.fit_to(hidden, bare, seen, step.found.x, curvature)
        grounds = hidden.prepare(add_features, builder)
        more = replace(plan, clustered=False, holds_out=True)
        tried = self.fit_to(grounds, more, seen, without.found.x)
        learned.gain = trial.gain_by_features(grounds, bare, without.found.x, more, tried.found.x)
        return tried

    def fit_to(
        self,
        grounds: Blocks[Ground],
        plan: Plan,
        seen: Survey,
        start: Floats | None = None,
        curvature: SharedCurvature | None = None,
        *,
        settle: bool = False,
    ) -> Step:
        """Fit by a plan, from where another fit ended if there is one; see `fit`."""
        objective = ObjectiveInBlocks(grounds, plan, seen.n_claims, curvature)
        begin = None if start is None else objective.started_at(start)
        choices = self.choices
        found = fit(objective, choices.max_iter, choices.tol, begin, settle=settle)
        return Step(grounds, plan, objective, found)

    def _settled(self, step: Step) -> Step:
        """Go on with a fit until its parameters are settled, if they can settle."""
        found, choices = step.found, self.choices
        if not found.converged or not step.objective.can_settle:
            return step
        end = fit(step.objective, choices.max_iter, choices.tol, found.x, settle=True)
        history = [*found.history, *end.history]
        for number, record in enumerate(history):
            record["iteration"] = number + 1.0
        return replace(step, found=replace(end, history=history))

    def _oriented(self, step: Step, seen: Survey) -> Step:
        """Start again from what known truth alone says of the sources; keep the likelier end.

        From the usual start a fit may climb to the mirror image, and a few known items among many
        cannot pull it back.
        """
        if not self.claims.blocks.total(_count_known)["n"]:
            return step
        told = self.fit_to(step.grounds, replace(step.plan, only_known=True), seen)
        again = fit(step.objective, self.choices.max_iter, self.choices.tol, told.found.x)
        return replace(step, found=again) if again.objective > step.found.objective else step

    def foresee(
        self, forms: Sequence[Block], groups: Indices, builder: FeatureBuilder | None
    ) -> Iterator[Floats]:
        """Fit to all claims but those that are held out; return the log-probabilities of these.

        The form of each attribute, the group of each source and the features are given.
        """
        seen, choices = survey(self.claims, forms), self.choices
        score: Score = LinearScore(0)
        grounds = self.claims.blocks.prepare(lay_ground, groups, seen.prolific)
        grounds = grounds.prepare(hold_out, choices.seed)
        if builder is not None:
            score = choices.score_of(len(builder.column_names))
            grounds = grounds.prepare(add_features, builder)
        plan = Plan(
            seen.shapes,
            seen.prolific,
            choices.floor,
            score,
            uses_features=builder is not None,
            holds_out=True,
            threads=choices.threads,
        )
        x = self.fit_to(grounds, plan, seen).found.x
        return grounds.results(trial.foresee, plan, x)


def _count_known(block: ClaimBlock) -> Sums:
    known = block.known
    return {"n": 0 if known is None else int((known.statement != UNKNOWN).sum())}
