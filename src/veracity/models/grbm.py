"""GRBM: the hidden unit is the true value, and reliabilities come from features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.buffers import take_labels, to_arrow
from veracity.data.claims import Claims, is_table_of_claims
from veracity.data.decisions import Decisions, check_error_rate
from veracity.data.frames import arrow_table
from veracity.data.known import FALSE, TRUE, KnownTruth
from veracity.data.label_arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.matrix import ClaimMatrix, Floats
from veracity.data.notes import Note, plural
from veracity.data.results import SourceRates, Verdict, decide
from veracity.data.tables import Table
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.errors import InputError, InvalidParameter, listing, suggestion
from veracity.features import FeatureBuilder
from veracity.features.builder import FeatureChoice
from veracity.models import explanation
from veracity.models.base import Judgement, judge_only
from veracity.models.binary_grbm import BinaryGRBM, paper
from veracity.models.blockwise import Judged, note_decisions
from veracity.models.categorical import blockwise
from veracity.models.categorical.clustering import clustered
from veracity.models.categorical.curvature import SharedCurvature
from veracity.models.categorical.explaining import CategoricalExplainer
from veracity.models.categorical.fitted import FittedBlock
from veracity.models.categorical.fitting import Fit, Objective, Penalised, fit
from veracity.models.categorical.forms import Block, choose_blocks, same_forms
from veracity.models.categorical.heldout import Gain, gain_of, hide
from veracity.models.categorical.intervals import rates_by, rates_with_intervals
from veracity.models.categorical.memory import GRBMMemory
from veracity.models.categorical.parts import PARTS
from veracity.models.categorical.plausibility import claim_shares, mix_in_shares, temper
from veracity.models.categorical.rows import rows_of
from veracity.models.categorical.scene import Found, Scene
from veracity.models.categorical.scores import LinearScore, NetworkScore, Score, small_network
from veracity.models.dependence import (
    Dependence,
    dependence_table,
    find_dependence,
    without_copies,
)
from veracity.models.explained import ExplainedModel
from veracity.models.guards import guard_notes
from veracity.models.rbm.layout import Layout, lay_out
from veracity.models.vote import MajorityVote

RELIABILITIES = ("linear", "mlp")
FEATURE_WORDS = ("auto", "always", "never")
#: Statistics of claims that may serve as features beside the user's columns.
STATISTICS = ("sources of item", "order in item", "age in item")
#: A column is derived from the value if that explains more of it within items than this.
MAX_VALUE_SHARE = 0.1
#: Features are used if held-out claims are foreseen better by more than so many standard errors.
ERRORS_WANTED = 3.0
#: The share of claims that may be set aside as copies without being asked to.
MAX_SET_ASIDE = 0.2

#: Fits to blocks by a plan, from a start if there is one, with the curvature if that is known.
FitToPlan = Callable[[blockwise.Plan, Floats | None, SharedCurvature | None], tuple[Penalised, Fit]]


class GRBM(ExplainedModel):
    """The default model: the generalised restricted Boltzmann machine, made robust.

    The hidden unit is the truth, the visible units are what sources say, and their parameters come
    from a function of what is known about each claim (Broelemann and Kasneci, 2018). The strength
    of a claim, u >= 0, follows from

        eta = m + w_source + g(features)

    so a source with many claims has a reliability of its own, and one with few or none what its
    features say. What u means depends on the kind of attribute:

    - one true value, open domain: P(says k | k) = e^u / (e^u + D - 1), with D the claimed values
      and one that nobody claims, and any other value equally likely;
    - one true value of a closed domain: the same, or, given enough items, a confusion matrix of
      each source, drawn to that of all, drawn to the even one;
    - boolean and multi-valued: the paper's machine, statement by statement.

    Everything is drawn to a cautious start by Gaussian priors that stay, and nobody is worse than
    chance unless you allow it: unsupervised likelihood would otherwise find mirror images, or
    explain something else than truth. The likelihood is exact. `GRBM.paper` gives the machine of
    the paper itself.

    Plausibilities are tempered, since claims about an item err together.

    Parameters
    ----------
    reliability
        g: ``"linear"``, ``"mlp"`` (a feed-forward network), or a ``torch.nn.Module`` of your own
        from features to one number.
    features
        ``"auto"`` uses features if held-out claims are foreseen better with them by more than
        three standard errors; ``"always"``, ``"never"``; or a list of names, used as they are.
    bins
        Numbers with more distinct values than this are binned; None for no bins.
    hidden_sizes, activation
        Of ``"mlp"``: tanh, relu, gelu or sigmoid.
    allow_adversaries
        Let sources be worse than chance.
    discount_copies
        Let sources that depend on each other speak once where they say the same; see
        `dependence_`. ``"auto"`` does so unless that sets aside more than a fifth of all claims:
        where most of what is said depends on something, leaving it out would give the word to a
        few others, whom nothing confirms.
    correlation
        How much two claims about an item are taken to err together, for tempering; 0 for not.
    max_iter, tol
        Iterations at most, and relative progress to go on for.
    error_rate
        The share of errors among accepted verdicts that `decision` in the truths aims at.
    threads
        How many to use; None for all cores.
    random_state
        Seed of the network's start, of what is held out, and of ties.

    Attributes
    ----------
    forms_
        How each attribute is judged.
    feature_gain_
        How much better held-out claims are foreseen with features; None if it was not tried.
    feature_choices_
        What was considered as a feature, and why it was left out if it was.
    dependence_
        Pairs of sources that agree more than their agreement with others explains.
    n_iter_, converged_
        Iterations done, and whether the fit came to its end.

    Examples
    --------
    >>> from veracity import GRBM, datasets
    >>> model = GRBM().fit(datasets.example.path())
    >>> model.truths_.column_names[:4]
    ['entity', 'attribute', 'value', 'plausibility']
    """

    uses_known_truth = True

    #: While a fit is being reported: its claims, and the model of them.
    _at_hand: tuple[Claims, Objective, Floats] | None = None

    def __init__(
        self,
        reliability: Any = "linear",
        *,
        features: Literal["auto", "always", "never"] | Sequence[str] = "auto",
        bins: int | None = 32,
        hidden_sizes: Sequence[int] = (16,),
        activation: str = "tanh",
        allow_adversaries: bool = False,
        discount_copies: bool | Literal["auto"] = "auto",
        correlation: float = 0.3,
        max_iter: int = 80,
        tol: float = 1e-7,
        error_rate: float = 0.05,
        threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self._reliability = reliability
        self.features = features
        self.bins = bins
        self.hidden_sizes = hidden_sizes
        self.activation = activation
        self.allow_adversaries = allow_adversaries
        self.discount_copies = discount_copies
        self.correlation = correlation
        self.max_iter = max_iter
        self.tol = tol
        self.error_rate = error_rate
        self.threads = threads
        self.random_state = random_state

    @staticmethod
    def paper() -> BinaryGRBM:
        """Return the machine of the paper: features alone, contrastive divergence, free biases."""
        return paper()

    # Fitting

    def _fit(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        self._check_parameters()
        matrix = claims.matrix
        self._source_ids = matrix.sources
        self._feature_builder: FeatureBuilder | None = None
        self._score: Score = LinearScore(0)
        self.feature_choices_: list[FeatureChoice] = []
        self.feature_gain_: Gain | None = None
        self._clustered = False
        self._prolific = _prolific(matrix)
        self._find_dependence(matrix)
        scene = self._scene(claims, known)
        blocks = choose_blocks(matrix)
        objective = self._objective(scene, blocks)
        found = self._oriented(objective, fit(objective, self.max_iter, self.tol))
        objective, found = self._with_clusters(objective, found)
        objective, found = self._with_features(claims, known, objective, found)
        self._keep(objective, found, blocks)
        self._report(claims, found)
        self._at_hand = claims, objective, found.x
        return self._judgement(objective, found.x)

    learns_in_blocks = True

    def check_blocks(self) -> None:
        """Refuse features that need all claims at once."""
        super().check_blocks()
        if not isinstance(self.features, str) and "claims of source" in self.features:
            raise InvalidParameter(
                "The feature 'claims of source' needs all claims in memory. Leave it out, or the "
                "limit of memory."
            )

    streams = True

    def check_stream(self) -> None:
        """Refuse features and functions of them that a stream cannot keep."""
        super().check_stream()
        if not isinstance(self.features, str) and "claims of source" in self.features:
            raise InvalidParameter(
                "The feature 'claims of source' changes for all claims of a source with each new "
                "one. Leave it out, or fit to all claims."
            )
        if not isinstance(self._reliability, str):
            raise InvalidParameter(
                "A torch module of your own cannot learn from a stream, since where it started is "
                "not kept. Use reliability='linear' or 'mlp', or fit to all claims."
            )

    def _new_memory(self) -> GRBMMemory:
        return GRBMMemory()

    def _fit_blocks(self, claims: ClaimsInBlocks) -> None:
        """Learn as `_fit` does; see `categorical.blockwise`."""
        self._check_parameters()
        self._source_ids = claims.sources
        self._feature_builder, self._score = None, LinearScore(0)
        self.feature_choices_, self.feature_gain_ = [], None
        self._clustered = False
        found = blockwise.survey(claims)
        self._prolific = how_prolific(found.n_claims)
        dependence = blockwise.find_dependence(claims)
        share = 0.0
        if len(dependence):
            share = blockwise.share_set_aside(claims, dependence.group, self._prolific)
        self._take_dependence(dependence, share, claims.sources)
        floor = 0.0 if self.allow_adversaries else 1.0
        plan = blockwise.Plan(found.shapes, self._prolific, self._groups, floor, self._score)
        self._fit_plan(claims, plan, found.n_claims)

    def _fit_plan(
        self, claims: ClaimsInBlocks, plan: blockwise.Plan, n_claims: npt.NDArray[np.int64]
    ) -> None:
        def fit_to(
            plan: blockwise.Plan, start: Floats | None, curvature: SharedCurvature | None
        ) -> tuple[Penalised, Fit]:
            objective = blockwise.ObjectiveInBlocks(claims.blocks, plan, n_claims, curvature)
            begin = None if start is None else objective.started_at(start)
            return objective, fit(objective, self.max_iter, self.tol, begin)

        objective, found = fit_to(plan, None, None)
        if self._may_cluster(plan.forms):
            curvature = objective.shared_curvature
            with_clusters, other = fit_to(replace(plan, clustered=True), found.x, curvature)
            if self._clusters(found, other):
                objective, found, plan = with_clusters, other, replace(plan, clustered=True)
        curvature = objective.shared_curvature
        with_features = self._plan_with_features(claims, plan, found.x, curvature, fit_to)
        if with_features is not None:
            plan, curvature_with_them = with_features
            objective, found = fit_to(plan, found.x, curvature_with_them)
        self._keep_fit(objective, found, plan.shapes)
        self._note_fit(found, "weight" in claims.columns.roles, int(n_claims.sum()))

    def _plan_with_features(
        self,
        claims: ClaimsInBlocks,
        plan: blockwise.Plan,
        start: Floats,
        curvature: SharedCurvature,
        fit_to: FitToPlan,
    ) -> tuple[blockwise.Plan, SharedCurvature | None] | None:
        """Return the plan with features, if there are any and they help; as `_with_features`.

        The curvature with them goes with it, if it is known.
        """
        if isinstance(self.features, str) and self.features == "never":
            return None
        empty = self._empty_builder()
        builder = empty.learn(claims.blocks.total(blockwise.count_features, empty))
        used = self._consider(builder)
        if not used:
            return None
        self._use(builder)
        more = replace(plan, builder=builder, score=self._score)
        if self.features == "auto":
            # What is held out is foreseen without clusters, as in memory.
            bare_plan = replace(plan, clustered=False, seed=self.random_state)
            bare_more = replace(more, clustered=False, seed=self.random_state)
            x = fit_to(bare_plan, start, curvature)[1].x
            tried, found = fit_to(bare_more, x, None)
            gain = blockwise.gain_in_blocks(claims.blocks, bare_plan, x, bare_more, found.x)
            if not self._judge_gain(gain, used):
                self._feature_builder, self._score = None, LinearScore(0)
                return None
            return more, tried.shared_curvature
        self._note_used(used)
        return more, None

    def _find_dependence(self, matrix: ClaimMatrix) -> None:
        """Find the sources that depend on each other, and say so."""
        found = find_dependence(matrix)
        share = 0.0
        if len(found):
            layout = lay_out(matrix)
            kept = without_copies(matrix, layout, found.group, self._prolific)
            share = float((kept.part != layout.part).mean())
        self._take_dependence(found, share, matrix.sources)

    def _take_dependence(self, found: Dependence, share: float, sources: pa.StringArray) -> None:
        """Decide whether dependent sources speak once, which sets a share of all claims aside."""
        self.dependence_ = found.table(sources)
        self._groups = np.full(len(sources), -1)
        if not len(found):
            return
        auto = self.discount_copies == "auto"
        if self._speaks_once(share):
            self._groups = found.group
            outcome = f"Where they say the same, it counts once: {share:.0%} of the claims go."
        else:
            outcome = "All their claims count" + (
                f": to count what they share once would set {share:.0%} of all claims aside. "
                "discount_copies=True does it."
                if auto
                else " (discount_copies=False)."
            )
        first = self.dependence_.to_arrow().slice(0, 1).to_pylist()[0]
        text = (
            f"{plural(len(found), 'pair of sources agrees', 'pairs of sources agree')} far more "
            "than their agreement with "
            f"others explains, such as {first['source']!r} and {first['other']!r} "
            f"({first['agreement']:.0%} of {first['n_shared']:,} contested items; "
            f"{first['expected']:.0%} were to be expected). One may copy the other, or both a "
            f"third. {outcome}"
        )
        self.notes_.append(Note("copying", text, len(found)))

    def _speaks_once(self, share: float) -> bool:
        """Whether dependent sources speak once, which sets a share of all claims aside."""
        if self.discount_copies == "auto":
            return share <= MAX_SET_ASIDE
        return bool(self.discount_copies)

    def _layout(self, matrix: ClaimMatrix) -> Layout:
        """Return the part of each claim, copies left out."""
        place = self._places(matrix)
        groups = np.where(place >= 0, self._groups[place], -1)
        return without_copies(matrix, lay_out(matrix), groups, self._prolific[place])

    def _scene(
        self, claims: Claims, known: KnownTruth | None = None, layout: Layout | None = None
    ) -> Scene:
        """Return claims as the passes see them, with the features in use."""
        matrix = claims.matrix
        row, source_of_row, self._features_of_row = rows_of(claims, self._feature_builder)
        offset, offset_unseen = _known_offsets(matrix, known)
        return Scene(
            matrix,
            self._layout(matrix) if layout is None else layout,
            row,
            source_of_row,
            offset,
            offset_unseen,
            None if known is None else known.statement,
            floor=0.0 if self.allow_adversaries else 1.0,
            threads=self.threads,
        )

    def _objective(
        self, scene: Scene, blocks: Sequence[Block], like: Objective | None = None
    ) -> Objective:
        """Return what is to be minimised; `like` is one of the same rows, all claims or not."""
        parts = [PARTS[block.form](scene, block) for block in blocks]
        return Objective(
            scene,
            parts,
            self._score,
            self._features_of_row,
            self._prolific,
            known_curvature=None if like is None else like.shared_curvature,
        )

    def _oriented(self, objective: Objective, found: Fit) -> Fit:
        """Start again from what known truth alone says of the sources; keep the likelier end.

        From the usual start a fit may climb to the mirror image, and a few known items among many
        cannot pull it back.
        """
        scene = objective.scene.about_known()
        if scene is None:
            return found
        told = self._objective(scene, [part.block for part in objective.parts])
        start = fit(told, self.max_iter, self.tol).x
        other = fit(objective, self.max_iter, self.tol, start)
        return other if other.objective > found.objective else found

    def _with_clusters(self, objective: Objective, found: Fit) -> tuple[Objective, Fit]:
        """Let wrong values cluster, where all items are open and that is the likelier."""
        blocks = [part.block for part in objective.parts]
        if not self._may_cluster(blocks):
            return objective, found
        with_clusters = self._objective(clustered(objective.scene), blocks)
        other = fit(with_clusters, self.max_iter, self.tol, found.x)
        return (with_clusters, other) if self._clusters(found, other) else (objective, found)

    @staticmethod
    def _may_cluster(blocks: Sequence[Block]) -> bool:
        return all(block.form == "coin" and not block.n_classes for block in blocks)

    def _clusters(self, found: Fit, other: Fit) -> bool:
        """Say whether a fit with wrong values that cluster is the likelier one."""
        better = other.objective > found.objective
        more = other.objective - found.objective
        text = (
            f"Wrong values {'cluster' if better else 'do not cluster'}: letting them changes the "
            f"log-likelihood by {more:+,.1f}."
        )
        self.notes_.append(Note("clusters", text))
        self._clustered = better
        return better

    def _with_features(
        self, claims: Claims, known: KnownTruth | None, objective: Objective, found: Fit
    ) -> tuple[Objective, Fit]:
        """Add features to the model, if there are any and they help."""
        if isinstance(self.features, str) and self.features == "never":
            return objective, found
        builder = self._empty_builder().fit(claims)
        used = self._consider(builder)
        if not used:
            return objective, found
        blocks = [part.block for part in objective.parts]
        tried: Objective | None = None
        if self.features == "auto":
            tried = self._that_helps(claims, known, blocks, builder, used, found.x)
            if tried is None:
                return objective, found
            scene = replace(tried.scene, layout=objective.scene.layout)
            self._use(builder)
        else:
            self._use(builder)
            scene = self._scene(claims, known)
        self._note_used(used)
        scene = clustered(scene) if self._clustered else scene
        objective = self._objective(scene, blocks, tried)
        return objective, fit(objective, self.max_iter, self.tol, objective.started_at(found.x))

    def _empty_builder(self) -> FeatureBuilder:
        return FeatureBuilder(
            "auto" if isinstance(self.features, str) else list(self.features),
            self.bins,
            scale="rank",
            max_value_share=MAX_VALUE_SHARE,
            statistics=STATISTICS,
        )

    def _consider(self, builder: FeatureBuilder) -> list[str]:
        """Keep what was chosen as features, and return the names of those that may be used."""
        self.feature_choices_ = builder.choices_
        self._note_left_out(builder, not isinstance(self.features, str))
        return [choice.name for choice in builder.choices_ if choice.used]

    def _use(self, builder: FeatureBuilder) -> None:
        self._feature_builder = builder
        self._score = self._empty_score(len(builder.column_names))

    def _that_helps(
        self,
        claims: Claims,
        known: KnownTruth | None,
        blocks: Sequence[Block],
        builder: FeatureBuilder,
        used: Sequence[str],
        start: Floats,
    ) -> Objective | None:
        """Hide some claims; return the model with features if that helps to foresee them."""
        visible, hidden = hide(claims.matrix, self._layout(claims.matrix), self.random_state)
        _, x, without = self._foresee(claims, known, blocks, visible, hidden, start)
        self._use(builder)
        tried, _, with_them = self._foresee(claims, known, blocks, visible, hidden, x)
        self._feature_builder, self._score = None, LinearScore(0)
        return tried if self._judge_gain(gain_of(with_them, without), used) else None

    def _judge_gain(self, gain: Gain, used: Sequence[str]) -> bool:
        """Say whether features help, by how much better they foresee held-out claims."""
        self.feature_gain_ = gain
        helps = gain.in_errors > ERRORS_WANTED
        text = (
            f"Features ({listing(used, 40)}) {'used' if helps else 'not used'}: with them, "
            f"{gain.n_claims:,} held-out claims are foreseen better by {gain.mean:.4f} in "
            f"log-probability, {gain.in_errors:.1f} standard errors; more than "
            f"{ERRORS_WANTED:g} are asked for."
        )
        self.notes_.append(Note("features", text))
        return helps

    def _foresee(
        self,
        claims: Claims,
        known: KnownTruth | None,
        blocks: Sequence[Block],
        visible: Layout,
        hidden: npt.NDArray[np.int64],
        start: Floats | None,
    ) -> tuple[Objective, Floats, Floats]:
        """Fit to the visible claims; return the model, and the log-probabilities of the hidden."""
        objective = self._objective(self._scene(claims, known, visible), blocks)
        begin = None if start is None else objective.started_at(start)
        x = fit(objective, self.max_iter, self.tol, begin).x
        return objective, x, objective.foresee(x, hidden)

    def _note_used(self, used: Sequence[str]) -> None:
        if self.features != "auto":  # which says so beside how much they help
            self.notes_.append(Note("features", f"Features used: {listing(used, 40)}."))

    def _note_left_out(self, builder: FeatureBuilder, named: bool) -> None:
        for choice in builder.choices_:
            if not choice.used and not named:
                text = f"Feature {choice.name!r} is left out: {choice.reason}."
                self.notes_.append(Note("features", text))

    def _empty_score(self, n_features: int) -> Score:
        if not isinstance(self._reliability, str):
            return NetworkScore(self._reliability)
        if self._reliability == "linear":
            return LinearScore(n_features)
        return NetworkScore(
            small_network(n_features, self.hidden_sizes, self.activation, self.random_state)
        )

    def _keep(self, objective: Objective, found: Fit, blocks: Sequence[Block]) -> None:
        """Keep what was learned."""
        nothing = np.empty(0)
        shapes = [
            FittedBlock(block, part.classes, part.sources, part.heavy, nothing)
            for block, part in zip(blocks, objective.parts, strict=True)
        ]
        self._keep_fit(objective, found, shapes)

    def _keep_fit(self, objective: Penalised, found: Fit, shapes: Sequence[FittedBlock]) -> None:
        (m, gamma), deviations, psi, *own = objective.cut(found.x)
        self._shared = np.array([m, gamma])
        self._deviations = deviations
        self._psi = psi
        self._blocks = [
            replace(shape, own=vector) for shape, vector in zip(shapes, own, strict=True)
        ]
        self.forms_ = {shape.block.name: shape.block.form for shape in shapes}
        self.history_ = found.history
        self.n_iter_, self.converged_ = len(found.history), found.converged

    def _report(self, claims: Claims, found: Fit) -> None:
        self._note_fit(found, claims.matrix.weight is not None, claims.matrix.n_claims)

    def _note_fit(self, found: Fit, has_weights: bool, n_claims: int) -> None:
        if not found.converged:
            self._note_unfinished(self.n_iter_, found.message)
        if has_weights:
            text = "Weights of claims are not used by this model."
            self.notes_.append(Note("weight", text, n_claims))

    # Judging

    def _judge(self, claims: Claims) -> Judgement:
        objective, x = self._applied(claims)
        return self._judgement(objective, x)

    def _judgement(self, objective: Objective, x: Floats) -> Judgement:
        matrix = objective.scene.matrix
        found = objective.judge(x, temper(matrix, self.correlation))
        return Judgement(self._mixed(matrix, found), score=found.score)

    def _mixed(self, matrix: ClaimMatrix, found: Found) -> Floats:
        """Return plausibilities: tempered posteriors, with the shares of claims mixed in."""
        by_itself = ~matrix.kind_is("single")[matrix.item_of_statement]
        mixed = mix_in_shares(matrix, found.posterior, claim_shares(matrix), by_itself)
        return np.asarray(np.clip(mixed, 0.0, 1.0))

    def _applied(self, claims: Claims) -> tuple[Objective, Floats]:
        """Return the fitted model on claims, seen or new: objective and parameters."""
        if self._at_hand is not None and self._at_hand[0] is claims:
            return self._at_hand[1:]
        matrix = claims.matrix
        place = self._places(matrix)
        scene = self._scene(claims)
        scene = clustered(scene) if self._clustered else scene
        blocks = same_forms(matrix, [fitted.block for fitted in self._blocks])
        known = {fitted.block.name: replace(fitted, lookup=place) for fitted in self._blocks}
        parts, own = [], []
        for block in blocks:
            fitted = known.get(block.name)
            if fitted is not None and fitted.block.form != block.form:
                fitted = None
            part = PARTS[block.form](scene, block, fitted)
            parts.append(part)
            own.append(np.zeros(part.size) if fitted is None else part.own_of(fitted))
        seen = place >= 0
        deviations = np.where(seen, self._deviations[place], 0.0)
        prolific = np.where(seen, self._prolific[place], 0.0)
        objective = Objective(scene, parts, self._score, self._features_of_row, prolific)
        return objective, np.concatenate([self._shared, deviations, self._psi, *own])

    def _places(self, matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
        return places_among(matrix.sources, self._source_ids)

    def _source_rates(self, claims: Claims, plausibility: Floats) -> SourceRates:
        return rates_with_intervals(*self._applied(claims))

    def _warnings(self, claims: Claims, verdict: Verdict) -> list[Note]:
        from veracity.models.one_coin import OneCoin

        matrix = claims.matrix
        others = [
            decide(matrix, judge_only(model, claims).plausibility, self.random_state)
            for model in (MajorityVote(), OneCoin(max_iter=50))
        ]
        objective, x = self._applied(claims)
        p = self.plausibility_[verdict.statement]
        believed = np.where(verdict.holds, p, 1.0 - p)
        decisions = Decisions.of(believed, verdict.tie, self.error_rate)
        right = objective.rates(x).right
        self._at_hand = None  # the last to ask; as large as the claims
        return [*guard_notes(matrix, verdict, others[0], others[1], right), decisions.note]

    # Judging claims in blocks

    def _to_judge(self) -> GRBM:
        other = copy(self)
        other._score = deepcopy(self._score)
        return other

    def _rates_in_blocks(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
        from veracity.models.categorical.blockwise_results import WitnessesInBlocks

        return rates_by(WitnessesInBlocks(self, judged, claims.n_sources))

    def _warnings_in_blocks(
        self, claims: ClaimsInBlocks, judged: Blocks[Judged], least: float
    ) -> list[Note]:
        from veracity.models.categorical.blockwise_results import guards_in_blocks

        notes = guards_in_blocks(self, claims, judged)
        return [*notes, note_decisions(judged, self.error_rate, least)]

    # What a user calls

    @property
    def feature_builder_(self) -> FeatureBuilder | None:
        """What makes the feature vectors of claims; None where no features are in use."""
        self._check_fitted("feature_builder_")
        return self._feature_builder

    def parameters(self, claims: Any) -> Table:
        """Return right, tpr, fpr and eta of each claim, in input order."""
        self._check_fitted("parameters")
        claims = Claims.of(claims)
        matrix = claims.matrix
        objective, x = self._applied(claims)
        rates = objective.rates(x)
        order = np.argsort(matrix.row, kind="stable")
        item, statement = matrix.item_of_claim[order], matrix.statement_index[order]
        eta = objective.eta(x)[0][objective.scene.row]
        numbers = {"eta": eta, "reliability": rates.right, "tpr": rates.tpr, "fpr": rates.fpr}
        return Table(
            "parameters",
            pa.table(
                {
                    "source": take_labels(matrix.sources, matrix.source_index[order]),
                    "entity": take_labels(matrix.entities, matrix.entity_index[item]),
                    "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
                    "value": take_labels(matrix.values, matrix.value_index[statement]),
                    "asserts": to_arrow(matrix.claim_value[order]),
                    **{name: to_arrow(column[order]) for name, column in numbers.items()},
                }
            ),
        )

    def reliability(self, claims: Any) -> Table:
        """Return how reliable sources are, seen before or not.

        Parameters
        ----------
        claims
            New claims, for reliability, tpr and fpr of each of their sources; or, where features
            are in use, a table of feature columns alone, for the reliability of a source with
            those features of which nothing else is known: eta, and the chance that it is right
            where two values are possible.
        """
        self._check_fitted("reliability")
        of_claims = is_table_of_claims(claims)
        if not of_claims and self._feature_builder is None:
            raise InvalidParameter(
                "This model uses no features, so it has nothing to say about features alone; see "
                "notes_ for why. Give claims, or fit with features='always' or a list of names."
            )
        if self._feature_builder is not None and not of_claims:
            vectors = self._feature_builder.vectors(arrow_table(claims))
            self._score.psi = self._psi
            eta = self._shared[0] + self._score.value(vectors)
            floor = 0.0 if self.allow_adversaries else 1.0
            odds = floor + np.exp(eta)
            columns = {"eta": to_arrow(eta), "reliability": to_arrow(odds / (odds + 1.0))}
            return Table("reliability", pa.table(columns))
        claims = Claims.of(claims)
        rates = self._source_rates(claims, self._judge(claims).plausibility)
        return explanation.reliability_table(claims.matrix, rates)

    def explainer(self, claims: Any) -> explanation.Explainer:
        """Return what explains one item of claims after the other, quickly."""
        self._check_fitted("explainer")
        claims = Claims.of(claims)
        objective, x = self._applied(claims)
        tempering = temper(claims.matrix, self.correlation)
        found = objective.judge(x, tempering)
        plausibility = self._mixed(claims.matrix, found)
        return CategoricalExplainer(claims, objective, x, found, tempering, plausibility)

    def score(self, claims: Any, y: None = None) -> float:
        """Return the exact mean log-likelihood per claim."""
        self._check_fitted("score")
        claims = Claims.of(claims)
        objective, x = self._applied(claims)
        return float(objective.evaluate(x)[2] / claims.matrix.n_claims)

    def held_out(self, claims: Any) -> Floats:
        """Return log-probabilities of claims that a fit of this form, features included, missed.

        A fifth of the claims are hidden, the model is fitted to the others, and what it expects of
        each hidden claim, given the visible ones about its item, is compared with what was said.
        The fitted model itself stays as it is.
        """
        self._check_fitted("held_out")
        claims = Claims.of(claims)
        matrix = claims.matrix
        before = self._prolific, self._score
        self._prolific = _prolific(matrix)
        if self._feature_builder is not None:
            self._score = self._empty_score(len(self._feature_builder.column_names))
        visible, hidden = hide(matrix, self._layout(matrix), self.random_state)
        blocks = same_forms(matrix, [fitted.block for fitted in self._blocks])
        *_, foreseen = self._foresee(claims, None, blocks, visible, hidden, None)
        self._prolific, self._score = before
        return foreseen

    # Keeping it

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        text, offsets = labels_to_arrays(self._source_ids)
        arrays: dict[str, npt.NDArray[Any]] = {
            "sources": text,
            "source_starts": offsets,
            "shared": self._shared,
            "deviations": self._deviations,
            "psi": self._psi,
            "prolific": self._prolific,
            "groups": self._groups,
        }
        blocks = []
        for number, fitted in enumerate(self._blocks):
            described, own = fitted.state()
            blocks.append(described)
            arrays |= {f"block.{number}.{name}": array for name, array in own.items()}
        builder = self._feature_builder
        return {
            "blocks": blocks,
            "clustered": self._clustered,
            "converged": self.converged_,
            "history": self.history_,
            "features": None if builder is None else builder.state(),
            "feature_choices": [choice.as_dict() for choice in self.feature_choices_],
            "feature_gain": None if self.feature_gain_ is None else asdict(self.feature_gain_),
            "dependence": self.dependence_.to_pylist(),
            "custom": not isinstance(self._reliability, str),
        }, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        if state["custom"]:
            if module is None:
                raise InputError(
                    "This model was fitted with a torch module of your own. Load it with a module "
                    "of the same make: veracity.load(folder, module=MyModule())."
                )
            self._reliability = module
        self._source_ids = arrays_to_labels(arrays["sources"], arrays["source_starts"])
        self._shared, self._psi = arrays["shared"], arrays["psi"]
        self._deviations, self._prolific = arrays["deviations"], arrays["prolific"]
        self._groups = arrays["groups"]
        self._blocks = [
            FittedBlock.of_state(
                described,
                {name: arrays[f"block.{number}.{name}"] for name in ("sources", "heavy", "own")},
            )
            for number, described in enumerate(state["blocks"])
        ]
        self.forms_ = {fitted.block.name: fitted.block.form for fitted in self._blocks}
        self._clustered, self.converged_ = state["clustered"], state["converged"]
        self.history_ = state["history"]
        self.n_iter_ = len(self.history_)
        self.dependence_ = dependence_table(state["dependence"])
        self.feature_choices_ = [FeatureChoice(**choice) for choice in state["feature_choices"]]
        gain = state["feature_gain"]
        self.feature_gain_ = None if gain is None else Gain(**gain)
        features = state["features"]
        self._feature_builder, self._score = None, LinearScore(0)
        if features is not None:
            self._use(FeatureBuilder.of_state(features))
        if len(self._score.psi) != len(self._psi):
            raise InputError(
                f"The saved weights are {len(self._psi):,} numbers, but the reliability function "
                f"has {len(self._score.psi):,}."
            )

    # Checks

    def _check_parameters(self) -> None:
        given = self._reliability
        known = isinstance(given, str) and given in RELIABILITIES
        module = hasattr(given, "parameters") and not isinstance(given, type)
        if not known and not module:
            raise InvalidParameter(
                f"reliability must be one of {listing(RELIABILITIES)} or a torch module. "
                f"Got {given!r} instead.{suggestion(str(given), RELIABILITIES)}"
            )
        if isinstance(self.features, str) and self.features not in FEATURE_WORDS:
            raise InvalidParameter(
                f"features must be one of {listing(FEATURE_WORDS)}, or a list of names. "
                f"Got {self.features!r} instead.{suggestion(self.features, FEATURE_WORDS)}"
            )
        if self.discount_copies not in (True, False, "auto"):
            raise InvalidParameter(
                f"discount_copies must be True, False or 'auto'. Got {self.discount_copies!r} "
                "instead."
            )
        if self.max_iter < 1:
            raise InvalidParameter(f"max_iter must be 1 or more. Got {self.max_iter!r} instead.")
        if not self.tol >= 0:
            raise InvalidParameter(f"tol must be 0 or more. Got {self.tol!r} instead.")
        check_error_rate(self.error_rate)
        if not 0 <= self.correlation <= 1:
            raise InvalidParameter(
                f"correlation must be from 0 to 1. Got {self.correlation!r} instead."
            )


def _prolific(matrix: ClaimMatrix) -> Floats:
    """Return the log of how much each source says, less its mean over claims; (n_sources,)."""
    return how_prolific(np.bincount(matrix.source_index, minlength=matrix.n_sources))


def how_prolific(count: npt.NDArray[np.int64]) -> Floats:
    size = np.log1p(count)
    return np.asarray(size - (count @ size) / count.sum())


def _known_offsets(matrix: ClaimMatrix, known: KnownTruth | None) -> tuple[Floats, Floats]:
    """Return -inf for what is known to be false: statements, and values that nobody claims."""
    offset, offset_unseen = np.zeros(matrix.n_statements), np.zeros(matrix.n_items)
    if known is not None:
        offset[known.statement == FALSE] = -np.inf
        offset_unseen[matrix.item_of_statement[known.statement == TRUE]] = -np.inf
    return offset, offset_unseen
