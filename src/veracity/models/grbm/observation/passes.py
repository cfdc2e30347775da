"""Passes over the items of a block: attributes alike are judged in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Indices
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.observation.base import ObservationModel
from veracity.models.grbm.observation.joined_items import Where, stretches
from veracity.models.grbm.observation.one_coin import OneCoin
from veracity.models.grbm.parameters import ParameterNames, ParameterVector


@dataclass(frozen=True, eq=False)
class Pass:
    """A model of one attribute or of several alike.

    Attributes
    ----------
    model
        How sources speak about them.
    names, place
        Its parameters, and where they lie among those of the block.
    claims
        Where the claims about them are in the block.
    """

    model: ObservationModel
    names: ParameterNames
    place: Where
    claims: Where

    def own(self, of_block: ParameterVector) -> ParameterVector:
        """Return its parameters, given those of the block."""
        return ParameterVector(self.names, of_block.values[self.place])

    def among(self, claims: Indices) -> Indices:
        """Return the places of those among the given claims of the block that it judges."""
        if isinstance(self.claims, slice):
            return np.arange(*np.searchsorted(claims, [self.claims.start, self.claims.stop]))
        return np.flatnonzero(np.isin(claims, self.claims))


def passes_over(
    data: BlockData,
    observations: Mapping[str, ObservationModel],
    names: ParameterNames,
    place: Indices,
) -> list[Pass]:
    """Put attributes together that are judged by one reliability and are as hard.

    Parameters
    ----------
    data, place
        The block, and the place of its sources among all.
    observations
        The model of each attribute, by the group of its parameters.
    names
        The parameters of the block.
    """
    alike: dict[tuple[object, ...], list[str]] = {}
    for group, model in observations.items():
        is_coin = isinstance(model, OneCoin)
        key = (type(model), model.parameters.range.hardness) if is_coin else (group,)
        alike.setdefault(key, []).append(group)
    return [_joined(data, observations, groups, names, place) for groups in alike.values()]


def _joined(
    data: BlockData,
    observations: Mapping[str, ObservationModel],
    groups: Sequence[str],
    names: ParameterNames,
    place: Indices,
) -> Pass:
    models = [observations[group] for group in groups]
    first, *further = (model.parameters.range for model in models)
    ranges = [first, *further]
    start = data.roles.claim_start
    claims = stretches(start[[own.first for own in ranges]], start[[own.last for own in ranges]])
    if not further:
        return Pass(models[0], names.group(groups[0]), names.group_slice(groups[0]), claims)
    slices = [names.group_slice(group) for group in groups]
    begins, ends = np.array([(own.start, own.stop) for own in slices]).T
    where = stretches(begins, ends)
    own = ParameterNames(
        {name: ("attribute",) for name in names.group(groups[0]).axes}, {"attribute": len(groups)}
    )
    model = models[0]
    assert isinstance(model, OneCoin)
    return Pass(type(model)(data, first, model.parameters, place, further), own, where, claims)
