"""Units of the machine in blocks: the same summaries, added up over blocks of items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.denials import lay_out
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.observation.free_binary import Summary, Units
from veracity.models.grbm.theta import Theta


@dataclass(frozen=True, eq=False)
class UnitBlock:
    """The units of a block, whose rows are its sources, and their place among all."""

    units: Units
    place: npt.NDArray[np.int64]


class UnitsInBlocks:
    """Claims in blocks as units of a machine that has one row of theta for each source."""

    def __init__(self, claims: ClaimsInBlocks) -> None:
        self.n_rows = claims.n_sources
        self._blocks: Blocks[UnitBlock] = claims.blocks.prepare(_units_of)
        found = self._blocks.total(_count, self.n_rows)
        self.counts: Floats = found["counts"].everywhere()
        self.n_statements: int = found["n_statements"]

    def summarise(self, theta: Theta, global_hidden_bias: float, threads: int | None) -> Summary:
        """Return the summary of all items."""
        sums = self._blocks.total(_summarise, theta, global_hidden_bias)
        return Summary(
            sums["log_likelihood"], sums["delta_theta"].everywhere(), sums["delta_global"]
        )


def _units_of(block: ClaimBlock) -> UnitBlock:
    matrix = block.matrix
    units = Units.of(lay_out(matrix), matrix.source_index, matrix.n_sources)
    if block.known is not None:
        units = replace(units, known=block.known.statement)
    return UnitBlock(units, block.place)


def _count(block: UnitBlock, n_rows: int) -> Sums:
    return {
        "counts": Scattered(block.place, block.units.counts, n_rows),
        "n_statements": block.units.n_statements,
    }


def _summarise(block: UnitBlock, theta: Theta, global_hidden_bias: float) -> Sums:
    own = Theta(*(column[block.place] for column in theta))
    summary = block.units.summarise(own, global_hidden_bias, None)
    size = len(theta.weight)
    return {
        "log_likelihood": summary.log_likelihood,
        "delta_theta": Scattered(block.place, summary.delta_theta, size),
        "delta_global": summary.delta_global,
    }
