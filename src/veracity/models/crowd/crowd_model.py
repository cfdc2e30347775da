"""CrowdModel: what the methods for labels of a crowd share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.per_source import Learned, SourceLearner, check_iterations
from veracity.models.views.by_class import Ballots
from veracity.models.views.by_class_blocks import BallotsInBlocks, scales_of
from veracity.models.views.classes import Scales


class CrowdModel(SourceLearner):
    """Base of models that see claims as votes on questions with classes: `Ballots`."""

    uses_known_truth: ClassVar[bool] = True
    #: Whether what a source says has a likelihood for each truth.
    _confused: ClassVar[bool] = False
    #: An attribute with more classes is treated as open.
    _most_classes: ClassVar[int | None] = None

    scales_: Scales

    # What a model has to say

    @abstractmethod
    def _believe(self, ballots: Ballots, claims: Claims) -> Floats:
        """Return the belief in each answer by what was learned; (n_answers,)."""

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense."""

    # What it gets

    def _ballots(self, claims: ClaimsInBlocks) -> Ballots | BallotsInBlocks:
        """Read claims as votes, after the parameters are checked."""
        block = claims.blocks.only
        if block is not None:
            return self._all_ballots(block.matrix, block.known)
        self._check()
        self.scales_ = scales_of(claims, self._most_classes)
        self._source_labels = claims.sources
        return BallotsInBlocks(claims, self.scales_, self._confused)

    def _all_ballots(self, matrix: ClaimMatrix, known: KnownTruth | None) -> Ballots:
        """Read all claims as votes, after the parameters are checked."""
        self._check()
        self.scales_ = Scales.of(matrix, self._most_classes)
        self._source_labels = matrix.sources
        return Ballots.of(matrix, self.scales_, known, self._confused)

    def _check(self) -> None:
        check_iterations(self.max_iter, self.tol)
        self._check_parameters()

    def _judge(self, claims: Claims) -> Judgement:
        ballots = Ballots.of(claims.matrix, self.scales_, None, self._confused)
        return Judgement(ballots.plausibility(self._believe(ballots, claims)))

    def _learned_at(self, claims: Claims) -> Learned:
        return self.learned_.at(self._places(claims.matrix))

    # Keeping it

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state, arrays = super()._state()
        return {**state, "scales": self.scales_.as_dict()}, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        self.scales_ = Scales.from_dict(state["scales"])


def check_not_negative(**parameters: float) -> None:
    """Refuse parameters below 0."""
    for name, value in parameters.items():
        if not (np.isfinite(value) and value >= 0):
            raise InvalidParameter(f"{name} must be a number, zero or more. Got {value!r} instead.")


def check_positive(**parameters: float) -> None:
    """Refuse parameters that are not above 0."""
    for name, value in parameters.items():
        if not (np.isfinite(value) and value > 0):
            raise InvalidParameter(f"{name} must be a number above 0. Got {value!r} instead.")
