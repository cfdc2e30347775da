"""WholeTable: base of methods that need all claims at once."""

from __future__ import annotations

from abc import abstractmethod

from veracity.data.claims import Claims
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement, TruthModel


class WholeTable(TruthModel):
    """A model that learns from all claims side by side in memory, not from blocks of them."""

    @abstractmethod
    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement | None:
        """Learn from claims; set fitted attributes of the model's own.

        Return what came out for these claims, or None if that is what `_judge` says of them.
        """

    def _fit(self, claims: ClaimsInBlocks) -> Judgement | None:
        block = claims.blocks.only
        if block is None:
            raise needs_all_claims(self)
        return self._fit_table(block.claims, block.known)

    def check_blocks(self) -> None:
        """Refuse claims in blocks."""
        raise needs_all_claims(self)


def needs_all_claims(model: TruthModel) -> InvalidParameter:
    """Return the error of a model that was given claims in blocks and cannot learn from them."""
    return InvalidParameter(
        f"{type(model).__name__} needs all claims in memory. Drop the memory limit or the engine, "
        "or choose one of GRBM, RBM, MajorityVote, DawidSkene, OneCoin and MLE."
    )
