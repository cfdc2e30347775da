"""LabelledItems: the claims about items whose truth is known, as one small block.

The unlabelled fit is made once, over all claims. What labels add is learned from these items alone,
so that it costs next to nothing, wherever the claims are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Indices, Mask
from veracity.data.blocks import ClaimBlock, Reading, code_part, encode_block, part_about
from veracity.data.buffers import take_labels
from veracity.data.labels.hashes import hash_at, mix
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import FALSE, TRUE, UNKNOWN, KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Sums

#: All items are divided at random into so many parts. What is learned for a part rests on the
#: labels of the others.
N_PARTS = 10
#: Columns of a part of the claims that are no features.
_ROLES = ("row", "source", "place", "attribute", "entity", "value", "asserts", "time", "weight")
_TRUTH = ("attribute", "entity", "value")


@dataclass(frozen=True, eq=False)
class LabelledItems:
    """The labelled items that somebody speaks about.

    Attributes
    ----------
    block
        The claims about them; all their statements are known to be true or false.
    part
        The part that each item belongs to; (n_items,).
    """

    block: ClaimBlock
    part: Indices

    @property
    def is_true(self) -> Mask:
        """Mark the true statements."""
        assert self.block.known is not None
        return np.asarray(self.block.known.statement == TRUE)

    @property
    def unlabelled(self) -> ClaimBlock:
        """The block without its labels."""
        return replace(self.block, known=None)

    def without(self, part: int | None) -> ClaimBlock:
        """Return the block without the labels of a part; None for all labels."""
        known = self.block.known
        assert known is not None
        settled = np.ones(len(self.part), np.bool_) if part is None else self.part != part
        item = self.block.matrix.item_of_statement
        statement = np.where(settled[item], known.statement, UNKNOWN).astype(np.int8)
        return replace(self.block, known=replace(known, statement=statement, settled=settled))


def without_labels(claims: ClaimsInBlocks) -> ClaimsInBlocks:
    """Return claims without what is known of their truth; the same object if nothing is."""
    if not has_labels(claims):
        return claims
    return replace(claims, blocks=claims.blocks.prepare(_forget))


def has_labels(claims: ClaimsInBlocks) -> bool:
    """Whether the truth of an item that somebody speaks about is known."""
    return bool(claims.blocks.total(_count)["n"])


def gather(claims: ClaimsInBlocks, seed: int) -> LabelledItems | None:
    """Bring the claims about labelled items together; None if there are none."""
    found = [part for part in claims.blocks.results(_labelled_part) if part is not None]
    if not found:
        return None
    parts, truths = zip(*found, strict=True)
    table = pa.concat_tables(parts)
    reading = Reading(
        tuple(profile.name for profile in claims.attributes),
        claims.columns,
        replace(claims.settings, canonical=None),  # values have their spelling by now
        tuple(name for name in table.column_names if name not in _ROLES),
    )
    block = encode_block(code_part(table, reading), claims.attributes)
    known = _all_known(block.matrix, pa.concat_tables(truths))
    return LabelledItems(replace(block, known=known), parts_of(block.matrix, seed))


def parts_of(matrix: ClaimMatrix, seed: int) -> Indices:
    """Return the part that each item belongs to, drawn by its labels; (n_items,)."""
    entity = hash_at(matrix.entities, matrix.entity_index, seed)
    attribute = hash_at(matrix.attributes, matrix.attribute_index, seed + 1)
    return (mix(entity + mix(attribute)) % np.uint64(N_PARTS)).astype(np.int64)


def _forget(block: ClaimBlock) -> ClaimBlock:
    return replace(block, known=None)


def _count(block: ClaimBlock) -> Sums:
    return {"n": 0 if block.known is None else int(block.known.settled.sum())}


def _labelled_part(block: ClaimBlock) -> tuple[pa.Table, pa.Table] | None:
    """Return the claims of a block about labelled items, and their true statements."""
    known, matrix = block.known, block.matrix
    if known is None or not known.settled.any():
        return None
    true = np.flatnonzero(known.statement == TRUE)
    return part_about(block, known.settled), _labels_of(matrix, true)


def _labels_of(matrix: ClaimMatrix, statements: Indices) -> pa.Table:
    """Return attribute, entity and value of some statements."""
    item = matrix.item_of_statement[statements]
    columns = (
        take_labels(matrix.attributes, matrix.attribute_index[item]),
        take_labels(matrix.entities, matrix.entity_index[item]),
        take_labels(matrix.values, matrix.value_index[statements]),
    )
    return pa.table(dict(zip(_TRUTH, columns, strict=True)))


def _all_known(matrix: ClaimMatrix, truth: pa.Table) -> KnownTruth:
    """Return the truth of a matrix whose items are all labelled."""
    ours = _labels_of(matrix, np.arange(matrix.n_statements))
    given, labels = (
        zip(*(table[name].to_pylist() for name in _TRUTH), strict=True) for table in (truth, ours)
    )
    is_true = set(given)
    statement = np.array([TRUE if label in is_true else FALSE for label in labels], np.int8)
    n_items = matrix.n_items
    nothing = pa.table({name: pa.array([], pa.string()) for name in _TRUTH})
    settled = np.ones(n_items, np.bool_)
    return KnownTruth(statement, settled, nothing, np.full(n_items, np.nan))
