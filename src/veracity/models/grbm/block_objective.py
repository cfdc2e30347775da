"""The log-likelihood of a block of claims.

The strength of a claim follows from eta = m + gamma z + w + g(x): z is how much its source claims
and counts only where one reliability stands for all values; w is the deviation of the source; g a
function of the claim's features. Terms may add to it, see `veracity.models.grbm.terms`. A block
knows its own sources only, and where each of its parameters lies among all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.models.grbm.attributes import AttributeParameters, same_forms
from veracity.models.grbm.block_data import BlockData, PreparedBlock
from veracity.models.grbm.curvature import SharedSums
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.observation import OBSERVATION_MODELS
from veracity.models.grbm.observation.base import (
    ClaimRates,
    ObservationModel,
    Posterior,
    Scores,
)
from veracity.models.grbm.observation.passes import Pass, passes_over
from veracity.models.grbm.parameters import DOT, ParameterNames, ParameterVector
from veracity.models.grbm.reliability import Pullback
from veracity.models.grbm.vectors import dot


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
        """The place of each of the block's parameters among those of all blocks."""
        return np.arange(self.names.size) if self.index is None else self.index

    def own(self, x: Floats) -> ParameterVector:
        """Pick the parameters of the block from those of all blocks."""
        if self.index is None:
            own = ParameterVector(self.names, x)
        else:
            known = self.index >= 0
            taken = np.where(known, x[np.where(known, self.index, 0)], 0.0)
            own = ParameterVector(self.names, taken)
        if self.spec.unseen is not None and "source" in own:
            own["source"][self.place < 0] = self.spec.unseen
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
            model.judge(parameters, eta, found)
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
        """Return the log-probability of each held-out claim; (n_hidden,)."""
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
        """Return the gradient in all parameters, given that in eta and in those of attributes."""
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
        """Return the penalty on how far theta is from its start, and its gradient."""
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
