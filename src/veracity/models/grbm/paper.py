"""The machine of the paper: one hidden unit, the truth of a statement, judged by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims, is_table_of_claims
from veracity.data.encode.denials import lay_out
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.output.results import SourceRates
from veracity.data.output.tables import Table
from veracity.data.read.frames import arrow_table
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Sums
from veracity.errors import InputError, InvalidParameter, listing, suggestion
from veracity.features import FeatureBuilder
from veracity.features.codes import Coded
from veracity.models import explanation
from veracity.models.base import Judgement
from veracity.models.explained import ExplainedModel
from veracity.models.grbm.expected_rates import RatesWanted, pair_of_rates, wanted_rates
from veracity.models.grbm.observation.free_binary import Units, summarise
from veracity.models.grbm.pretraining import pretrain
from veracity.models.grbm.theta import Rates, Theta, rates_of, sigmoid, theta_of
from veracity.models.grbm.theta_explanation import BinaryExplainer
from veracity.models.grbm.theta_functions import (
    Linear,
    Network,
    PerSource,
    ReliabilityFunction,
    WithSources,
    feed_forward,
)
from veracity.models.grbm.training import (
    BatchSettings,
    Fit,
    Objective,
    as_theta,
    fit_batches,
    fit_lbfgs,
)
from veracity.models.grbm.unit_blocks import UnitsInBlocks
from veracity.models.source_rates import plain_rates, rates_given_plausibility
from veracity.models.tables import Judged
from veracity.models.whole_table import needs_all_claims

RELIABILITIES = ("linear", "mlp", "per-source")


class BinaryGRBM(ExplainedModel):
    """The generalised restricted Boltzmann machine of Broelemann and Kasneci (2018).

    Every statement is a machine with one hidden unit, its truth, and one visible unit for each
    source that speaks about it. A unit's parameters theta = (a, w, b) come from a reliability
    function g of what is known about the claim, so that sources with similar features share what
    is learned, and a source never seen before has a reliability too. The plausibility of a
    statement with claims c_i is

        p = sigmoid(b_0 + sum b_i + sum w_i c_i)                                      eq. (10)

    and tpr_i = sigmoid(a_i + w_i), fpr_i = sigmoid(a_i), eq. (5). With one hidden unit the
    likelihood is exact and cheap; the paper's contrastive divergence is there too.

    Statements about one item are judged each by itself; a source that names a value of an item
    denies the values that it does not name. For items with one true value the most plausible is
    believed.

    Parameters
    ----------
    reliability
        g: ``"linear"``, ``"mlp"`` (a feed-forward network), ``"per-source"`` (no features: see
        `RBM`), or a ``torch.nn.Module`` of your own from features to three numbers.
    features
        Features to use: ``"auto"``, or a list of feature columns and statistics; see
        `FeatureBuilder`. An empty list falls back to ``"per-source"``.
    bins
        Numbers with more distinct values than this are binned; None for no bins.
    source_effects
        Add to g a deviation of each source, drawn to nothing by `penalty`: a source with many
        claims gets its own value, one with few or none what its features say. False is the
        paper's model, in which features are all.
    hidden_sizes, activation
        Of ``"mlp"``: tanh, relu, gelu or sigmoid.
    tie_hidden_bias
        Let b follow from a and w, as in the original RBM, which makes the plausibility a
        naive-Bayes posterior; False lets the very fact of speaking carry evidence, as in the paper.
    rates
        The rates g is pre-trained to; see `wanted_rates`. Optimistic by default.
    penalty, anchor
        How strongly psi, and theta of every claim, are drawn to where pre-training left them;
        `penalty` also draws b_0 to 0.
    objective
        ``"exact"`` likelihood, or ``"cd"``: contrastive divergence with `cd_steps` steps.
    optimizer
        ``"lbfgs"`` (exact only), ``"adam"`` or ``"sgd"``; by default lbfgs for exact, adam for cd.
    learning_rate, batch_size, patience
        Of adam and sgd: step, items per batch, and passes without progress before stopping early.
    max_iter, tol
        Iterations (of adam and sgd: passes over the data), and relative progress to go on for.
    truth
        ``"multiple"``: statements are judged each by itself.
    threads
        How many to use; None for all cores.
    random_state
        Seed of the network's start, of batches, of sampling and of ties.

    Attributes
    ----------
    global_hidden_bias_
        b_0.
    reliability_function_
        g as fitted.
    feature_choices_
        What was used as a feature and what was left out, and why.
    n_iter_, converged_
        Iterations done, and whether the fit came to its end.
    """

    def __init__(
        self,
        reliability: Any = "linear",
        *,
        features: Literal["auto"] | Sequence[str] = "auto",
        bins: int | None = 32,
        source_effects: bool = True,
        hidden_sizes: Sequence[int] = (16,),
        activation: str = "tanh",
        tie_hidden_bias: bool = True,
        rates: RatesWanted = "optimistic",
        penalty: float = 1.0,
        anchor: float = 0.0,
        objective: Literal["exact", "cd"] = "exact",
        cd_steps: int = 1,
        optimizer: Literal["lbfgs", "adam", "sgd"] | None = None,
        learning_rate: float = 0.05,
        batch_size: int = 256,
        patience: int = 5,
        max_iter: int = 100,
        tol: float = 1e-7,
        truth: Literal["multiple"] = "multiple",
        threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self._reliability = reliability
        self.features = features
        self.bins = bins
        self.source_effects = source_effects
        self.hidden_sizes = hidden_sizes
        self.activation = activation
        self.tie_hidden_bias = tie_hidden_bias
        self.rates = rates
        self.penalty = penalty
        self.anchor = anchor
        self.objective = objective
        self.cd_steps = cd_steps
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.truth = truth
        self.threads = threads
        self.random_state = random_state

    # Fitting

    _fitted_units: tuple[Units, Floats] | None

    uses_known_truth = True

    @property
    def is_sampled(self) -> bool:  # type: ignore[override]
        """Whether the fit draws at random: contrastive divergence does."""
        return self.objective == "cd"

    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        block = claims.blocks.only
        if block is None:
            self._fit_blocks(claims)
            return None
        self._fit_table(block.claims, block.known)
        return self._judge(block.claims)

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> None:
        self._check_parameters()
        self._fitted_units = None
        self._choose_function(claims)
        self._fitted_units = units, rows = self._units(claims)
        target = theta_of(self._row_rates(claims, units))
        self._n_features = len(rows.T)
        unseen = np.array([np.mean(column) for column in target])
        self.reliability_function_ = self._empty_function(claims.matrix.n_sources, unseen)
        pretrain(self.reliability_function_, rows, target, units.counts[:, 1])
        objective = Objective.at_start(
            units if known is None else replace(units, known=known.statement),
            rows,
            self.reliability_function_,
            tied=self.tie_hidden_bias,
            penalty=self.penalty,
            anchor=self.anchor,
            threads=self.threads,
        )
        matrix = claims.matrix
        self._take(self._optimise(objective), objective, matrix.weight is not None, matrix.n_claims)

    def _take(self, fit: Fit, objective: Objective, has_weights: bool, n_claims: int) -> None:
        """Keep what came of a fit."""
        self.global_hidden_bias_ = fit.global_hidden_bias
        self.history_ = fit.history
        self.n_iter_, self.converged_ = fit.n_iter, fit.converged
        self._report(fit, objective, has_weights, n_claims)

    def _optimise(self, objective: Objective) -> Fit:
        optimizer = self.optimizer or ("lbfgs" if self.objective == "exact" else "adam")
        if optimizer == "lbfgs":
            return fit_lbfgs(objective, 0.0, self.max_iter, self.tol)
        settings = BatchSettings(
            optimizer,
            self.learning_rate,
            self.batch_size,
            self.max_iter,
            self.tol,
            self.patience,
            self.random_state,
            self.cd_steps if self.objective == "cd" else None,
        )
        return fit_batches(objective, 0.0, settings)

    def _choose_function(self, claims: Claims) -> None:
        """Choose the features; fall back to one theta per source where there are none."""
        self._feature_builder: FeatureBuilder | None = None
        self._source_ids = claims.matrix.sources
        self.feature_choices_ = []
        if isinstance(self._reliability, str) and self._reliability == "per-source":
            return
        builder = FeatureBuilder(self.features, self.bins).fit(claims)
        self.feature_choices_ = builder.choices_
        used = [choice.name for choice in builder.choices_ if choice.used]
        left = [choice for choice in builder.choices_ if not choice.used]
        if used:
            self._feature_builder = builder
            self.notes_.append(Note("features", f"Features used: {listing(used, 40)}."))
        else:
            text = "No usable feature, so every source has a reliability of its own (as in RBM)."
            self.notes_.append(Note("features", text))
        for choice in left if self.features == "auto" else ():
            text = f"Feature {choice.name!r} is left out: {choice.reason}."
            self.notes_.append(Note("features", text))

    def _empty_function(self, n_sources: int, unseen: Floats) -> ReliabilityFunction:
        """Return g before it has learned anything."""
        if self._feature_builder is None:
            return PerSource(n_sources, unseen)
        if not self.source_effects:
            return self._function_of_features(self._n_features)
        return WithSources(self._function_of_features(self._n_features - 1), n_sources)

    def _function_of_features(self, n_features: int) -> ReliabilityFunction:
        if not isinstance(self._reliability, str):
            return Network(deepcopy(self._reliability))  # the user's own stays as it is
        if self._reliability == "linear":
            return Linear(n_features)
        return feed_forward(n_features, self.hidden_sizes, self.activation, self.random_state)

    def _units(self, claims: Claims) -> tuple[Units, Floats]:
        """Return claims as units of the machine, and the features of their rows."""
        if self._fitted_units is not None and claims is self.claims_:
            return self._fitted_units
        matrix = claims.matrix
        layout = lay_out(matrix)
        if self._feature_builder is None:
            index = self._known_sources(matrix)
            rows = np.arange(matrix.n_sources)
            return (
                Units.of(layout, matrix.source_index, matrix.n_sources),
                index[rows].astype(np.float64)[:, None],
            )
        further = [self._coded_sources(matrix)] if self.source_effects else []
        found = self._feature_builder.transform(claims, further)
        units = Units(
            layout, found.row_of_claim, found.state_of_statement, found.row_of, found.n_rows
        )
        return units, found.values

    def _coded_sources(self, matrix: ClaimMatrix) -> Coded:
        """Return the source as a feature: its fitted index."""
        index = self._known_sources(matrix).astype(np.float64)[:, None]
        return Coded(matrix.source_index.astype(np.int64), index, ("source",))

    def _known_sources(self, matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
        """Return the fitted index of each source of a matrix, -1 where it was not seen."""
        return places_among(matrix.sources, self._source_ids)

    def _row_rates(self, claims: Claims, units: Units) -> Rates:
        """Average the desired rates of the claims of each row."""
        wanted = wanted_rates(self.rates, claims)
        own = units.own_row
        count = np.bincount(own, minlength=units.n_rows)
        overall = [float(np.mean(rate)) for rate in wanted]
        return Rates(
            *(
                np.where(
                    count > 0,
                    np.bincount(own, rate, minlength=units.n_rows) / np.maximum(count, 1),
                    mean,
                )
                for rate, mean in zip(wanted, overall, strict=True)
            )
        )

    def _report(self, fit: Fit, objective: Objective, has_weights: bool, n_claims: int) -> None:
        if not fit.converged:
            self._note_unfinished(fit.n_iter, fit.message)
        rates = rates_of(objective.theta())
        weight = objective.units.counts[:, 1]
        upside_down = float(weight[rates.tpr < rates.fpr].sum() / weight.sum())
        self.orientation_ = "optimistic" if upside_down < 0.5 else "pessimistic"
        text = (
            f"Orientation: {self.orientation_}; {upside_down:.0%} of what is said comes from "
            "claims that are likelier when the statement is false."
        )
        self.notes_.append(Note("orientation", text))
        if has_weights:
            text = "Weights of claims are not used by this model."
            self.notes_.append(Note("weight", text, n_claims))

    # Fitting to claims in blocks, which `RBM` can

    def check_blocks(self) -> None:
        """Refuse what needs all claims at once."""
        if self._reliability != "per-source":
            raise needs_all_claims(self)
        given = self.rates
        if self.objective != "exact" or self.optimizer not in (None, "lbfgs"):
            raise InvalidParameter(
                "Contrastive divergence, adam and sgd need all claims in memory. Use "
                "objective='exact' with optimizer='lbfgs', or leave out the limit of memory."
            )
        if isinstance(given, Mapping) or callable(given):
            raise InvalidParameter(
                "Rates by column or function need all claims in memory. Give one tpr and fpr for "
                "all claims, or leave out the limit of memory."
            )

    def _fit_blocks(self, claims: ClaimsInBlocks) -> None:
        self._check_parameters()
        self._fitted_units, self._feature_builder = None, None
        self._source_ids, self.feature_choices_ = claims.sources, []
        units = UnitsInBlocks(claims)
        wanted = pair_of_rates(self.rates, claims.n_sources)
        target = theta_of(wanted)
        rows = np.arange(claims.n_sources, dtype=np.float64)[:, None]
        self._n_features = 1
        unseen = np.array([np.mean(column) for column in target])
        self.reliability_function_ = self._empty_function(claims.n_sources, unseen)
        pretrain(self.reliability_function_, rows, target, units.counts[:, 1])
        objective = Objective.at_start(
            units,
            rows,
            self.reliability_function_,
            tied=self.tie_hidden_bias,
            penalty=self.penalty,
            anchor=self.anchor,
            threads=self.threads,
        )
        n_claims = claims.blocks.total(_count_claims)["n_claims"]
        has_weights = "weight" in claims.columns.roles
        self._take(self._optimise(objective), objective, has_weights, n_claims)

    def _to_judge(self) -> BinaryGRBM:
        other = copy(self)
        other.reliability_function_ = copy(self.reliability_function_)
        return other

    def _source_rates(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
        if judged.only is not None:
            return self._rates_on(judged.only.block.claims, judged.only.plausibility)
        rows = np.arange(claims.n_sources, dtype=np.float64)[:, None]
        rates = rates_of(self._theta(rows))
        return SourceRates(plain_rates(claims, judged).reliability, rates.tpr, rates.fpr)

    # Judging

    def _theta(self, rows: Floats) -> Theta:
        return as_theta(self.reliability_function_.theta(rows), self.tie_hidden_bias)

    def _evidence(self, claims: Claims) -> Floats:
        """Return the log-odds of each statement."""
        units, rows = self._units(claims)
        _, evidence = summarise(units, self._theta(rows), self.global_hidden_bias_, self.threads)
        return evidence

    def _judge(self, claims: Claims) -> Judgement:
        evidence = self._evidence(claims)
        return Judgement(sigmoid(evidence), score=evidence)

    def _claim_rows(self, claims: Claims) -> tuple[Floats, npt.NDArray[np.int32]]:
        """Return feature rows, and the row of each claim about its own statement."""
        units, rows = self._units(claims)
        return rows, units.own_row

    def _rates_on(self, claims: Claims, plausibility: Floats) -> SourceRates:
        """Average tpr and fpr over a source's claims; reliability is the share expected right."""
        matrix = claims.matrix
        rows, own = self._claim_rows(claims)
        rates = rates_of(self._theta(rows))
        count = np.bincount(matrix.source_index, minlength=matrix.n_sources)
        tpr, fpr = (matrix.sum_by_source(rate[own]) / count for rate in rates)
        expected = rates_given_plausibility(matrix, plausibility)
        return SourceRates(expected.reliability, tpr, fpr)

    # What a user calls

    @property
    def feature_builder_(self) -> FeatureBuilder | None:
        """What makes the feature vectors of claims; None where no features are in use."""
        self._check_fitted("feature_builder_")
        return self._feature_builder

    def parameters(self, claims: Any) -> Table:
        """Return visible_bias, weight, hidden_bias, tpr and fpr of each claim, in input order."""
        self._check_fitted("parameters")
        claims = Claims.of(claims)
        rows, own = self._claim_rows(claims)
        return explanation.parameters_table(claims.matrix, self._theta(rows), own)

    def reliability(self, claims: Any) -> Table:
        """Return how reliable sources are, seen before or not.

        Parameters
        ----------
        claims
            New claims, for reliability, tpr and fpr of each of their sources; or a table of
            feature columns alone, for tpr and fpr of each of its rows.
        """
        self._check_fitted("reliability")
        if self._feature_builder is not None and not is_table_of_claims(claims):
            return explanation.rates_table(rates_of(self._theta(self._vectors(claims))))
        claims = Claims.of(claims)
        rates = self._rates_on(claims, self._judge(claims).plausibility)
        return explanation.reliability_table(claims.matrix, rates)

    def _vectors(self, features: Any) -> Floats:
        """Return feature rows of sources that are not known."""
        assert self._feature_builder is not None
        vectors = self._feature_builder.vectors(arrow_table(features))
        if self.source_effects:
            vectors = np.hstack([vectors, np.full((len(vectors), 1), -1.0)])
        return vectors

    def score(self, claims: Any, y: None = None) -> float:
        """Return the exact mean log-likelihood per claim."""
        self._check_fitted("score")
        claims = Claims.of(claims)
        units, rows = self._units(claims)
        summary, _ = summarise(units, self._theta(rows), self.global_hidden_bias_, self.threads)
        return float(summary.log_likelihood / claims.matrix.n_claims)

    def explainer(self, claims: Any) -> explanation.Explainer:
        """Return what explains one item of claims after the other, quickly."""
        self._check_fitted("explainer")
        claims = Claims.of(claims)
        units, rows = self._units(claims)
        theta, b0 = self._theta(rows), self.global_hidden_bias_
        _, evidence = summarise(units, theta, b0, self.threads)
        return BinaryExplainer(claims, sigmoid(evidence), units, theta, b0)

    # Keeping it

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        text, offsets = labels_to_arrays(self._source_ids)
        arrays: dict[str, npt.NDArray[Any]] = {
            "psi": self.reliability_function_.psi,
            "sources": text,
            "source_starts": offsets,
        }
        if isinstance(self.reliability_function_, PerSource):
            arrays["unseen"] = self.reliability_function_.unseen
        builder = self._feature_builder
        return {
            "global_hidden_bias": self.global_hidden_bias_,
            "orientation": self.orientation_,
            "converged": self.converged_,
            "history": self.history_,
            "features": None if builder is None else builder.state(),
            "n_features": self._n_features,
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
        self.global_hidden_bias_ = float(state["global_hidden_bias"])
        self.orientation_, self.converged_ = state["orientation"], state["converged"]
        self.history_ = state["history"]
        self.n_iter_ = len(self.history_)
        self._source_ids = arrays_to_labels(arrays["sources"], arrays["source_starts"])
        features = state["features"]
        self._feature_builder = None if features is None else FeatureBuilder.of_state(features)
        self.feature_choices_ = (
            [] if self._feature_builder is None else self._feature_builder.choices_
        )
        self._n_features = state["n_features"]
        self._fitted_units = None
        self.reliability_function_ = self._empty_function(
            len(self._source_ids), arrays.get("unseen", np.zeros(3))
        )
        if len(arrays["psi"]) != len(self.reliability_function_.psi):
            raise InputError(
                f"The saved weights are {len(arrays['psi']):,} numbers, but the reliability "
                f"function has {len(self.reliability_function_.psi):,}."
            )
        self.reliability_function_.psi = arrays["psi"]

    # Checks

    def _check_parameters(self) -> None:
        if self.truth != "multiple":
            raise InvalidParameter(f"truth must be 'multiple'. Got {self.truth!r} instead.")
        given = self._reliability
        known = isinstance(given, str) and given in RELIABILITIES
        module = hasattr(given, "parameters") and not isinstance(given, type)
        if not known and not module:
            raise InvalidParameter(
                f"reliability must be one of {listing(RELIABILITIES)} or a torch module. "
                f"Got {given!r} instead.{suggestion(str(given), RELIABILITIES)}"
            )
        if isinstance(self.features, str) and self.features != "auto":
            raise InvalidParameter(
                f"features must be 'auto' or a list of names. Got {self.features!r} instead."
            )
        if self.objective not in ("exact", "cd"):
            raise InvalidParameter(f"objective must be exact or cd. Got {self.objective!r}.")
        if self.optimizer not in (None, "lbfgs", "adam", "sgd"):
            raise InvalidParameter(
                f"optimizer must be lbfgs, adam or sgd. Got {self.optimizer!r} instead."
            )
        if self.objective == "cd" and self.optimizer == "lbfgs":
            raise InvalidParameter(
                "L-BFGS needs the exact objective: contrastive divergence is sampled. "
                "Use optimizer='adam' or 'sgd'."
            )
        for name in ("cd_steps", "batch_size", "patience", "max_iter"):
            if getattr(self, name) < 1:
                raise InvalidParameter(f"{name} must be 1 or more. Got {getattr(self, name)!r}.")
        for name in ("penalty", "anchor", "tol"):
            if not getattr(self, name) >= 0:
                raise InvalidParameter(f"{name} must be 0 or more. Got {getattr(self, name)!r}.")
        if not self.learning_rate > 0:
            raise InvalidParameter(f"learning_rate must be positive. Got {self.learning_rate!r}.")


class RBM(BinaryGRBM):
    """The restricted Boltzmann machine with three parameters for each source.

    `BinaryGRBM` whose g looks the source up (Broelemann, Gottron and Kasneci, 2017, 2018). A
    source that was not seen in the fit has the rates of pre-training.

    The parameters are those of `BinaryGRBM`, without those of features and networks.
    """

    def __init__(
        self,
        *,
        tie_hidden_bias: bool = True,
        rates: RatesWanted = "optimistic",
        penalty: float = 1.0,
        anchor: float = 0.0,
        objective: Literal["exact", "cd"] = "exact",
        cd_steps: int = 1,
        optimizer: Literal["lbfgs", "adam", "sgd"] | None = None,
        learning_rate: float = 0.05,
        batch_size: int = 256,
        patience: int = 5,
        max_iter: int = 100,
        tol: float = 1e-7,
        truth: Literal["multiple"] = "multiple",
        threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        super().__init__(
            "per-source",
            tie_hidden_bias=tie_hidden_bias,
            rates=rates,
            penalty=penalty,
            anchor=anchor,
            objective=objective,
            cd_steps=cd_steps,
            optimizer=optimizer,
            learning_rate=learning_rate,
            batch_size=batch_size,
            patience=patience,
            max_iter=max_iter,
            tol=tol,
            truth=truth,
            threads=threads,
            random_state=random_state,
        )


def _count_claims(block: ClaimBlock) -> Sums:
    return {"n_claims": block.matrix.n_claims}


def paper() -> BinaryGRBM:
    """Return the machine as in the paper: features alone, contrastive divergence, free biases."""
    return BinaryGRBM(source_effects=False, tie_hidden_bias=False, objective="cd", cd_steps=1)
