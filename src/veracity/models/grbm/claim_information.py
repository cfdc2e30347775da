"""What the claims of a block tell about parameters, as if it were known which claims are right."""

from __future__ import annotations

import numpy as np

from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.observation.confusion import Confusion, shared_by_items
from veracity.models.grbm.parameters import ParameterVector


def information_of_block(
    block: BlockObjective, spec: ModelSpec, own: ParameterVector
) -> tuple[ParameterVector, Sums]:
    """Return the information about each parameter of the block, and what adds over blocks.

    Information about what all items of an attribute share is told together, by its number.
    """
    shared = block.shared_sums(own)
    found = block.names.zeros()
    together: Sums = {}
    for number, attribute in enumerate(spec.attributes):
        if attribute.range.form == "confusion":
            size = len(shared_by_items(attribute.names))
            together[str(number)] = np.zeros((size, size))
    for (group, model), (_, parameters, eta) in zip(
        block.observations.items(), block.models(own), strict=True
    ):
        if isinstance(model, Confusion):
            found.group(group).values[:], together[group] = model.own_information(parameters, eta)
    return found, {
        "square": shared.square,
        "cross": Scattered(block.place, np.ascontiguousarray(shared.cross.T), spec.n_sources),
        "of_source": Scattered(block.place, shared.of_source, spec.n_sources),
        **together,
    }
