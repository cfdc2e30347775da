"""The machine of the paper: one hidden unit, the truth of a statement, judged by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims, is_table_of_claims
from veracity.data.notes import Note, plural
from veracity.data.output.results import SourceRates
from veracity.data.output.tables import Table
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.local import in_one_block
from veracity.engines.sums import Scattered, Sums
from veracity.errors import InvalidParameter, listing
from veracity.features import FeatureBuilder
from veracity.features.builder import STATISTICS
from veracity.features.columns import Scale
from veracity.features.thresholds import MAX_BINS
from veracity.models import explanation
from veracity.models.base import Judgement
from veracity.models.convergence import note_unfinished
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange
from veracity.models.grbm.binary_memory import BinaryMemory
from veracity.models.grbm.block_data import add_features, prepare_block
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.boltzmann import BoltzmannMachine
from veracity.models.grbm.contrastive_divergence import (
    BatchSettings,
    binary_machine,
    fit_batches,
)
from veracity.models.grbm.expected_rates import RatesWanted
from veracity.models.grbm.explanation import GRBMExplainer
from veracity.models.grbm.fitted import FittedModel
from veracity.models.grbm.fitting import Fit, fit
from veracity.models.grbm.model_spec import N_THETA, THETA, ModelSpec
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.evidence import Evidence
from veracity.models.grbm.paper_checks import check_parameters
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.pretraining import (
    pretrain_constant,
    pretrain_function,
    pretrain_sources,
    target_theta,
)
from veracity.models.grbm.reliability import (
    Linear,
    Network,
    Recurrent,
    ReliabilityFunction,
    feed_forward,
    silent_at_start,
)
from veracity.models.grbm.sequence_batches import SequenceBatchFit
from veracity.models.grbm.sequences import SequenceKind, count_ties, no_time
from veracity.models.grbm.theta import rates_of, sigmoid, theta_from
from veracity.models.source_rates import plain_rates
from veracity.models.tables import Judged, judge_blocks, sent

#: Says that a fit may be the mirror image of the truth.
NOTE_MIRROR = Note(
    "trust",
    "By this fit, most claims come from sources that are more often wrong than right: it may be "
    "the mirror image of the truth. Give the truth of some items, which settles it.",
    short="the fit may be the mirror image of the truth",
)
#: The statistics that "auto" leaves out for a recurrent function, by what it reads: those that
#: depend on who speaks about the item later, or on what is said there.
DEPEND_ON_LATER = {
    "item": (
        "sources of item",
        "values of item",
        "order in item",
        "age in item",
        "claims after in item",
    ),
    "source": ("values of item",),
}


class BinaryGRBM(BoltzmannMachine):
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
        g: ``"linear"``, ``"mlp"`` (a feed-forward network), ``"gru"`` (a recurrent network, which
        also reads what came before; needs a time column), ``"per-source"`` (no features: see
        `RBM`), or a ``torch.nn.Module`` of your own from features to three numbers.
    sequence
        Of ``"gru"``: whose earlier claims it reads, those about the same ``"item"`` or those of the
        same ``"source"``. A sequence begins with the claims that are given: a source has no past
        but in the same table.
    features
        Features to use: ``"auto"``, or a list of feature columns and statistics; see
        `FeatureBuilder`. An empty list falls back to ``"per-source"``, but for ``"gru"``.
    statistics
        The statistics of claims that ``"auto"`` looks at, beside feature columns.
    bins, scale
        Numbers with more distinct values than `bins` are binned; None for no bins. `scale` is
        ``"spread"``, ``"standard"`` or ``"rank"``; see `FeatureBuilder`.
    source_effects
        Add to g a deviation of each source, drawn to nothing by `penalty`: a source with many
        claims gets its own value, one with few or none what its features say. False is the
        paper's model, in which features are all.
    hidden_sizes, activation
        Of ``"mlp"`` and ``"gru"``: tanh, relu, gelu or sigmoid. The first size is also that of the
        state of ``"gru"``.
    weights
        ``"free"``, or ``"nonnegative"``: w is the softplus of what g returns, so that nobody is
        below chance and the hidden unit cannot come to mean something else than truth.
    one_hot
        Make two statements of a yes/no item, as the paper's one-hot encoding does: who says no
        claims the one and denies the other. Else it is one statement, which is claimed or denied.
    tie_hidden_bias
        Let b follow from a and w, as in the original RBM, which makes the plausibility a
        naive-Bayes posterior; False lets the very fact of speaking carry evidence, as in the paper.
    rates
        The rates g is pre-trained to; see `wanted_rates`. Optimistic by default.
    pretraining
        Of ``"mlp"``: ``"fitted"`` to the rates by least squares, or ``"constant"``: the last layer
        is 0 but for its bias, which gives all claims the same rates, exactly.
    penalty, anchor
        How strongly psi, and theta of every claim, are drawn to where pre-training left them;
        `penalty` also draws b_0 to 0.
    objective
        ``"exact"`` likelihood, or ``"cd"``: contrastive divergence with `cd_steps` steps.
    optimizer
        ``"lbfgs"`` (exact only), ``"adam"`` or ``"sgd"``; by default lbfgs for exact, adam for cd.
    learning_rate, decay
        Of adam and sgd: the step, which is divided by 1 + `decay` t in pass t, counted from 0. A
        batch of items takes the mean gradient of an item; one of statements, the mean per source
        that speaks about a statement.
    batch_size, batch_by
        Of adam and sgd: how many in a batch, and of what, ``"item"`` or ``"statement"``; with
        ``sequence="source"`` a batch is made of sources.
    average
        Of adam and sgd: the share of the passes, the last ones, over which the parameters are
        averaged. Then all `max_iter` passes are made; 0 for none.
    patience
        Of adam and sgd: passes without progress before stopping early.
    max_iter, tol
        Iterations (of adam and sgd: passes over the data), and relative improvement below which
        the fit stops.
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
    orientation_
        Whether most of what is said is likelier when true (optimistic) or when false.
    feature_choices_
        What was used as a feature and what was left out, and why.
    n_iter_, converged_
        Iterations done, and whether the fit came to its end.
    """

    def __init__(
        self,
        reliability: Any = "linear",
        *,
        sequence: SequenceKind = "item",
        features: Literal["auto"] | Sequence[str] = "auto",
        statistics: Sequence[str] = STATISTICS,
        bins: int | None = MAX_BINS,
        scale: Scale = "spread",
        source_effects: bool = True,
        hidden_sizes: Sequence[int] = (16,),
        activation: str = "tanh",
        weights: Literal["free", "nonnegative"] = "free",
        one_hot: bool = False,
        tie_hidden_bias: bool = True,
        rates: RatesWanted = "optimistic",
        pretraining: Literal["fitted", "constant"] = "fitted",
        penalty: float = 1.0,
        anchor: float = 0.0,
        objective: Literal["exact", "cd"] = "exact",
        cd_steps: int = 1,
        optimizer: Literal["lbfgs", "adam", "sgd"] | None = None,
        learning_rate: float = 0.05,
        decay: float = 0.0,
        batch_size: int = 256,
        batch_by: Literal["item", "statement"] = "item",
        average: float = 0.0,
        patience: int = 5,
        max_iter: int = 100,
        tol: float = 1e-7,
        truth: Literal["multiple"] = "multiple",
        threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self._reliability = reliability
        self.sequence = sequence
        self.features = features
        self.statistics = statistics
        self.bins = bins
        self.scale = scale
        self.source_effects = source_effects
        self.hidden_sizes = hidden_sizes
        self.activation = activation
        self.weights = weights
        self.one_hot = one_hot
        self.tie_hidden_bias = tie_hidden_bias
        self.rates = rates
        self.pretraining = pretraining
        self.penalty = penalty
        self.anchor = anchor
        self.objective = objective
        self.cd_steps = cd_steps
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.decay = decay
        self.batch_size = batch_size
        self.batch_by = batch_by
        self.average = average
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.truth = truth
        self.threads = threads
        self.random_state = random_state

    # Fitting

    @property
    def is_sampled(self) -> bool:  # type: ignore[override]
        """Whether the fit draws at random: samples, or the order of statements."""
        return self.objective == "cd" or self.batch_by == "statement"

    @property
    def _floor(self) -> float:
        return 1.0 if self._is_nonnegative else 0.0

    @property
    def _is_nonnegative(self) -> bool:
        return self.weights == "nonnegative"

    @property
    def is_recurrent(self) -> bool:
        """Whether g reads what came before a claim."""
        return isinstance(self._reliability, str) and self._reliability == "gru"

    def check_blocks(self) -> None:
        """Refuse what needs all claims at once."""
        super().check_blocks()
        given = self.rates
        if self.objective != "exact" or self.optimizer not in (None, "lbfgs"):
            raise InvalidParameter(
                "Contrastive divergence, adam and sgd need all claims in memory. Use "
                "objective='exact' with optimizer='lbfgs', or drop the memory limit."
            )
        if isinstance(given, Mapping) or callable(given):
            raise InvalidParameter(
                "Rates by column or function need all claims in memory. Give one tpr and fpr for "
                "all claims, or drop the memory limit."
            )

        if self.is_recurrent and self.sequence == "source":
            raise InvalidParameter(
                "sequence='source' reads all claims of a source, and blocks are made of items. Use "
                "sequence='item' or reliability='mlp', or drop the memory limit."
            )

    streams = True

    def check_stream(self) -> None:
        """Refuse what a stream cannot keep."""
        super().check_stream()
        if self.is_recurrent:
            raise InvalidParameter(
                "reliability='gru' reads the claims that came before, which a stream does not "
                "keep. Use reliability='linear' or 'mlp', or fit to all claims."
            )

    def _new_memory(self) -> BinaryMemory:
        return BinaryMemory()

    def _learn(self, claims: ClaimsInBlocks, threads: int | None) -> Objective:
        check_parameters(self)
        if self.is_recurrent:
            self._check_times(claims)
        builder = self._choose_features(claims.blocks)
        n_sources = claims.n_sources
        function = self._function_of(builder)
        blocks = claims.blocks.prepare(prepare_block)
        if builder is not None:
            blocks = blocks.prepare(add_features, builder, self.source_effects, function.sequence)
        form: Literal["tied-binary", "free-binary"] = (
            "tied-binary" if self.tie_hidden_bias else "free-binary"
        )
        spec = ModelSpec(
            (AttributeParameters(AttributeRange("all attributes", form, 0, 0, 2)),),
            np.zeros(n_sources),
            function,
            floor=self._floor,
            uses_features=builder is not None,
            predictor=THETA if builder is None or self.source_effects else THETA[:1],
            penalty=self.penalty,
            anchor=self.anchor,
            one_hot=self.one_hot,
            threads=threads,
        )
        uses_features = builder is not None
        targets = blocks.prepare(target_theta, self.rates, uses_features, self._is_nonnegative)
        start = spec.names.zeros()
        if builder is None:
            start["source"], unseen = pretrain_sources(targets, n_sources)
            spec = replace(spec, unseen=unseen)
        elif self._is_constant:
            start["psi"] = pretrain_constant(targets, function)
        else:
            start["psi"] = pretrain_function(targets, function)
        spec = replace(spec, start=start.values)
        objective = Objective(blocks, spec)
        found = self._optimise(objective)
        self.fitted_model = FittedModel(spec, found.x, claims.sources, builder)
        self._report(objective, found, claims)
        return objective

    def _optimise(self, objective: Objective) -> Fit:
        optimizer = self.optimizer or ("lbfgs" if self.objective == "exact" else "adam")
        if optimizer == "lbfgs":
            return fit(objective, self.max_iter, self.tol)
        settings = BatchSettings(
            optimizer,
            self.learning_rate,
            self.batch_size,
            self.max_iter,
            self.tol,
            self.patience,
            self.random_state,
            self.cd_steps if self.objective == "cd" else None,
            self.batch_by,
            self.decay,
            self.average,
            (self.hidden_sizes, self.activation) if self._is_mlp else None,
        )
        if self.is_recurrent:
            return SequenceBatchFit.of(objective, settings).run()
        return fit_batches(objective, settings)

    def _check_times(self, claims: ClaimsInBlocks) -> None:
        """Refuse claims without times; note those whose order is not known."""
        if "time" not in claims.columns.roles:
            raise no_time()
        sums = claims.blocks.total(_count_ties, self.sequence)
        if sums["tied"]:
            text = (
                f"{plural(sums['tied'], 'claim')} were made at the same time as another of the "
                f"{self.sequence}: none of these sees the others, and later claims read them in "
                f"the order of {'sources' if self.sequence == 'item' else 'items'}."
            )
            self.notes_.append(Note("time", text, sums["tied"]))
        if sums["unknown"]:
            text = f"{plural(sums['unknown'], 'claim')} of unknown time are read before all others."
            self.notes_.append(Note("time", text, sums["unknown"]))
        if not self.tie_hidden_bias:
            text = (
                "With a hidden bias of its own, what came before also moves how likely a statement "
                "is beforehand, so the objective is no likelihood. Set tie_hidden_bias=True."
            )
            self.notes_.append(Note("hidden bias", text))

    @property
    def _is_mlp(self) -> bool:
        return isinstance(self._reliability, str) and self._reliability == "mlp"

    @property
    def _is_constant(self) -> bool:
        """Whether a network starts at the same rates for all claims."""
        return self._is_mlp and self.pretraining == "constant"

    def _choose_features(self, blocks: Blocks[ClaimBlock]) -> FeatureBuilder | None:
        """Choose the features; None for one theta per source, where there are none."""
        self.feature_choices_ = []
        if isinstance(self._reliability, str) and self._reliability == "per-source":
            return None
        later = DEPEND_ON_LATER[self.sequence] if self.is_recurrent else ()
        statistics = [name for name in self.statistics if name not in later]
        empty = FeatureBuilder(self.features, self.bins, scale=self.scale, statistics=statistics)
        builder = empty.learn(blocks.total(_count_features, empty))
        self.feature_choices_ = builder.choices_
        used = [choice.name for choice in builder.choices_ if choice.used]
        text = "No usable feature, so every source has a reliability of its own (as in RBM)."
        if self.is_recurrent:
            text = "No usable feature, so g reads nothing but what came before."
        if used:
            text = f"Features used: {listing(used, 40)}."
        self.notes_.append(Note("features", text))
        for choice in builder.choices_ if self.features == "auto" else ():
            if not choice.used:
                text = f"Feature {choice.name!r} is left out: {choice.reason}."
                self.notes_.append(Note("features", text))
        return builder if used or self.is_recurrent else None

    def _function_of(self, builder: FeatureBuilder | None) -> ReliabilityFunction:
        if builder is None:
            return Linear(0, N_THETA)
        n_features = len(builder.column_names)
        if not isinstance(self._reliability, str):
            return Network(deepcopy(self._reliability), N_THETA)  # the user's own stays as it is
        if self._reliability == "linear":
            return Linear(n_features, N_THETA, intercept=True)
        sizes, seed = self.hidden_sizes, self.random_state
        if self.is_recurrent:
            return Recurrent(self.sequence, n_features, sizes, self.activation, seed, N_THETA)
        module = feed_forward(n_features, sizes, self.activation, seed, N_THETA)
        return Network(silent_at_start(module) if self._is_constant else module, N_THETA)

    def _report(self, objective: Objective, found: Fit, claims: ClaimsInBlocks) -> None:
        sums = objective.blocks.total(_orientation, found.x)
        self._keep_fit(found, "weight" in claims.columns.roles, sums["n_claims"])
        if not found.converged:
            self.notes_.append(note_unfinished(self.n_iter_, found.message))
        upside_down = float(sums["upside_down"] / sums["spoken"])
        self.orientation_ = "optimistic" if upside_down < 0.5 else "pessimistic"
        text = (
            f"Orientation: {self.orientation_}; {upside_down:.0%} of all claims and denials have a "
            "tpr below their fpr."
        )
        self.notes_.append(Note("orientation", text))
        if upside_down >= 0.5:
            self.notes_.append(NOTE_MIRROR)

    @property
    def global_hidden_bias_(self) -> float:
        """b_0."""
        self._check_fitted("global_hidden_bias_")
        return self.fitted_model.parameters.group("0").number("global_hidden_bias")

    # Judging

    def _judgement(self, block: BlockObjective, own: ParameterVector) -> Judgement:
        evidence = block.scores(own).statement
        return Judgement(sigmoid(evidence), score=evidence)

    def _source_rates(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
        """Average tpr and fpr over a source's claims; reliability is the share expected right."""
        sums = judged.total(_rate_sums, sent(self, judged), claims.n_sources)
        n_claims, tpr, fpr = (sums[name].everywhere() for name in ("n_claims", "tpr", "fpr"))
        reliability = plain_rates(claims, judged).reliability
        return SourceRates(reliability, tpr / n_claims, fpr / n_claims)

    # What a user calls

    def parameters(self, claims: Any) -> Table:
        """Return visible_bias, weight, hidden_bias, tpr and fpr of each claim, in input order."""
        self._check_fitted("parameters")
        claims = Claims.of(claims)
        block, own = self._bind(claims)
        machine = binary_machine(block)
        theta, row = machine.theta(block.eta(own)[0]), machine.units.own_row
        by_row = {**theta._asdict(), **rates_of(theta)._asdict()}
        numbers = {name: column[row] for name, column in by_row.items()}
        return explanation.parameters_table(claims.matrix, numbers)

    def reliability(self, claims: Any) -> Table:
        """Return how reliable sources are, seen before or not.

        Parameters
        ----------
        claims
            New claims, for reliability, tpr and fpr of each of their sources; or a table of
            feature columns alone, for tpr and fpr of each of its rows.
        """
        self._check_fitted("reliability")
        if self.fitted_model.builder is not None and not is_table_of_claims(claims):
            theta = theta_from(self._value_of(claims), nonnegative=self._is_nonnegative)
            return explanation.rates_table(rates_of(theta)._asdict())
        claims = Claims.of(claims)
        whole = in_one_block(claims)
        rates = self._source_rates(whole, judge_blocks(self, whole))
        return explanation.reliability_table(claims.matrix, rates)

    def explainer(self, claims: Any) -> explanation.Explainer:
        """Return an object that explains one item of claims after the other, quickly."""
        self._check_fitted("explainer")
        claims = Claims.of(claims)
        block, own = self._bind(claims)
        scores = block.scores(own)
        shown = sigmoid(scores.statement)
        return GRBMExplainer(claims, block, own, shown, Evidence(scores, shown))

    # Saving

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state, arrays = super()._state()
        return state | {"orientation": self.orientation_}, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        self.orientation_ = state["orientation"]


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


def _count_features(block: ClaimBlock, builder: FeatureBuilder) -> Sums:
    return dict(builder.count(block.claims))


def _count_ties(block: ClaimBlock, sequence: SequenceKind) -> Sums:
    tied, unknown = count_ties(block.claims, sequence)
    return {"tied": tied, "unknown": unknown}


def _orientation(block: BlockObjective, x: Floats) -> Sums:
    """Count claims, and statements spoken about, all and upside down."""
    (model,) = block.observations.values()
    weight = binary_machine(block).theta(block.eta(block.own(x))[0]).weight
    spoken = model.row_counts()[:, 1]
    return {
        "n_claims": block.data.matrix.n_claims,
        "upside_down": float(spoken[weight < 0.0].sum()),
        "spoken": float(spoken.sum()),
    }


def _rate_sums(judged: Judged, model: BinaryGRBM, n_sources: int) -> Sums:
    """Add up tpr and fpr of the claims of each source."""
    matrix, place = judged.block.matrix, judged.block.place
    block, own = model._bind(judged.block.claims)
    rates = block.rates(own)
    numbers = {"n_claims": np.ones(matrix.n_claims), "tpr": rates.tpr, "fpr": rates.fpr}
    return {
        name: Scattered(place, matrix.sum_by_source(of_claim), n_sources)
        for name, of_claim in numbers.items()
    }
