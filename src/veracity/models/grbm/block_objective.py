"""The objective of a block of claims, and where its parameters are among all."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.engines.sums import Scattered
from veracity.models.grbm.forms import same_forms
from veracity.models.grbm.model_spec import Plan, n_parameters
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.registry import PARTS, Part
from veracity.models.grbm.prepared_block import Ground


@dataclass(frozen=True, eq=False)
class Piece:
    """The objective of a block.

    Attributes
    ----------
    objective
        Of the claims of the block, and of the parameters of its own sources.
    index
        The place of each of its parameters among all; None where they are all there are.
    place
        The place of each of its sources among all.
    attributes
        Which of all attributes each of its parts is about.
    """

    objective: Objective
    index: Indices | None
    place: Indices
    attributes: tuple[int, ...]

    @property
    def places(self) -> Indices:
        """The place of each of its parameters among all, also where they are all there are."""
        return np.arange(sum(self.objective.sizes)) if self.index is None else self.index

    def own(self, x: Floats) -> Floats:
        """Return the parameters of the block."""
        return x if self.index is None else x[self.index]

    def ascend(self, x: Floats) -> tuple[float, Scattered]:
        """Return the log-likelihood, and its gradient among that of all parameters."""
        likelihood, ascent = self.objective.ascend(self.own(x))
        return likelihood, Scattered(self.index, ascent, len(x))


def piece_of(ground: Ground, plan: Plan) -> Piece:
    """Make the objective of a block."""
    matrix, place = ground.block.matrix, ground.block.place
    scene = ground.scene(plan)
    number = {shape.block.name: index for index, shape in enumerate(plan.shapes)}
    starts, first = plan.starts(), 2 + plan.n_sources
    parts, attributes = list[Part](), list[int]()
    indices = [np.arange(2), 2 + place, np.arange(first, first + len(plan.score.psi))]
    for form in same_forms(matrix, plan.forms):
        attribute = number[form.name]
        shape = replace(plan.shapes[attribute], lookup=place)
        part = PARTS[form.form](scene, form, shape)
        # Numbers that say where they stand, among all, come to where each is needed.
        numbered = replace(shape, own=np.arange(n_parameters(shape), dtype=np.float64))
        indices.append(starts[attribute] + part.own_of(numbered).astype(np.int64))
        parts.append(part)
        attributes.append(attribute)
    objective = Objective(
        scene,
        parts,
        deepcopy(plan.score),
        ground.features(plan),
        plan.prolific[place],
        plan.uses_prolific,
    )
    index = np.concatenate(indices)
    is_all = np.array_equal(index, np.arange(starts[-1]))
    return Piece(objective, None if is_all else index, place, tuple(attributes))
