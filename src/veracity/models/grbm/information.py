"""Information of claims about parameters that they share with others: sums over claims."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.curvature import SharedSums
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.memory import Recorded


@dataclass(frozen=True, eq=False)
class Information:
    """Information of claims about what they share and about their sources; adds over claims.

    The columns that they share are a constant and the features of a linear g. How much a source
    claims is a number of the source, and its terms follow from the others.

    Attributes
    ----------
    square, cross
        (1 + n_columns, 1 + n_columns) and (1 + n_columns, n_sources).
    """

    square: Floats
    cross: Floats

    @classmethod
    def of(cls, columns: Floats, weight: Floats, source: Indices, n_sources: int) -> Information:
        """Add up claims, given the columns and the information of each."""
        design = np.hstack([np.ones((len(weight), 1)), columns])
        sums = SharedSums.of(design, weight, source, n_sources)
        return cls(sums.square, sums.cross)

    def plus(self, other: Information, sign: float = 1.0) -> Information:
        """Add the information of other claims, or take it away."""
        return Information(self.square + sign * other.square, self.cross + sign * other.cross)

    def shared_sums(self, log_claim_count: Floats) -> SharedSums:
        """Return the same with gamma as the second of what is shared."""
        weight, rest = np.maximum(self.cross[:1], 0.0), self.cross[1:]
        cross = np.concatenate([weight, weight * log_claim_count, rest])
        n_shared = len(cross)
        square = np.empty((n_shared, n_shared))
        other = np.append(0, np.arange(2, n_shared))
        square[np.ix_(other, other)] = self.square
        gamma = cross @ log_claim_count
        square[1], square[:, 1] = gamma, gamma
        square[0, 0] = weight.sum()
        return SharedSums(square, cross, weight[0])


def information_of(block: BlockObjective, weight: Floats) -> Information:
    """Add up the information of the claims of a block, given that of each."""
    data, spec = block.data, block.spec
    features = data.rows.features[data.row]
    columns = features if spec.reliability.is_linear else np.zeros((len(weight), 0))
    source = block.place[data.matrix.source_index]
    return Information.of(columns, weight, source, spec.n_sources)


def recorded_of(block: BlockObjective, own: ParameterVector) -> Recorded:
    """Return the information and the rates of each claim of a block."""
    rates = block.rates(own)
    return {
        "information": block.claim_gradients(own) ** 2,
        "reliability": rates.right,
        "tpr": rates.tpr,
        "fpr": rates.fpr,
    }
