"""Which attributes look ordered and are not treated so."""

from __future__ import annotations

from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.encode.near_misses import ordered_notes
from veracity.data.notes import Note
from veracity.engines.base import ClaimsInBlocks


def order_notes(claims: Claims | ClaimsInBlocks) -> list[Note]:
    """Suggest to treat attributes as ordered; of claims in blocks, the first is looked at.

    On a cluster, nothing is looked at.
    """
    if isinstance(claims, Claims):
        return ordered_notes(claims.matrix)
    return [] if claims.on_spark else next(claims.blocks.results(_in_block))


def _in_block(block: ClaimBlock) -> list[Note]:
    return ordered_notes(block.matrix)
