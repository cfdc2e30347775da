"""The penalised likelihood of a block of claims, and of all blocks.

The strength of a claim follows from eta = m + gamma z + w + g(x): z is how much its source claims
and counts only where one reliability stands for all values; w is the deviation of the source; g a
function of the claim's features. Terms may add to it, see `veracity.models.grbm.terms`. Normal
priors draw all parameters to their start. A block knows its own sources only, and where each of its
parameters lies among all. The likelihood and its gradient are sums over blocks; priors are added
once. Claims in memory are one block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.attributes import AttributeParameters, same_forms
from veracity.models.grbm.block_data import BlockData, PreparedBlock
from veracity.models.grbm.class_prior import with_class_prior
from veracity.models.grbm.curvature import SharedSums, ThetaCurvature
from veracity.models.grbm.even_shifts import EvenShifts
from veracity.models.grbm.model_spec import N_THETA, SLOPES, ModelSpec
from veracity.models.grbm.observation import OBSERVATION_MODELS
from veracity.models.grbm.observation.base import (
    FIXED,
    AttributePrior,
    ClaimRates,
    ObservationModel,
    Posterior,
    Scores,
)
from veracity.models.grbm.observation.passes import Pass, passes_over
from veracity.models.grbm.parameters import DOT, ParameterNames, ParameterVector
from veracity.models.grbm.penalty import penalise
from veracity.models.grbm.reliability import Pullback
from veracity.models.grbm.speaking import SPEAKING_NORM
from veracity.models.grbm.vectors import dot

#: Where m, the log-odds of being right beyond chance, starts.
START = 1.0
#: Prior precisions of m, gamma, the deviations of sources and the parameters of g.
PRECISION = {"m": 5.0, "gamma": 5.0, "source": 1.0, "psi": 20.0}
#: Typical variance of a claim's being right.
VARIANCE = 0.15
#: Counts of which there is one for each source.
BY_SOURCE = ("n_claims", "n_spoken")


@dataclass(frozen=True, eq=False)
class BlockObjective:
    """The log-likelihood of the claims of a block, as a function of its own parameters.

    Attributes
    ----------
    data, observations
        The claims, and how sources speak about each attribute.
    spec
        What is fitted, to all blocks.
    names
        The parameters of the block.
    index
        The place of each of them among all, -1 for those of new sources; None where they are all
        there are.
    place
        The place of each of its sources among all, -1 for new ones.
    """

    data: BlockData
    observations: Mapping[str, ObservationModel]
    spec: ModelSpec
    names: ParameterNames
    index: Indices | None
    place: Indices

    @property
    def places(self) -> Indices:
        """The place of each of its parameters among all, also where they are all there are."""
        return np.arange(self.names.size) if self.index is None else self.index

    def own(self, x: Floats) -> ParameterVector:
        """Return the parameters of the block, given those of all."""
        if self.index is None:
            own = ParameterVector(self.names, x)
        else:
            known = self.index >= 0
            taken = np.where(known, x[np.where(known, self.index, 0)], 0.0)
            own = ParameterVector(self.names, taken)
        if self.spec.unseen is not None and "source" in own:
            own["source"][self.place < 0] = self.spec.unseen
        if self.spec.fits_speaking:
            own = ParameterVector(self.names, own.values.copy())
            for group, norms in speaking_norms(self.spec, x).items():
                if group in self.observations:
                    own.group(group)[SPEAKING_NORM] = norms
        return own

    @cached_property
    def log_claim_count(self) -> Floats:
        """z of each source of the block, 0 for new ones."""
        return np.where(self.place >= 0, self.spec.log_claim_count[self.place], 0.0)

    def eta(self, own: ParameterVector) -> tuple[Floats, Floats, Pullback]:
        """Return eta of each row without and with gamma z, and the pullback of g."""
        rows = self.data.rows
        value, pullback = self.spec.reliability.vjp(own["psi"], rows.features, rows.past)
        source = self.data.source_of_row
        eta = own["source"][source] if "source" in own else 0.0
        if self.spec.is_theta:
            return value + eta, value + eta, pullback
        eta = own["m"] + eta + value
        if "slope" in own:
            eta = eta + self._of_terms(own)
        return eta, eta + own["gamma"] * self.log_claim_count[source], pullback

    def _of_terms(self, own: ParameterVector) -> Floats:
        """Return what terms add to eta of each row."""
        columns = self.columns_of_terms
        of_source = own["own_slope"][self.data.source_of_row]
        return np.asarray(columns @ own["slope"] + np.einsum("ij,ij->i", columns, of_source))

    @property
    def columns_of_terms(self) -> Floats:
        """The columns of terms of each row; (n_rows, n_columns)."""
        assert self.data.rows.terms is not None
        return self.data.rows.terms

    def models(
        self, own: ParameterVector
    ) -> list[tuple[ObservationModel, ParameterVector, Floats]]:
        """Return each observation model, in the order of items, with its parameters and its eta."""
        plain, counted, _ = self.eta(own)
        return [
            (model, own.group(group), counted if model.uses_claim_count else plain)
            for group, model in self.observations.items()
        ]

    @cached_property
    def passes(self) -> list[Pass]:
        """The observation models again, with attributes put together that one pass can judge."""
        return passes_over(self.data, self.observations, self.names, self.place)

    def _in_passes(
        self, own: ParameterVector
    ) -> list[tuple[ObservationModel, ParameterVector, Floats]]:
        """Return what `models` does, with attributes put together."""
        plain, counted, _ = self.eta(own)
        return [
            (each.model, each.own(own), counted if each.model.uses_claim_count else plain)
            for each in self.passes
        ]

    def posterior(self, own: ParameterVector) -> Posterior:
        """Return what the parameters make of the claims."""
        found = Posterior.empty(self.data.matrix)
        for model, parameters, eta in self._in_passes(own):
            model.log_likelihood(parameters, eta, found)
        return found

    def scores(self, own: ParameterVector) -> Scores:
        """Return the scores by which the values of each item are ranked."""
        found = Scores.empty(self.data.matrix)
        for model, parameters, eta in self._in_passes(own):
            model.score(parameters, eta, found)
        return found

    @property
    def domain_size(self) -> Indices:
        """Number of values that each item may take: its classes, or those claimed and one more."""
        size = np.diff(self.data.matrix.statement_start) + 1
        for model in self.observations.values():
            items = model.parameters.range
            if items.n_classes:
                size[items.first : items.last] = max(items.n_classes, 2)
        return size

    def rates(self, own: ParameterVector) -> ClaimRates:
        """Return the rates of claims."""
        rates = ClaimRates.empty(self.data.matrix)
        for model, parameters, eta in self._in_passes(own):
            model.rate(parameters, eta, rates)
        return rates

    def heldout_log_prob(self, own: ParameterVector, hidden: Indices) -> Floats:
        """Return the log-probability of claims that the objective does not see; in order."""
        plain, counted, _ = self.eta(own)
        found = np.empty(len(hidden))
        for each in self.passes:
            eta = counted if each.model.uses_claim_count else plain
            here = each.among(hidden)
            found[here] = each.model.heldout_log_prob(each.own(own), eta, hidden[here])
        return found

    def log_likelihood(self, own: ParameterVector) -> tuple[float, float, Floats]:
        """Return the log-likelihood, the anchor's penalty, and the gradient of their difference."""
        plain, counted, pullback = self.eta(own)
        delta_plain, delta_counted = np.zeros_like(plain), np.zeros_like(plain)
        value, of_own = 0.0, []
        for each in self.passes:
            is_counted = each.model.uses_claim_count
            eta, total = (counted, delta_counted) if is_counted else (plain, delta_plain)
            more, slope, delta = each.model.log_likelihood(each.own(own), eta)
            value += more
            of_own.append(slope)
            np.add.at(total, each.model.rows, delta)
        penalty, force = self.anchor(plain)
        delta_plain = delta_plain - force if penalty else delta_plain
        gradient = self.gradient(own, delta_plain, pullback, {}, delta_counted)
        for each, slope in zip(self.passes, of_own, strict=True):
            gradient[each.place] = slope
        return value, penalty, gradient

    def gradient(
        self,
        own: ParameterVector,
        delta: Floats,
        pullback: Pullback,
        of_groups: Mapping[str, Floats],
        delta_counted: Floats | None = None,
    ) -> Floats:
        """Put a gradient together: in eta without and with gamma z, and in each attribute's own."""
        gradient = self.names.zeros()
        for group, values in of_groups.items():
            gradient.group(group).values[:] = values
        source, n = self.data.source_of_row, len(self.place)
        if delta_counted is not None and not self.spec.is_theta:
            delta = delta + delta_counted
            gradient["m"] = delta.sum()
            gradient["gamma"] = dot(delta_counted, self.log_claim_count[source])
        gradient["psi"] = pullback(delta)
        if "source" in own:
            columns = np.ascontiguousarray(delta.reshape(len(source), -1).T)
            sums = np.stack([sum_by(source, column, n) for column in columns], axis=1)
            gradient["source"] = sums.reshape(gradient["source"].shape)
        if "slope" in own:
            columns = self.columns_of_terms
            gradient["slope"] = delta @ columns
            own_slope = [sum_by(source, delta * column, n) for column in columns.T]
            gradient["own_slope"] = np.stack(own_slope, axis=1)
        return gradient.values

    @cached_property
    def start_eta(self) -> Floats:
        """Return eta of each row at the start."""
        assert self.spec.start is not None
        return self.eta(self.own(self.spec.start))[0]

    def anchor(self, eta: Floats) -> tuple[float, Floats | float]:
        """Return the penalty for moving theta of claims away from the start, and its gradient."""
        if not self.spec.anchor or self.spec.start is None:
            return 0.0, 0.0
        away = eta - self.start_eta
        (model,) = self.observations.values()
        n_spoken = model.row_counts()[:, 1].reshape(-1, *[1] * (away.ndim - 1))
        force = self.spec.anchor * n_spoken * away
        return 0.5 * dot(force.ravel(), away.ravel()), force

    def claim_gradients(self, own: ParameterVector) -> Floats:
        """Return the gradient of the log-likelihood in eta of each claim; (n_claims,)."""
        data, matrix = self.data.by_claim(), self.data.matrix
        row = self.data.row
        total = np.zeros(matrix.n_claims)
        plain, counted, _ = self.eta(own)
        observations: dict[str, ObservationModel] = {}
        for group, model in self.observations.items():
            attribute = _attribute(self.spec, group, model.parameters)
            own_range = model.parameters.range
            observations[group] = type(model)(data, own_range, attribute, self.place)
        for each in passes_over(data, observations, self.names, self.place):
            eta = counted if each.model.uses_claim_count else plain
            delta = each.model.log_likelihood(each.own(own), eta[row])[2]
            total[each.model.rows] += delta
        return total

    def shared_sums(self, own: ParameterVector) -> SharedSums:
        """Return the information of the claims in m, gamma and g, and in the deviations."""
        data, spec = self.data, self.spec
        nothing = np.zeros(data.n_rows)
        z = self.log_claim_count[data.source_of_row] if spec.uses_claim_count else nothing
        columns = [np.ones(data.n_rows), z]
        if spec.reliability.is_linear:
            columns += list(data.rows.features.T)
        plain, counted, _ = self.eta(own)
        weight = np.zeros(data.n_rows)
        for each in self.passes:
            eta = counted if each.model.uses_claim_count else plain
            np.add.at(weight, each.model.rows, each.model.information(each.own(own), eta))
        return SharedSums.of(np.stack(columns, axis=1), weight, data.source_of_row, len(self.place))

    def theta_information(self) -> Floats:
        """Return the information of the claims in a + w, in a and in b of each row; (3, n_rows)."""
        own = self.names.zeros()
        ((model, parameters, eta),) = self.models(own)
        return model.information(parameters, eta)

    def theta_sums(self) -> list[SharedSums]:
        """Return the information of the claims in a + w, in a and in b; see `theta_curvature`."""
        data, spec = self.data, self.spec
        design = np.zeros((data.n_rows, 0))
        if spec.reliability.is_linear and len(spec.reliability.start):
            design = np.hstack([data.rows.features, np.ones((data.n_rows, 1))])
        n_sources = len(self.place) if "source" in self.names.axes else 0
        source = data.source_of_row if n_sources else np.zeros(data.n_rows, np.int64)
        return [
            SharedSums.of(design, weight, source, n_sources) for weight in self.theta_information()
        ]


def _attribute(spec: ModelSpec, group: str, default: AttributeParameters) -> AttributeParameters:
    """Return an attribute of the whole model; the block's own if the model does not have it."""
    return spec.attributes[int(group)] if group.isdecimal() else default


def bind(spec: ModelSpec, data: BlockData, place: Indices) -> BlockObjective:
    """Make the objective of a block: say where each of its parameters lies among all.

    Parameters
    ----------
    spec
        What is fitted, or was.
    data
        The claims.
    place
        The place of each of their sources among all, -1 for one that is new.
    """
    data = data.about_known() if spec.only_known else data
    number = {own.name: str(index) for index, own in enumerate(spec.ranges)}
    observations: dict[str, ObservationModel] = {}
    along: dict[str, Indices] = {"source": place}
    for own in same_forms(data.matrix, spec.ranges):
        group = number.get(own.name, "")
        if not group or spec.ranges[int(group)].form != own.form:
            group = f"new {len(observations)}"
        attribute = _attribute(spec, group, AttributeParameters(own))
        model = OBSERVATION_MODELS[own.form](data, own, attribute, place)
        mine = model.parameters
        for axis, entries in attribute.along(place[mine.sources], mine.has_confusion).items():
            along[f"{group}{DOT}{axis}"] = entries
        observations[group] = model
    groups = {group: model.parameters.names for group, model in observations.items()}
    names = ParameterNames.joined({"": spec.eta_names(len(place)), **groups})
    index = spec.names.places(names, along)
    is_all = np.array_equal(index, np.arange(spec.names.size))
    return BlockObjective(data, observations, spec, names, None if is_all else index, place)


def bind_prepared(prepared: PreparedBlock, spec: ModelSpec) -> BlockObjective:
    """Make the objective of a prepared block."""
    data = prepared.data(
        uses_features=spec.uses_features,
        holds_out=spec.holds_out,
        floor=spec.floor,
        threads=spec.threads,
        one_hot=spec.one_hot,
    )
    block = bind(spec, data, prepared.block.place)
    for each in block.passes:
        look_up(each.model)
        look_up(getattr(each.model, "arrays", None))
    return block


def look_up(owner: object) -> None:
    """Work out what an object would look up when it is first asked for, and keep.

    A block that is kept on disk is read for each pass, and would forget what it found in the last.
    """
    for kind in type(owner).__mro__:
        for name, member in list(vars(kind).items()):  # to write a block adds to it, in a thread
            if isinstance(member, cached_property):
                getattr(owner, name)


class Objective:
    """The penalised log-likelihood of all claims, as a function of one vector of parameters.

    Parameters
    ----------
    blocks
        The claims, prepared.
    spec
        What is fitted.
    """

    def __init__(
        self,
        blocks: Blocks[PreparedBlock],
        spec: ModelSpec,
    ) -> None:
        self.spec = spec
        self.blocks = blocks.prepare(bind_prepared, spec)

    @property
    def sees_own_sources(self) -> bool:
        """Whether a block needs the parameters of its own sources only, and they have own priors.

        Norms of speaking follow from the parameters of all sources; the paper's machine has one
        penalty for all parameters.
        """
        is_default = not self.spec.is_theta and self.spec.penalty is None
        return is_default and not self.spec.fits_speaking

    @cached_property
    def priors(self) -> list[AttributePrior]:
        """The priors of all attributes."""
        return self.priors_of_attributes()

    def priors_of_attributes(self) -> list[AttributePrior]:
        """Work out the priors of all attributes, which are as long as the parameters."""
        return attribute_priors(self.spec, self.blocks.total(prior_counts, self.spec))

    @cached_property
    def centre(self) -> Floats:
        """The means of the priors, from which the fit starts."""
        if self.spec.start is not None:
            return self.spec.start
        return centre_of(self.spec, self.priors)

    @cached_property
    def precision(self) -> Floats:
        """The precisions of the priors."""
        if self.spec.penalty is not None:
            return np.full(self.spec.names.size, self.spec.penalty)
        return precision_of(self.spec, self.priors)

    @cached_property
    def is_free(self) -> Mask:
        """Mark the parameters that move; stiff ones would take most steps of a plain search."""
        return np.asarray(self.precision < FIXED)

    @cached_property
    def _even_shifts(self) -> EvenShifts:
        """The directions that make no difference."""
        return EvenShifts.of(self.spec.attributes, self.spec.names)

    def evaluate(self, x: Floats) -> tuple[float, Floats, float]:
        """Return the negative penalised log-likelihood, its gradient, and the log-likelihood."""
        sums = self.blocks.total(_log_likelihood, x)
        likelihood, ascent = sums["likelihood"], sums["gradient"].everywhere()
        if self.spec.fits_speaking:
            ascent = through_norms(self.spec, x, ascent)
        gradient = np.empty_like(x)
        held = penalise(x, self.centre, self.precision, ascent, self.is_free, gradient)
        loss = 0.5 * held + sums["pull"] - likelihood
        self._even_shifts.take_from(gradient)
        return loss, gradient, likelihood

    def theta_curvature(self) -> ThetaCurvature:
        """Return a rough curvature in theta, with which L-BFGS starts."""
        return theta_curvature(self.blocks, self.spec, self.priors[0])


def speaking_norms(spec: ModelSpec, x: Floats) -> dict[str, Floats]:
    """Return the norms of attributes with one-sided sources, by the number of the attribute."""
    return {
        str(number): attribute.one_sided.norms(
            _speaking_strength(spec, x, attribute)[0], attribute.range.n_classes
        )
        for number, attribute in enumerate(spec.attributes)
        if len(attribute.one_sided)
    }


def through_norms(spec: ModelSpec, x: Floats, ascent: Floats) -> Floats:
    """Carry the gradient in the norms of speaking over to m and the deviations of sources."""
    gradient = ParameterVector(spec.names, ascent.copy())
    for group, norms in speaking_norms(spec, x).items():
        attribute, of_norms = spec.attributes[int(group)], gradient.group(group)[SPEAKING_NORM]
        u, slope = _speaking_strength(spec, x, attribute)
        delta = attribute.one_sided.gradient(u, slope, norms, of_norms)
        gradient["m"] = gradient["m"] + delta.sum()
        gradient["source"][attribute.one_sided.source] += delta
        gradient.group(group)[SPEAKING_NORM] = 0.0
    return gradient.values


def with_speaking_norms(spec: ModelSpec, x: Floats) -> Floats:
    """Return parameters of which the norms of speaking are a part, to judge other claims by."""
    found = speaking_norms(spec, x)
    if not found:
        return x
    kept = ParameterVector(spec.names, x.copy())
    for group, norms in found.items():
        kept.group(group)[SPEAKING_NORM] = norms
    return kept.values


def _speaking_strength(
    spec: ModelSpec, x: Floats, attribute: AttributeParameters
) -> tuple[Floats, Floats]:
    parameters = ParameterVector(spec.names, x)
    eta = parameters["m"] + parameters["source"][attribute.one_sided.source]
    return attribute.one_sided.strength(eta, attribute.range.n_classes, spec.floor)


def _log_likelihood(block: BlockObjective, x: Floats) -> Sums:
    likelihood, pull, gradient = block.log_likelihood(block.own(x))
    scattered = Scattered(block.index, gradient, len(x))
    return {"likelihood": likelihood, "pull": pull, "gradient": scattered}


def theta_curvature(
    blocks: Blocks[BlockObjective], spec: ModelSpec, prior: AttributePrior
) -> ThetaCurvature:
    """Return a rough curvature in theta, from the information of all claims.

    If truth were known, tpr and fpr of a source would be two logistic regressions: the log-odds of
    saying a true statement, a + w, and of saying a false one, a. Their curvature is the number of
    statements times a variance.
    """
    assert spec.penalty is not None
    sums = blocks.total(_theta_sums, spec.n_sources)
    shared = [
        SharedSums(
            sums[f"{number} square"],
            np.ascontiguousarray(sums[f"{number} cross"].everywhere().T),
            sums[f"{number} of_source"].everywhere(),
        )
        for number in range(N_THETA)
    ]
    return ThetaCurvature.of(
        shared, float(sums["information"]), spec.penalty, float(prior.curvature[0]), spec
    )


def _theta_sums(block: BlockObjective, n_sources: int) -> Sums:
    made: Sums = {}
    found = block.theta_sums()
    has_sources = "source" in block.names.axes
    place, size = (block.place, n_sources) if has_sources else (np.empty(0, np.int64), 0)
    for number, sums in enumerate(found):
        made[f"{number} square"] = sums.square
        made[f"{number} cross"] = Scattered(place, np.ascontiguousarray(sums.cross.T), size)
        made[f"{number} of_source"] = Scattered(place, sums.of_source, size)
    return made | {"information": float(block.theta_information()[2].sum())}


# Priors


def tells_enough(n_telling: Indices) -> Mask:
    """Mark the sources whose claims hold more information about them than the prior does.

    Others are as reliable as sources in general. Given a reliability of its own, a source with very
    few claims would explain them away one by one, and all of them together a class.
    """
    return np.asarray(n_telling * VARIANCE >= PRECISION["source"])


def prior_counts(block: BlockObjective, spec: ModelSpec) -> Sums:
    """Count what the priors of attributes rest on; zeros for those that the block lacks."""
    sums: Sums = {}
    for number, attribute in enumerate(spec.attributes):
        model = block.observations.get(str(number))
        kind = OBSERVATION_MODELS[attribute.range.form]
        counts = kind.no_counts(attribute) if model is None else model.counts()
        sources = np.empty(0, np.int64) if model is None else model.parameters.sources
        for name, numbers in counts.items():
            if name in BY_SOURCE:
                numbers = Scattered(block.place[sources], numbers, spec.n_sources)
            sums[f"{number}{DOT}{name}"] = numbers
    return sums


def attribute_priors(spec: ModelSpec, counts: Mapping[str, Any]) -> list[AttributePrior]:
    """Return the priors of all attributes, by the counts of all blocks."""
    of_attribute: list[dict[str, Any]] = [{} for _ in spec.attributes]
    for place, numbers in counts.items():
        number, _, name = place.partition(DOT)
        of_attribute[int(number)][name] = numbers
    priors = []
    for attribute, found in zip(spec.attributes, of_attribute, strict=True):
        own = {
            name: numbers.everywhere()[attribute.sources]
            if isinstance(numbers, Scattered)
            else numbers
            for name, numbers in found.items()
        }
        prior = OBSERVATION_MODELS[attribute.range.form].prior(attribute, own)
        if attribute.range.form == "confusion" and spec.class_prior is not None:
            prior = with_class_prior(prior, attribute, spec.class_prior, own["n_said"])
        priors.append(prior)
    return priors


def centre_of(spec: ModelSpec, priors: Sequence[AttributePrior]) -> Floats:
    """Return the means of all priors."""
    centre = spec.names.zeros()
    centre["m"] = START
    centre["psi"] = spec.reliability.start
    for number, prior in enumerate(priors):
        centre.group(str(number)).values[:] = prior.centre
    return centre.values


def precision_of(spec: ModelSpec, priors: Sequence[AttributePrior]) -> Floats:
    """Return the precisions of all priors."""
    precision = spec.names.zeros()
    for name in spec.predictor:
        if name not in SLOPES:
            precision[name] = PRECISION[name]
    if spec.source_is_free is not None:
        precision["source"] = np.where(spec.source_is_free, PRECISION["source"], FIXED)
    if spec.slopes is not None:
        precision["slope"] = np.where(spec.slopes.is_common, spec.slopes.precision, FIXED)
        precision["own_slope"] = spec.slopes.own_precision
        if spec.source_is_free is not None:
            precision["own_slope"][~spec.source_is_free] = FIXED
    for number, prior in enumerate(priors):
        precision.group(str(number)).values[:] = prior.precision
    return precision.values
