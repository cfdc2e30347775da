"""GRBM: the hidden unit is the true value, and reliabilities come from features."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import asdict, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.claims import Claims, is_table_of_claims
from veracity.data.encode.denials import Layout, lay_out
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.output.decisions import Decisions, check_error_rate
from veracity.data.output.results import SourceRates, Verdict, decide
from veracity.data.output.tables import Table
from veracity.data.read.frames import arrow_table
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.local import in_one_block
from veracity.errors import InputError, InvalidParameter, listing, suggestion
from veracity.features import FeatureBuilder
from veracity.features.builder import FeatureChoice
from veracity.models import explanation
from veracity.models.base import Judgement, judge_only
from veracity.models.baselines.majority_vote import MajorityVote
from veracity.models.explained import ExplainedModel
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.block_data import Found, Scene
from veracity.models.grbm.block_objective import Piece
from veracity.models.grbm.clustering import clustered
from veracity.models.grbm.dependence import dependence_table, without_copies
from veracity.models.grbm.explanation import CategoricalExplainer
from veracity.models.grbm.forms import same_forms
from veracity.models.grbm.guards import guard_notes
from veracity.models.grbm.held_out import Gain
from veracity.models.grbm.intervals import rates_by, rates_with_intervals
from veracity.models.grbm.memory import GRBMMemory
from veracity.models.grbm.objective import Fit, Objective
from veracity.models.grbm.observation.registry import PARTS
from veracity.models.grbm.paper import BinaryGRBM, paper
from veracity.models.grbm.prepared_block import known_offsets
from veracity.models.grbm.rows import rows_of
from veracity.models.grbm.scores import LinearScore, NetworkScore, Score, small_network
from veracity.models.grbm.selection import Choices, Flow, Step
from veracity.models.grbm.tempering import claim_shares, mix_in_shares, temper
from veracity.models.tables import Judged, note_decisions

RELIABILITIES = ("linear", "mlp")
FEATURE_WORDS = ("auto", "always", "never")


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
        Iterations of a fit at most, and relative progress to go on for. With a hundred parameters
        or fewer, the fit that is kept goes on until none moves by more than ten times `tol`.
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
        step = self._learn(in_one_block(claims, known), self.threads)
        (objective,) = step.objective.pieces.results(_objective_of)
        self._at_hand = claims, objective, step.found.x
        return self._judgement(objective, step.found.x)

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
        self._learn(claims, None)

    #: How it learns.
    _flow: ClassVar[type[Flow]] = Flow

    def _learn(self, claims: ClaimsInBlocks, threads: int | None) -> Step:
        """Learn from claims, so many threads to a block; return the fit that was kept."""
        self._check_parameters()
        learned = self._flow(claims, self._choices(threads)).run()
        self._source_ids = claims.sources
        self._prolific, self._groups = learned.survey.prolific, learned.dependents.groups
        self.dependence_ = learned.dependents.table
        considered = learned.considered
        self.feature_choices_ = [] if considered is None else considered.choices_
        self.feature_gain_ = learned.gain
        self._feature_builder = learned.builder
        self.notes_ += learned.notes
        self._keep_fit(learned.step)
        has_weights = "weight" in claims.columns.roles
        self._note_fit(learned.step.found, has_weights, int(learned.survey.n_claims.sum()))
        return learned.step

    def _choices(self, threads: int | None) -> Choices:
        return Choices(
            self.features,
            self.bins,
            self._empty_score,
            self._floor,
            self.discount_copies,
            self.max_iter,
            self.tol,
            self.random_state,
            threads,
        )

    @property
    def _floor(self) -> float:
        """The least e^u."""
        return 0.0 if self.allow_adversaries else 1.0

    def _empty_score(self, n_features: int) -> Score:
        if not isinstance(self._reliability, str):
            return NetworkScore(self._reliability)
        if self._reliability == "linear":
            return LinearScore(n_features)
        return NetworkScore(
            small_network(n_features, self.hidden_sizes, self.activation, self.random_state)
        )

    def _use(self, builder: FeatureBuilder) -> None:
        self._feature_builder = builder
        self._score = self._empty_score(len(builder.column_names))

    def _keep_fit(self, step: Step) -> None:
        """Keep what was learned."""
        shapes, found = step.plan.shapes, step.found
        (m, gamma), deviations, psi, *own = step.objective.cut(found.x)
        self._shared = np.array([m, gamma])
        self._deviations = deviations
        self._score, self._psi = step.plan.score, psi
        self._clustered = step.plan.clustered
        self._blocks = [
            replace(shape, own=vector) for shape, vector in zip(shapes, own, strict=True)
        ]
        self.forms_ = {shape.block.name: shape.block.form for shape in shapes}
        self.history_ = found.history
        self.n_iter_, self.converged_ = len(found.history), found.converged

    def _note_fit(self, found: Fit, has_weights: bool, n_claims: int) -> None:
        if not found.converged:
            self._note_unfinished(self.n_iter_, found.message)
        if has_weights:
            text = "Weights of claims are not used by this model."
            self.notes_.append(Note("weight", text, n_claims))

    # Judging

    def _layout(self, matrix: ClaimMatrix) -> Layout:
        """Return the part of each claim, copies left out."""
        prolific = self._prolific[self._places(matrix)]
        return without_copies(matrix, lay_out(matrix), self._groups_of(matrix), prolific)

    def _groups_of(self, matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
        """Return the group of dependent sources that each source is in, or -1."""
        place = self._places(matrix)
        return np.where(place >= 0, self._groups[place], -1)

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

    def _applied(self, claims: Claims, known: KnownTruth | None = None) -> tuple[Objective, Floats]:
        """Return the fitted model on claims, seen or new: objective and parameters."""
        if self._at_hand is not None and self._at_hand[0] is claims:
            return self._at_hand[1:]
        matrix = claims.matrix
        place = self._places(matrix)
        rows = rows_of(claims, self._feature_builder)
        scene = Scene(
            matrix,
            self._layout(matrix),
            rows.row,
            rows.source,
            *known_offsets(matrix, known),
            None if known is None else known.statement,
            floor=self._floor,
            threads=self.threads,
        )
        scene = clustered(scene) if self._clustered else scene
        blocks = same_forms(matrix, [fitted.block for fitted in self._blocks])
        before = {fitted.block.name: replace(fitted, lookup=place) for fitted in self._blocks}
        parts, own = [], []
        for block in blocks:
            fitted = before.get(block.name)
            if fitted is not None and fitted.block.form != block.form:
                fitted = None
            part = PARTS[block.form](scene, block, fitted)
            parts.append(part)
            own.append(np.zeros(part.size) if fitted is None else part.own_of(fitted))
        seen = place >= 0
        deviations = np.where(seen, self._deviations[place], 0.0)
        prolific = np.where(seen, self._prolific[place], 0.0)
        objective = Objective(scene, parts, self._score, rows.features, prolific)
        return objective, np.concatenate([self._shared, deviations, self._psi, *own])

    def _places(self, matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
        return places_among(matrix.sources, self._source_ids)

    def _source_rates(self, claims: Claims, plausibility: Floats) -> SourceRates:
        return rates_with_intervals(*self._applied(claims))

    def _warnings(self, claims: Claims, verdict: Verdict) -> list[Note]:
        from veracity.models.crowd.one_coin import OneCoin

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
        from veracity.models.grbm.block_results import WitnessesInBlocks

        return rates_by(WitnessesInBlocks(self, judged, claims.n_sources))

    def _warnings_in_blocks(
        self, claims: ClaimsInBlocks, judged: Blocks[Judged], least: float
    ) -> list[Note]:
        from veracity.models.grbm.block_results import guards_in_blocks

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
            odds = self._floor + np.exp(eta)
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
        forms = same_forms(claims.matrix, [fitted.block for fitted in self._blocks])
        flow = self._flow(in_one_block(claims), self._choices(self.threads))
        groups = self._groups_of(claims.matrix)
        (foreseen,) = flow.foresee(forms, groups, self._feature_builder)
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


def _objective_of(piece: Piece) -> Objective:
    return piece.objective
