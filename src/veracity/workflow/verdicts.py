"""Verdicts: what a table of truths believes about each item, in the order of the claim matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.buffers import take_labels, to_numpy
from veracity.data.labels.hashes import Hashes, label_hash
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import items_of
from veracity.errors import InputError


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The believed values of each item.

    Attributes
    ----------
    plausibility
        How plausible it is that all believed values of an item are true; (n_items,).
    labels
        The believed values, by item.
    start
        Where those of each item begin; (n_items + 1,).
    """

    plausibility: Floats
    labels: pa.StringArray
    start: Indices

    @classmethod
    def of(cls, matrix: ClaimMatrix, table: pa.Table) -> Verdicts:
        """Lay a table with a row for each believed value beside a claim matrix."""
        item = items_of(matrix, table)
        rows = np.flatnonzero(item >= 0)  # truth may be given about items without a claim
        rows = rows[np.argsort(item[rows], kind="stable")]
        start = np.searchsorted(item[rows], np.arange(matrix.n_items + 1))
        if (np.diff(start) == 0).any():
            count = int((np.diff(start) == 0).sum())
            raise InputError(
                f"The results say nothing about {count:,} of {matrix.n_items:,} items: they are "
                "damaged. Make the run again."
            )
        plausibility = to_numpy(table["plausibility"])[rows]
        labels = take_labels(pc.fill_null(table["value"], "").combine_chunks(), rows)
        return cls(np.multiply.reduceat(plausibility, start[:-1]), labels, start)

    def values(self, item: int) -> tuple[str, ...]:
        """Return the believed values of an item."""
        first, last = self.start[item], self.start[item + 1]
        return tuple(self.labels.slice(int(first), int(last - first)).to_pylist())

    def is_same(self, other: Verdicts) -> Mask:
        """Mark the items about which another believes the same values; (n_items,)."""
        if other is self:
            return np.ones(len(self.plausibility), np.bool_)
        return np.asarray(self._fingerprint() == other._fingerprint())

    def _fingerprint(self) -> Hashes:
        """Return a number for the set of values of each item, whatever their order."""
        return np.add.reduceat(label_hash(self.labels, 0), self.start[:-1])
