"""Cells: what claims of the same row that name the same class look up, and what they add to.

See `batch_kernels` for what these numbers are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.compiled import compiled
from veracity.data.spare import SpareArrays
from veracity.features.codes import distinct_codes
from veracity.models.grbm.observation.class_tables import ClassSums, ClassTables


@dataclass(frozen=True, eq=False)
class ClassCells:
    """The cells of some claims.

    Attributes
    ----------
    cell
        Of each claim; (n_claims,).
    row, said, said_class
        Of each cell: the row of its claims, the place of their source and class among those that
        occur, and that class; (n_cells,).
    spare
        Sums for the next pass.
    """

    cell: npt.NDArray[np.int32]
    row: npt.NDArray[np.int32]
    said: npt.NDArray[np.int32]
    said_class: npt.NDArray[np.int32]
    spare: SpareArrays = field(default_factory=SpareArrays, repr=False)

    @classmethod
    def of(cls, row: Indices, said: Indices, said_class: Indices, n_classes: int) -> ClassCells:
        """Find the cells of claims, the fullest first; -1 marks a claim without a class."""
        keys, code = distinct_codes(row.astype(np.int64) * n_classes + np.maximum(said_class, 0))
        often = np.argsort(-np.bincount(code, minlength=len(keys)), kind="stable")
        place = np.empty(len(keys), np.int32)
        place[often] = np.arange(len(keys), dtype=np.int32)
        cell = place[code]
        of_cell, counts = np.zeros(len(keys), np.int32), said_class >= 0
        of_cell[cell[counts]] = said[counts]
        of_row, of_class = (part.astype(np.int32) for part in np.divmod(keys[often], n_classes))
        return cls(cell, of_row, of_cell, of_class)

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.row)

    def records(self, tables: ClassTables) -> Floats:
        """Return what claims look up, and a last record for places without a claim."""
        records = np.empty((len(self) + 1, 2 * tables.share.shape[1]))
        _fill(self.row, self.said, tables.odds, tables.share, records)
        return records

    def no_sums(self, records: Floats) -> Floats:
        """Return what claims add to, before any is heard; it is to be given to `add`."""
        sums = self.spare.take(*records.shape)
        sums[...] = 0.0
        return sums

    def add(self, of_cells: Floats, sums: ClassSums) -> None:
        """Add what the claims of all cells left, which is used up."""
        _add(self.row, self.said, self.said_class, of_cells, sums.said, sums.hit, sums.own)
        self.spare.give_back(of_cells)


@compiled
def _fill(row: Any, said: Any, odds: Any, share: Any, records: Any) -> None:
    """Copy odds and shares; the record of an empty place has odds 0 and shares 1."""
    n_classes = share.shape[1]
    for cell in range(len(row)):
        record, own_odds, own_share = records[cell], odds[row[cell]], share[said[cell]]
        for k in range(n_classes):
            record[k], record[n_classes + k] = own_odds[k], own_share[k]
    records[len(row), :n_classes] = 0.0
    records[len(row), n_classes:] = 1.0


@compiled
def _add(
    row: Any, said: Any, said_class: Any, of_cells: Any, of_said: Any, of_hit: Any, of_own: Any
) -> None:
    """Add the sums of cells to those of rows, and of sources and classes said."""
    n_classes = of_hit.shape[1]
    for cell in range(len(row)):
        mine, r = of_cells[cell], row[cell]
        own_said, own_hit = of_said[said[cell]], of_hit[r]
        of_own[r] += mine[said_class[cell]]
        for k in range(n_classes):
            own_said[k] += mine[k]
            own_hit[k] += mine[n_classes + k]
