"""Which shard owns each parameter of a block; see `veracity.engines.shards`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.engines.parts import place_in
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.moving import Marks
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.shard_plan import HEAD, ShardPlan

Places = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class BlockRoute:
    """Where the parameters of a block come from, and where its gradient goes.

    Attributes
    ----------
    shards
        The shards that own some of them.
    places
        Which numbers of each shard, rising.
    own
        Where these are among the parameters of the block.
    head_place, head_own
        The same of the head.
    head_size
        How many numbers the head has.
    stays, value
        Where parameters are that do not move and are not 0, and what they are.
    """

    shards: Sequence[int]
    places: Sequence[Places]
    own: Sequence[Places]
    head_place: Places
    head_own: Places
    head_size: int
    stays: Indices
    value: Floats

    @classmethod
    def of(
        cls, block: BlockObjective, marks: Marks, plan: ShardPlan, stays: Indices, value: Floats
    ) -> BlockRoute:
        """Find who owns the parameters of a block."""
        index = block.places
        moves, place = marks.among(index)
        shard, at = plan.locate(place)
        order = np.lexsort((at, shard))
        shard, at = shard[order], at[order].astype(np.int32)
        own = np.flatnonzero(moves)[order].astype(np.int32)
        owners, first = np.unique(shard, return_index=True)
        cuts = np.append(first, len(shard))
        parts = {int(owner): slice(*ends) for owner, ends in zip(owners, _pairs(cuts), strict=True)}
        head = parts.pop(HEAD, slice(0, 0))
        held, which = place_in(stays, index)
        return cls(
            list(parts),
            [at[part] for part in parts.values()],
            [own[part] for part in parts.values()],
            at[head],
            own[head],
            plan.head_size,
            np.flatnonzero(held),
            value[which],
        )

    def parameters(
        self, block: BlockObjective, head: Floats, numbers: Sequence[Floats]
    ) -> ParameterVector:
        """Put the parameters of the block together."""
        found = block.names.zeros()
        found.values[self.stays] = self.value
        found.values[self.head_own] = head[self.head_place]
        for own, came in zip(self.own, numbers, strict=True):
            found.values[own] = came
        return found

    def of_head(self, values: Floats) -> Floats:
        """Return the numbers of the block about the head."""
        found = np.zeros(self.head_size)
        found[self.head_place] = values[self.head_own]
        return found

    def messages(self, values: Floats) -> list[Floats]:
        """Return the numbers of the block about each shard."""
        return [values[own] for own in self.own]


def _pairs(cuts: Indices) -> list[tuple[int, int]]:
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
