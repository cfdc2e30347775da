"""Count the claims about items of known truth, by source and attribute."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import TRUE, KnownTruth
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Sums
from veracity.models.tables import sent

if TYPE_CHECKING:
    from veracity.models.base import TruthModel


@dataclass(frozen=True, eq=False)
class LabelledClaims:
    """Claims about items of known truth, counted by source and attribute; these counts add.

    Attributes
    ----------
    key
        The pairs of a source and an attribute that have such claims, in order: the place of the
        source times `n_attributes`, plus that of the attribute; (n_pairs,).
    right, wrong
        Claims that are so; who denies a false statement is right; (n_pairs,).
    n_items
        Items that the claims are about; (n_pairs,).
    expected
        How many of the claims the model expects to be right; (n_pairs,).
    n_attributes
        Number of attributes of all claims.
    """

    key: Indices
    right: Indices
    wrong: Indices
    n_items: Indices
    expected: Floats
    n_attributes: int

    @classmethod
    def none(cls, n_attributes: int) -> LabelledClaims:
        """Return the counts of no claims."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing, nothing, nothing, np.zeros(0), n_attributes)

    @classmethod
    def of(
        cls,
        matrix: ClaimMatrix,
        known: KnownTruth,
        plausibility: Floats,
        place: Indices | None = None,
    ) -> LabelledClaims:
        """Count the claims of a matrix.

        Parameters
        ----------
        matrix, known
            The claims, and the truth of some of their items.
        plausibility
            Of each statement, by a model that does not know the truth; (n_statements,).
        place
            The place of each source of the matrix among all sources, if there are others.
        """
        items = np.flatnonzero(known.settled)
        claim = _claims_about(matrix, items)
        statement, source = matrix.statement_index[claim], matrix.source_index[claim]
        item = np.repeat(items, np.diff(matrix.claim_start)[items])
        says_yes = matrix.claim_value[claim] == 1
        right = says_yes == (known.statement[statement] == TRUE)
        p = plausibility[statement]
        n_attributes = len(matrix.profiles)
        speaker = source.astype(np.int64) if place is None else place[source]
        of_claim = speaker * n_attributes + matrix.attribute_index[item]
        key = distinct(of_claim)
        at, size = np.searchsorted(key, of_claim), len(key)
        spoken = distinct(item * matrix.n_sources + source)  # once, however much is said
        about, by = np.divmod(spoken, matrix.n_sources)
        by = by if place is None else place[by]
        of_item = np.searchsorted(key, by * n_attributes + matrix.attribute_index[about])
        return cls(
            key,
            np.bincount(at[right], minlength=size),
            np.bincount(at[~right], minlength=size),
            np.bincount(of_item, minlength=size),
            sum_by(at, np.where(says_yes, p, 1.0 - p), size),
            n_attributes,
        )

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.key)

    def __add__(self, other: LabelledClaims) -> LabelledClaims:
        """Add the counts of other items."""
        return LabelledClaims(
            np.append(self.key, other.key),
            np.append(self.right, other.right),
            np.append(self.wrong, other.wrong),
            np.append(self.n_items, other.n_items),
            np.append(self.expected, other.expected),
            self.n_attributes,
        )._merged()

    def by_source(self) -> LabelledClaims:
        """Return the counts over all attributes: a key is then the place of a source."""
        return replace(self, key=self.key // self.n_attributes, n_attributes=1)._merged()

    def _merged(self) -> LabelledClaims:
        """Add up the counts that share a key."""
        key = distinct(self.key)
        at, size = np.searchsorted(key, self.key), len(key)
        right, wrong, n_items = (
            sum_by(at, count.astype(np.float64), size).astype(np.int64)
            for count in (self.right, self.wrong, self.n_items)
        )
        expected = sum_by(at, self.expected, size)
        return LabelledClaims(key, right, wrong, n_items, expected, self.n_attributes)


def _claims_about(matrix: ClaimMatrix, items: Indices) -> Indices:
    """Return the claims about some items, item by item."""
    first = matrix.claim_start[items]
    size = matrix.claim_start[items + 1] - first
    before = np.cumsum(size) - size
    return np.asarray(np.arange(size.sum()) + np.repeat(first - before, size))


def count_labelled(model: TruthModel, claims: ClaimsInBlocks) -> LabelledClaims:
    """Count the claims about the known truth of each block, beside what the model expects.

    The model judges these items as if nothing were known of them.
    """
    blocks, n_attributes = claims.blocks, len(claims.attributes)
    found: LabelledClaims = blocks.total(_count, sent(model, blocks), n_attributes)["labelled"]
    return found


def _count(block: ClaimBlock, model: TruthModel, n_attributes: int) -> Sums:
    known = block.known
    if known is None or not known.settled.any():
        return {"labelled": LabelledClaims.none(n_attributes)}
    plausibility = model._to_judge()._judge_unaware(block)
    return {"labelled": LabelledClaims.of(block.matrix, known, plausibility, block.place)}
