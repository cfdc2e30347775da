"""BlockNumbers: the claimed numbers of a block, item by item, as the learning passes need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.grouping import starts
from veracity.data.matrix import ClaimMatrix
from veracity.models.forms.number.kernel import medians_and_deviations
from veracity.models.forms.number.scale import to_scale
from veracity.models.numeric.numbers import Numbers

#: Labels are dealt into so many folds, each judged by what the others teach.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class BlockNumbers:
    """The claimed numbers of a block; items without a number are left out.

    A *cell* is a source speaking about an attribute: what is learned is learned by cell.

    Attributes
    ----------
    item
        The item of the block that each item here is; (n,).
    attribute
        The attribute of each item; (n,).
    start
        Where the claims of each item begin; (n + 1,).
    cell
        Who speaks of what: the attribute times `width`, plus the source's place; (n_claims,).
    value, u
        The claimed numbers, and the same on the scale of their attribute; rising within an item.
    weight
        How much each claim counts: one that its source contradicts itself counts a part.
    count
        The weights of an item's claims together; (n,).
    label, known
        The labels of items on their scale, and those that are learned from; NaN elsewhere; (n,).
    middle, deviation
        Weighted median of the claims of each item, and of their distances from it; (n,).
    statement, claim
        The statement of each claim, and its place among all claims of the block; (n_claims,).
    fold
        The fold that the label of each item belongs to, -1 where there is none; (n,).
    """

    item: Indices
    attribute: Indices
    start: Indices
    cell: Indices
    value: Floats
    u: Floats
    weight: Floats
    count: Floats
    label: Floats
    known: Floats
    middle: Floats
    deviation: Floats
    statement: Indices
    claim: Indices
    fold: Indices

    @property
    def of_claim(self) -> Indices:
        """The item of each claim, counted among the items here."""
        return np.repeat(np.arange(len(self.item)), np.diff(self.start))

    def by_item(self, of_claim: Floats) -> Floats:
        """Add up numbers of claims for each item."""
        if not len(self.item):
            return np.zeros(0)
        return np.asarray(np.add.reduceat(of_claim, self.start[:-1]), np.float64)

    def on_scale(self, is_log: Mask) -> BlockNumbers:
        """Return the same numbers on the scale of each attribute."""
        label = to_scale(self.label, is_log[self.attribute])
        known = np.where(np.isnan(self.known), np.nan, label)
        u = to_scale(self.value, is_log[self.attribute[self.of_claim]])
        middle, deviation = medians_and_deviations(self.start, u, self.weight)
        return replace(self, u=u, label=label, known=known, middle=middle, deviation=deviation)


def numbers_of_block(
    block: ClaimBlock, width: int, place: Indices | None = None, named: Indices | None = None
) -> BlockNumbers:
    """Read the claimed numbers of a block.

    `width` is how many cells an attribute has. `place` and `named` say where the sources and the
    attributes of a block stand that is not one of the fit.
    """
    found = Numbers.of(block.claims)
    matrix = block.matrix
    begins = starts(found.item)
    item = found.item[begins]
    start = np.append(begins, len(found)).astype(np.int64)
    of_claim = np.repeat(np.arange(len(item)), np.diff(start))
    attribute = matrix.attribute_index[item].astype(np.int64)
    attribute = attribute if named is None else named[attribute]
    source = (block.place if place is None else place)[found.source]
    pair = found.item * matrix.n_sources + found.source
    _, at, times = np.unique(pair, return_inverse=True, return_counts=True)
    weight = found.weight / times[at]
    known = np.full(len(item), np.nan) if block.known is None else block.known.number[item]
    middle, deviation = medians_and_deviations(start, found.value, weight)
    return BlockNumbers(
        item,
        attribute,
        start,
        attribute[of_claim] * width + source,
        found.value,
        found.value,
        weight,
        sum_by(of_claim, weight, len(item)),
        known,
        known,
        middle,
        deviation,
        found.statement,
        found.claim,
        _folds(matrix, item, ~np.isnan(known)),
    )


def _folds(matrix: ClaimMatrix, item: Indices, is_known: Mask) -> Indices:
    """Deal the labelled items into folds by the names of their entities."""
    fold = np.full(len(item), -1, np.int64)
    for place in np.flatnonzero(is_known).tolist():
        entity = matrix.entities[int(matrix.entity_index[item[place]])].as_py()
        fold[place] = crc32(entity.encode()) % FOLDS
    return fold


def without_labels(numbers: BlockNumbers, fold: int) -> BlockNumbers:
    """Return the same numbers, to learn from without the labels of a fold."""
    return replace(numbers, known=np.where(numbers.fold == fold, np.nan, numbers.known))


def of_items(numbers: BlockNumbers, items: Mask) -> BlockNumbers:
    """Return the numbers of some items alone."""
    if items.all():
        return numbers
    claims = items[numbers.of_claim]
    size = np.diff(numbers.start)[items]
    return BlockNumbers(
        numbers.item[items],
        numbers.attribute[items],
        np.append(0, np.cumsum(size)).astype(np.int64),
        numbers.cell[claims],
        numbers.value[claims],
        numbers.u[claims],
        numbers.weight[claims],
        numbers.count[items],
        numbers.label[items],
        numbers.known[items],
        numbers.middle[items],
        numbers.deviation[items],
        numbers.statement[claims],
        numbers.claim[claims],
        numbers.fold[items],
    )
