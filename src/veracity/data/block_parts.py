"""Parts of a block: the claims about some attributes, and where they are in the whole block."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Indices, Mask
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.encode.grouping import distinct
from veracity.data.labels.arrays import places_among
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import KnownTruth


def about_attributes(block: ClaimBlock, names: Collection[str]) -> ClaimBlock | None:
    """Return the claims of a block about some attributes, with what is known of their items.

    None if there are none. What assessors say is left out: it counts after a fit.
    """
    if not items_about(block.matrix, names).any():
        return None
    claims = block.claims.about_attributes(names)
    claims.matrix  # noqa: B018  encoded now, where the block is
    place = block.place[places_among(claims.matrix.sources, block.matrix.sources)]
    known = None if block.known is None else _known_of(block.known, block.matrix, names)
    return replace(block, claims=claims, place=place, known=known, assessed=None)


def _known_of(known: KnownTruth, matrix: ClaimMatrix, names: Collection[str]) -> KnownTruth:
    own = OwnPart.of(matrix, names)
    number = np.full(matrix.n_items, -1)
    number[own.item] = np.arange(len(own.item))
    item = to_numpy(known.unclaimed["item"])
    again = np.where(item >= 0, number[item], -1)
    place = known.unclaimed.column_names.index("item")
    unclaimed = known.unclaimed.set_column(place, "item", to_arrow(again))
    is_own = [name in names for name in known.unclaimed["attribute"].to_pylist()]
    return KnownTruth(
        known.statement[own.statement],
        known.settled[own.item],
        unclaimed.filter(pa.array(is_own, pa.bool_())),
        known.number[own.item],
    )


@dataclass(frozen=True, eq=False)
class OwnPart:
    """Where the items, statements and claims about some attributes are among all; in their order.

    Attributes
    ----------
    item, statement, claim
        Their places in the matrix of all.
    """

    item: Indices
    statement: Indices
    claim: Indices

    @classmethod
    def of(cls, matrix: ClaimMatrix, names: Collection[str]) -> OwnPart:
        """Find the items, statements and claims about some attributes."""
        own = items_about(matrix, names)
        return cls(
            np.flatnonzero(own),
            np.flatnonzero(own[matrix.item_of_statement]),
            np.flatnonzero(own[matrix.item_of_claim]),
        )


def items_about(matrix: ClaimMatrix, names: Collection[str]) -> Mask:
    """Mark the items whose attribute is one of some; (n_items,)."""
    chosen = np.array([profile.name in names for profile in matrix.profiles], np.bool_)
    return chosen[matrix.attribute_index]


def speakers_of(block: ClaimBlock) -> Indices:
    """Return the places of the sources that speak in a block, in order."""
    return distinct(block.place)


def renumbered(block: ClaimBlock, sources: Indices) -> ClaimBlock:
    """Return a block whose sources have their places among some, which are in order."""
    return replace(block, place=np.searchsorted(sources, block.place).astype(np.int64))
