"""The default model over blocks of items: the same passes, and sums of what they leave.

Every block has an objective of its own, with the parameters of its own sources, and knows the place
of each of these parameters among all. The likelihood and its gradient are sums over blocks; priors
are added once. Nothing that grows with the number of claims leaves a block. Claims in memory are
one block.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.block_objective import Piece, piece_of
from veracity.models.grbm.curvature import SharedCurvature, SharedSums
from veracity.models.grbm.model_spec import Plan
from veracity.models.grbm.objective import Penalised
from veracity.models.grbm.prepared_block import Ground
from veracity.models.grbm.priors import BinaryPrior, ClassPrior, NoPrior, Prior


class ObjectiveInBlocks(Penalised):
    """The penalised log-likelihood of claims in blocks."""

    def __init__(
        self,
        grounds: Blocks[Ground],
        plan: Plan,
        n_claims: Indices,
        known_curvature: SharedCurvature | None = None,
    ) -> None:
        self.plan, self.score = plan, plan.score
        self.known_curvature = known_curvature
        self._n_claims = n_claims
        self.pieces = grounds.prepare(piece_of, plan)
        counts = self.pieces.total(prior_sums, plan)
        self._priors = [prior_of(counts, number, shape) for number, shape in enumerate(plan.shapes)]

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return self.plan.n_sources

    @property
    def priors(self) -> Sequence[Prior]:
        """Where the parameters of each attribute start, and how strongly they are held there."""
        return self._priors

    def speaks_often(self) -> npt.NDArray[np.bool_]:
        """Mark sources with more than one claim."""
        return self._n_claims > 1

    def shared_sums(self) -> SharedSums:
        """Return the information of the claims in m, gamma and g, and in the deviations."""
        sums = self.pieces.total(_shared_sums, self.n_sources)
        cross = np.ascontiguousarray(sums["cross"].everywhere().T)
        return SharedSums(sums["square"], cross, sums["of_source"].everywhere())

    def ascend(self, x: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood and its gradient."""
        sums = self.pieces.total(_ascend, x)
        return sums["likelihood"], sums["ascent"].everywhere()


def _ascend(piece: Piece, x: Floats) -> Sums:
    likelihood, ascent = piece.ascend(x)
    return {"likelihood": likelihood, "ascent": ascent}


def _shared_sums(piece: Piece, n_sources: int) -> Sums:
    sums = piece.objective.shared_sums()
    return {
        "square": sums.square,
        "cross": Scattered(piece.place, np.ascontiguousarray(sums.cross.T), n_sources),
        "of_source": Scattered(piece.place, sums.of_source, n_sources),
    }


def prior_sums(piece: Piece, plan: Plan) -> Sums:
    """Count what the priors of attributes rest on; of those that the block has not, nothing."""
    parts = dict(zip(piece.attributes, piece.objective.parts, strict=True))
    nobody, nothing = np.empty(0, np.int64), np.empty(0)
    sums: Sums = {}
    for number, form in enumerate(plan.forms):
        part = parts.get(number)
        place = nobody if part is None else piece.place[part.sources]
        prior: Prior
        if form.form == "binary":
            prior = BinaryPrior(0.0, 0.0, 0, 0, nobody, nothing) if part is None else part.prior
            assert isinstance(prior, BinaryPrior)
            sums[f"{number} single"] = np.array(
                [prior.claimed, prior.spoken, prior.n_statements, prior.n_thin]
            )
            sums[f"{number} spoken"] = Scattered(place, prior.n_spoken, plan.n_sources)
        elif form.form == "classes":
            n_said = np.zeros(form.n_classes, np.int64)
            prior = ClassPrior(n_said, 0, 0, nobody, nobody) if part is None else part.prior
            assert isinstance(prior, ClassPrior)
            sums[f"{number} single"] = np.array([prior.n_items, prior.n_thin])
            sums[f"{number} said"] = prior.n_said
        else:
            continue
        sums[f"{number} claims"] = Scattered(place, prior.n_claims, plan.n_sources)
    return sums


def prior_of(sums: Sums, number: int, shape: FittedBlock) -> Prior:
    """Put the counts of all blocks together."""
    form = shape.block.form
    if form == "coin":
        return NoPrior()
    single = sums[f"{number} single"]
    n_claims = sums[f"{number} claims"].everywhere()[shape.sources]
    if form == "binary":
        n_spoken = sums[f"{number} spoken"].everywhere()[shape.sources]
        return BinaryPrior(single[0], single[1], int(single[2]), int(single[3]), n_claims, n_spoken)
    said = sums[f"{number} said"]
    return ClassPrior(said, int(single[0]), int(single[1]), n_claims, shape.heavy)
