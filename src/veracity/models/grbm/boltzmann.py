"""BoltzmannMachine: what the GRBM and the paper's machine have in common once they are fitted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.data.read.frames import arrow_table
from veracity.data.rules.table import Rules
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InputError, InvalidParameter
from veracity.features import FeatureBuilder
from veracity.features.builder import STATISTICS, FeatureChoice
from veracity.models.base import Judgement
from veracity.models.explained import ExplainedModel
from veracity.models.grbm.fitted import Bound, FittedModel
from veracity.models.grbm.fitting import Fit
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.reliability import ReliabilityFunction


class BoltzmannMachine(ExplainedModel):
    """Base of models with one hidden unit, the truth, whose parameters come from features.

    Attributes
    ----------
    fitted_model
        The parameters, and what they belong to.
    feature_choices_
        The features considered: used or not, and why.
    n_iter_, converged_
        Iterations done, and whether the fit converged.
    """

    uses_known_truth = True
    judges_statements = True

    fitted_model: FittedModel
    feature_choices_: list[FeatureChoice]
    n_iter_: int
    converged_: bool
    features: str | Sequence[str]
    #: The statistics of claims that are looked at without being named.
    statistics: Sequence[str] = STATISTICS
    #: Whether claims count by their weights.
    uses_weights = False
    threads: int | None
    _reliability: Any
    #: While a fit is being reported: its claims, and the model of them.
    _last_bound: tuple[Claims, Bound] | None = None
    #: Whether the claims that the model is applied to are kept in the same way.
    _keeps_bound = False

    @abstractmethod
    def _learn(self, claims: ClaimsInBlocks, threads: int | None) -> Objective:
        """Learn from claims, so many threads to a block; return the objective that was fitted."""

    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        self._last_bound = None
        whole = claims.blocks.only
        if whole is None:
            self._learn(claims, None)
            return None
        block = self._learn(claims, self.threads).blocks.only
        assert block is not None
        self._last_bound = whole.claims, (block, block.own(self.model_in_use.x))
        return self._judge(whole.claims)

    @property
    def model_in_use(self) -> FittedModel:
        """The fitted model by which claims are judged and sources are rated."""
        return self.fitted_model

    def _fit_all(
        self, claims: Claims | ClaimsInBlocks, known_truth: Any = None, rules: Rules | None = None
    ) -> Self:
        try:
            return super()._fit_all(claims, known_truth, rules)
        finally:
            self._last_bound = None  # as large as the claims

    @abstractmethod
    def _judgement(self, *bound: Any) -> Judgement:
        """Judge the claims that the model was applied to."""

    @abstractmethod
    def _function_of(self, builder: FeatureBuilder | None) -> ReliabilityFunction:
        """Return g of the features that a builder makes, before anything is learned."""

    @property
    @abstractmethod
    def _floor(self) -> float:
        """The least e^u."""

    def check_blocks(self) -> None:
        """Refuse features that need all claims at once."""
        if self._counts_sources:
            raise InvalidParameter(
                "The feature 'claims of source' needs all claims in memory. Leave it out, or drop "
                "the memory limit."
            )

    def check_stream(self) -> None:
        """Refuse features and functions of them that a stream cannot keep."""
        super().check_stream()
        if self._counts_sources:
            raise InvalidParameter(
                "The feature 'claims of source' changes with each new claim of a source. Leave it "
                "out, or fit to all claims."
            )
        if not isinstance(self._reliability, str):
            raise InvalidParameter(
                "A torch module of your own cannot learn from a stream, since its start is not "
                "kept. Use reliability='linear' or 'mlp', or fit to all claims."
            )

    @property
    def _counts_sources(self) -> bool:
        looked_at = self.statistics if isinstance(self.features, str) else self.features
        return "claims of source" in looked_at

    def _value_of(self, features: Any) -> Floats:
        """Return g of a table of feature columns alone."""
        fitted = self.fitted_model
        if fitted.builder is None:
            raise InvalidParameter(
                "This model uses no features, so it cannot judge a source by its features alone; "
                "see notes_ for the reason. Give claims, or fit with features."
            )
        vectors = fitted.builder.vectors(arrow_table(features))
        return fitted.spec.reliability.vjp(fitted.parameters["psi"], vectors)[0]

    @property
    def feature_builder_(self) -> FeatureBuilder | None:
        """Builds the feature vectors of claims; None where no features are in use."""
        self._check_fitted("feature_builder_")
        return self.fitted_model.builder

    def score(self, claims: Any, y: None = None) -> float:
        """Return the exact mean log-likelihood per claim."""
        self._check_fitted("score")
        claims = Claims.of(claims)
        block, own = self._bind(claims)
        return float(block.log_likelihood(own)[0] / claims.matrix.n_claims)

    def _bind(self, claims: Claims, known: KnownTruth | None = None) -> Bound:
        """Apply the fitted model to claims, seen or new."""
        if self._last_bound is not None and self._last_bound[0] is claims:
            bound = self._last_bound[1]
            if known is None or bound[0].data.known is not None:
                return bound
        bound = self.model_in_use.bind(claims, known)
        if self._keeps_bound:
            self._last_bound = claims, bound
        return bound

    def copied(self) -> Self:
        """Return a copy to judge and to rate claims by, which is applied to them but once."""
        model = super().copied()
        model._keeps_bound = True
        return model

    def _judge(self, claims: Claims) -> Judgement:
        return self._judgement(*self._bind(claims))

    def _judge_block(self, block: ClaimBlock) -> Judgement:
        return self._judgement(*self._bind(block.claims, block.known))

    def _judge_unaware(self, block: ClaimBlock) -> Floats:
        # Not `_bind`, which has the block of the fit with what is known of it.
        return self._judgement(*self.fitted_model.bind(block.claims)).plausibility

    def _keep_fit(self, found: Fit, has_weights: bool, n_claims: int) -> None:
        """Keep the record of a fit, and note what a user should know about it."""
        self.history_ = found.history
        self.n_iter_, self.converged_ = len(found.history), found.converged
        if has_weights and not self.uses_weights:
            text = "This model ignores the weights of claims."
            self.notes_.append(Note("weight", text, n_claims))

    # Saving

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        fitted, arrays = self.fitted_model.state()
        return {
            **fitted,
            "converged": self.converged_,
            "history": self.history_,
            "feature_choices": [choice.as_dict() for choice in self.feature_choices_],
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
                    "of the same architecture: veracity.load(folder, module=MyModule())."
                )
            self._reliability = module
        features = state["features"]
        builder = None if features is None else FeatureBuilder.of_state(features)
        function = self._function_of(builder)
        self.fitted_model = FittedModel.of_state(state, arrays, function, self._floor)
        self.converged_, self.history_ = state["converged"], state["history"]
        self.n_iter_ = len(self.history_)
        self.feature_choices_ = [FeatureChoice(**choice) for choice in state["feature_choices"]]
