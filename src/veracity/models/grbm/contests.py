"""ContestModel: values contest an item, one hidden unit is the truth, features make reliability."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims, is_table_of_claims
from veracity.data.notes import Note
from veracity.data.output.decisions import check_error_rate
from veracity.data.output.results import SourceRates
from veracity.data.output.tables import Table
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.local import in_one_block
from veracity.errors import InvalidParameter, listing, suggestion
from veracity.features import FeatureBuilder
from veracity.features.thresholds import MAX_BINS
from veracity.models import explanation
from veracity.models.base import Judgement
from veracity.models.decisions import note_decisions
from veracity.models.dependence import (
    Dependence,
    dependence_table,
    find_dependence,
    note_dependence,
)
from veracity.models.grbm.attributes import same_forms
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.boltzmann import BoltzmannMachine
from veracity.models.grbm.class_prior import check_class_prior
from veracity.models.grbm.explanation import GRBMExplainer
from veracity.models.grbm.feature_trial import Trial
from veracity.models.grbm.fitted import FittedModel
from veracity.models.grbm.guards import guard_notes
from veracity.models.grbm.held_out import Gain, HeldOut
from veracity.models.grbm.intervals import ClaimsOfBlocks, rates_by_parts
from veracity.models.grbm.labels.labelled_items import LabelledItems, gather, without_labels
from veracity.models.grbm.labels.orientation import CONTRADICTION, NOTE_TURNED, oriented
from veracity.models.grbm.labels.stage import LabelStage
from veracity.models.grbm.memory import GRBMMemory
from veracity.models.grbm.model_spec import ClassPrior
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.evidence import Evidence
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.plausibility import plausibilities, tempered_parts
from veracity.models.grbm.reliability import (
    Linear,
    Network,
    ReliabilityFunction,
    feed_forward,
    silent_at_start,
)
from veracity.models.grbm.selection import (
    MAX_CLAIMS_TO_RESTART,
    CandidateFit,
    Choices,
    Learned,
    ModelSelection,
)
from veracity.models.grbm.speaking_norms import with_speaking_norms
from veracity.models.grbm.terms.base import check_column, feature_columns
from veracity.models.grbm.terms.domains import Domains, domain_table, reliability_by_domain
from veracity.models.grbm.terms.smooth import smooth_groups
from veracity.models.memory import Memory
from veracity.models.tables import Judged

RELIABILITIES = ("linear", "mlp")
FEATURE_WORDS = ("auto", "always", "never")


class ContestModel(BoltzmannMachine):
    """The GRBM of attributes whose truth is one or several of the values claimed; see `GRBM`."""

    reliability_by_domain_: Table | None
    dependence_: Table
    feature_trials_: list[Trial]

    def __init__(
        self,
        reliability: Any = "linear",
        *,
        features: Literal["auto", "always", "never"] | Sequence[str] = "auto",
        bins: int | None = MAX_BINS,
        hidden_sizes: Sequence[int] = (16,),
        activation: str = "tanh",
        allow_adversaries: bool = False,
        speaking: bool | Literal["auto"] = "auto",
        family: str | None = None,
        confidence: str = "auto",
        domain: str | None = None,
        smooth: str | Sequence[str] | Sequence[Sequence[str]] | None = None,
        class_prior: ClassPrior | None = None,
        max_iter: int = 80,
        tol: float = 1e-6,
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
        self.speaking = speaking
        self.family = family
        self.confidence = confidence
        self.domain = domain
        self.smooth = smooth
        self.class_prior = class_prior
        self.max_iter = max_iter
        self.tol = tol
        self.error_rate = error_rate
        self.threads = threads
        self.random_state = random_state

    # Fitting

    streams = True
    streams_labels = True
    uses_weights = True
    judges_statements = False
    #: The share of contested items whose answer the features in use change.
    _overturned: float | None = None
    _restarted: float | None = None
    #: What was learned from known truth, if any was given.
    _labels: LabelStage | None = None

    def _new_memory(self) -> Memory[Any]:
        return GRBMMemory()

    #: How the fit that is kept is found.
    _selection: ClassVar[type[ModelSelection]] = ModelSelection

    def _learn(self, claims: ClaimsInBlocks, threads: int | None) -> Objective:
        self._check_parameters()
        if self.family is not None:
            check_column(self.family, feature_columns(claims.blocks), "families")
        learned = self._selection(without_labels(claims), self._choices(threads)).run()
        kept = self._keep(learned, claims)
        self.reliability_by_domain_ = self._by_domain(kept.objective, self.fitted_model.x)
        self._dependence = find_dependence(claims)
        self.dependence_ = self._dependence.table(claims.sources)
        self.notes_ += note_dependence(self.dependence_)
        considered = learned.considered
        self.feature_choices_ = [] if considered is None else considered.choices_
        self.feature_trials_ = learned.trials
        self._overturned, self._restarted = learned.overturned, learned.restarted
        self.notes_ += learned.notes
        has_weights = "weight" in claims.columns.roles
        self._keep_fit(kept.found, has_weights, learned.n_claims)
        self.notes_ += self._notes_on_labels()
        return kept.objective

    def _keep(self, learned: Learned, claims: ClaimsInBlocks) -> CandidateFit:
        """Keep the fit, and learn from labels; return the fit, which these may have turned round.

        See `veracity.models.grbm.labels.orientation`.
        """
        kept = learned.kept
        uses_features = learned.builder is not None or bool(learned.terms)
        spec = replace(kept.spec, is_fitted=True, uses_features=uses_features)
        x = with_speaking_norms(kept.spec, kept.found.x)
        self.fitted_model = FittedModel(spec, x, claims.sources, learned.builder, learned.terms)
        labelled = self._learn_labels(claims)
        if labelled is None or self._labels is None:
            return kept
        is_small = learned.n_claims <= MAX_CLAIMS_TO_RESTART
        if not is_small and self._labels.against_fit <= CONTRADICTION:
            return kept
        again = oriented(kept, self.fitted_model, labelled, self.max_iter, self.tol)
        if again is None:
            return kept
        x = with_speaking_norms(again.spec, again.found.x)
        self.fitted_model = replace(self.fitted_model, x=x)
        self._learn_labels(claims)
        self.notes_.append(NOTE_TURNED)
        return again

    def _dependent_sources(self, claims: ClaimsInBlocks) -> Dependence:
        return self._dependence

    def _learn_labels(self, claims: ClaimsInBlocks) -> LabelledItems | None:
        """Learn from the known truth of claims; the fit without it stays as it is."""
        labelled = gather(claims, self.random_state)
        self._labels = None
        if labelled is not None:
            self._labels = LabelStage.of(labelled, self.fitted_model, self.random_state)
        return labelled

    def _notes_on_labels(self) -> list[Note]:
        return [] if self._labels is None else [self._labels.note]

    @property
    def model_in_use(self) -> FittedModel:
        """The fitted model, with parameters that labels have moved if there are any."""
        fitted, labels = self.fitted_model, self._labels
        return fitted if labels is None else labels.blended_model(fitted)

    def _by_domain(self, objective: Objective, x: Floats) -> Table | None:
        """Return the reliability of sources by domain; None without domains."""
        first = 0
        for term in self.fitted_model.terms:
            if isinstance(term, Domains):
                sources = self.fitted_model.sources
                return reliability_by_domain(objective.blocks, x, term, first, sources)
            first += len(term.names)
        return None

    def _choices(self, threads: int | None) -> Choices:
        return Choices(
            self.features,
            self.bins,
            self._reliability_function,
            self._floor,
            False if self._asks_for_columns else self.speaking,
            self.family,
            self.confidence,
            self.domain,
            smooth_groups(self.smooth),
            self.class_prior,
            self.max_iter,
            self.tol,
            self.random_state,
            threads,
        )

    @property
    def _asks_for_columns(self) -> bool:
        """Whether features, domains or smooth functions are to be used without a trial."""
        named = not isinstance(self.features, str) or self.features == "always"
        return named or self.domain is not None or self.smooth is not None

    @property
    def _floor(self) -> float:
        """The least e^u."""
        return 0.0 if self.allow_adversaries else 1.0

    def _reliability_function(self, n_features: int) -> ReliabilityFunction:
        """Return g of so many features."""
        if not isinstance(self._reliability, str):
            return Network(deepcopy(self._reliability))  # the user's own stays as it is
        if self._reliability == "linear":
            return Linear(n_features)
        module = feed_forward(n_features, self.hidden_sizes, self.activation, self.random_state)
        return Network(silent_at_start(module))

    @property
    def forms_(self) -> dict[str, str]:
        """How each attribute is judged."""
        self._check_fitted("forms_")
        return {own.name: own.form for own in self.fitted_model.spec.ranges}

    # Judging

    def _judgement(self, block: BlockObjective, own: ParameterVector) -> Judgement:
        if self._labels is None:
            shown = _plain(block, own)
        else:
            shown = self._labels.plausibilities(self.fitted_model, block)
        return Judgement(shown, hardness=-block.posterior(own).hardness)

    def _judge_block(self, block: ClaimBlock) -> Judgement:
        return self._judge(block.claims)  # labels change parameters, not scores

    def _judge_unaware(self, block: ClaimBlock) -> Floats:
        bound = self.fitted_model.bind_block(replace(block, known=None))
        if self._labels is None:
            return _plain(bound, bound.own(self.fitted_model.x))
        return self._labels.unaware(self.fitted_model, bound)

    @property
    def has_labels(self) -> bool:
        """Whether the model has learned from known truth."""
        return self._labels is not None

    def _judge_crossfitted(self, block: ClaimBlock) -> Judgement | None:
        if self._labels is None:
            return None
        bound = self.fitted_model.bind_block(replace(block, known=None))
        return Judgement(self._labels.crossfitted(self.fitted_model, bound))

    def _source_rates(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
        return rates_by_parts(ClaimsOfBlocks.of(self, judged, claims.n_sources))

    def _warnings(self, claims: ClaimsInBlocks, judged: Blocks[Judged], least: float) -> list[Note]:
        return [*self._guards(claims, judged), note_decisions(judged, self.error_rate, least)]

    def _guards(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> list[Note]:
        """Return what a user should know about contests of values before trusting the answer."""
        return guard_notes(self, claims, judged, self._overturned, self._restarted)

    # What a user calls

    def parameters(self, claims: Any) -> Table:
        """Return eta, reliability, tpr and fpr of each claim, in input order."""
        self._check_fitted("parameters")
        claims = Claims.of(claims)
        block, own = self._bind(claims)
        rates, eta = block.rates(own), block.eta(own)[0][block.data.row]
        numbers = {"eta": eta, "reliability": rates.right, "tpr": rates.tpr, "fpr": rates.fpr}
        return explanation.parameters_table(claims.matrix, numbers)

    def reliability(self, claims: Any) -> Table:
        """Return how reliable sources are, seen before or not.

        Parameters
        ----------
        claims
            New claims, for reliability, tpr and fpr of each of their sources; or, where features
            are in use, a table of feature columns alone, for the reliability of a source with
            those features of which nothing else is known: eta, and the chance that it is right
            where two values are possible. Stated confidence, domains, places and times are left
            out.
        """
        self._check_fitted("reliability")
        if not is_table_of_claims(claims):
            eta = self.fitted_model.parameters["m"] + self._value_of(claims)
            odds = self._floor + np.exp(eta)
            return explanation.rates_table({"eta": eta, "reliability": odds / (odds + 1.0)})
        claims = Claims.of(claims)
        return explanation.reliability_table(claims.matrix, _mean_rates(*self._bind(claims)))

    def explainer(self, claims: Any) -> explanation.Explainer:
        """Return an object that explains one item of claims after the other, quickly."""
        self._check_fitted("explainer")
        claims = Claims.of(claims)
        block, own = self._bind(claims)
        scores, weight = block.scores(own), block.data.weight
        evidence = Evidence(scores, tempered_parts(claims.matrix, scores, weight))
        labelled = None
        if self._labels is not None:
            labelled = self._labels.plausibilities(self.fitted_model, block)
        return GRBMExplainer(claims, block, own, _plain(block, own), evidence, labelled)

    def held_out(self, claims: Any) -> HeldOut:
        """Return log-probabilities of claims that a fit of this form, features included, missed.

        A fifth of the claims are hidden, the model is fitted to the others, and what it expects of
        each hidden claim, given the visible ones about its item, is compared with what was said.
        The fitted model itself stays as it is.
        """
        self._check_fitted("held_out")
        claims = Claims.of(claims)
        fitted, matrix = self.fitted_model, claims.matrix
        ranges = same_forms(matrix, fitted.spec.ranges)
        selection = self._selection(in_one_block(claims), self._choices(self.threads))
        (found,) = selection.heldout_log_prob(ranges, fitted.builder, fitted.terms)
        return found

    # Keeping it

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state, arrays = super()._state()
        own: dict[str, Any] = {
            "feature_trials": [asdict(trial) for trial in self.feature_trials_],
            "dependence": self.dependence_.to_pylist(),
        }
        if self.reliability_by_domain_ is not None:
            own["reliability_by_domain"] = self.reliability_by_domain_.to_pylist()
        if self._labels is not None:
            own["labels"], of_labels = self._labels.state()
            arrays = arrays | of_labels
        return state | own, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        labels = state.get("labels")
        self._labels = None if labels is None else LabelStage.of_state(labels, arrays)
        self.dependence_ = dependence_table(state["dependence"])
        by_domain = state.get("reliability_by_domain")
        self.reliability_by_domain_ = None if by_domain is None else domain_table(by_domain)
        self.feature_trials_ = [
            Trial(**(trial | {"names": tuple(trial["names"]), "gain": Gain(**trial["gain"])}))
            for trial in state["feature_trials"]
        ]

    def _function_of(self, builder: FeatureBuilder | None) -> ReliabilityFunction:
        if builder is None:
            return Linear(0)
        return self._reliability_function(len(builder.column_names))

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
        if not isinstance(self.confidence, str):
            raise InvalidParameter(
                "confidence must be 'auto', 'never' or the name of a feature column. "
                f"Got {self.confidence!r} instead."
            )
        if self.domain is not None and not isinstance(self.domain, str):
            raise InvalidParameter(
                f"domain must be the name of a feature column. Got {self.domain!r} instead."
            )
        if self.speaking not in (True, False, "auto"):
            raise InvalidParameter(
                f"speaking must be True, False or 'auto'. Got {self.speaking!r} instead."
            )
        if self.max_iter < 1:
            raise InvalidParameter(f"max_iter must be 1 or more. Got {self.max_iter!r} instead.")
        if not self.tol >= 0:
            raise InvalidParameter(f"tol must be 0 or more. Got {self.tol!r} instead.")
        check_class_prior(self.class_prior)
        check_error_rate(self.error_rate)


def _mean_rates(block: BlockObjective, own: ParameterVector) -> SourceRates:
    """Average the rates of each source's claims."""
    matrix, of_claims = block.data.matrix, block.rates(own)
    count = matrix.sum_by_source(np.ones(matrix.n_claims))
    by_claim = (of_claims.right, of_claims.tpr, of_claims.fpr)
    return SourceRates(*(matrix.sum_by_source(rate) / count for rate in by_claim))


def _plain(block: BlockObjective, own: ParameterVector) -> Floats:
    """Return plausibilities by parameters alone."""
    data = block.data
    return plausibilities(data.matrix, block.scores(own), data.weight, block.domain_size)
