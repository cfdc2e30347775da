"""What claims tell of the parameters that they share with others: sums over claims."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.block_data import Found
from veracity.models.grbm.block_objective import Piece
from veracity.models.grbm.curvature import SharedSums
from veracity.models.grbm.model_spec import Plan
from veracity.models.grbm.observation.one_coin import CoinPart
from veracity.models.grbm.observation.registry import PARTS
from veracity.models.memory import Recorded


@dataclass(frozen=True, eq=False)
class Information:
    """What claims tell of what they share and of their sources; adds over claims.

    The columns that they share are a constant and the features of a linear g. How prolific a source
    is, is a number of the source, and its terms follow from the others.

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

    def shared_sums(self, prolific: Floats) -> SharedSums:
        """Return the same with gamma as the second of what is shared."""
        weight, rest = np.maximum(self.cross[:1], 0.0), self.cross[1:]
        cross = np.concatenate([weight, weight * prolific, rest])
        n_shared = len(cross)
        square = np.empty((n_shared, n_shared))
        other = np.append(0, np.arange(2, n_shared))
        square[np.ix_(other, other)] = self.square
        gamma = cross @ prolific
        square[1], square[:, 1] = gamma, gamma
        square[0, 0] = weight.sum()
        return SharedSums(square, cross, weight[0])


def information_of(piece: Piece, weight: Floats, plan: Plan) -> Information:
    scene, objective = piece.objective.scene, piece.objective
    columns = objective.features[scene.row] if plan.score.is_linear else np.zeros((len(weight), 0))
    source = piece.place[scene.matrix.source_index]
    return Information.of(columns, weight, source, plan.n_sources)


def recorded_of(piece: Piece, plan: Plan, x: Floats) -> Recorded:
    """Return the information and the rates of each claim of a piece."""
    objective = piece.objective
    rates = objective.rates(x)
    gradient = _claim_gradients(piece, plan, x)
    return {
        "information": gradient**2,
        "reliability": rates.right,
        "tpr": rates.tpr,
        "fpr": rates.fpr,
    }


def _claim_gradients(piece: Piece, plan: Plan, x: Floats) -> Floats:
    """Return the gradient of the log-likelihood in eta of each claim; (n_claims,)."""
    objective, matrix = piece.objective, piece.objective.scene.matrix
    row = objective.scene.row
    scene = replace(
        objective.scene,
        row=np.arange(matrix.n_claims, dtype=np.int32),
        source_of_row=matrix.source_index.astype(np.int64),
    )
    plain, coin = (eta[row] for eta in objective.eta(x))
    found, total = Found.empty(matrix), np.zeros(matrix.n_claims)
    own = objective.cut(x)[3:]
    for part, attribute, numbers in zip(objective.parts, piece.attributes, own, strict=True):
        shape = replace(plan.shapes[attribute], lookup=piece.place)
        by_claim = PARTS[part.block.form](scene, part.block, shape)
        total += by_claim.run(numbers, coin if isinstance(part, CoinPart) else plain, found)[2]
    return total
