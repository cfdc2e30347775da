"""Cells: what claims of the same row that name the same class look up, and what they add to.

See `batch_kernels` for what these numbers are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.spare import SpareArrays
from veracity.engines.threads import over_threads
from veracity.features.codes import distinct_codes
from veracity.models.grbm.observation.class_tables import ClassTables
from veracity.models.grbm.observation.source_kernels import cell_gradient, cell_records


@dataclass(frozen=True, eq=False)
class ClassCells:
    """The cells of some claims.

    Attributes
    ----------
    cell
        Of each claim; (n_claims,).
    start
        Where the cells of each source begin; (n_sources + 1,).
    row, said_class
        The row of the claims of each cell, and the class that they name; (n_cells,).
    spare
        Arrays for the next pass.
    """

    cell: npt.NDArray[np.int32]
    start: Indices
    row: npt.NDArray[np.int32]
    said_class: npt.NDArray[np.int32]
    spare: SpareArrays = field(default_factory=SpareArrays, repr=False)

    @classmethod
    def of(
        cls,
        row: Indices,
        said_class: Indices,
        n_classes: int,
        source_of_row: Indices,
        n_sources: int,
    ) -> ClassCells:
        """Find the cells of claims, source by source; -1 marks a claim without a class."""
        keys, code = distinct_codes(row.astype(np.int64) * n_classes + np.maximum(said_class, 0))
        rows, classes = (part.astype(np.int32) for part in np.divmod(keys, n_classes))
        source = source_of_row[rows]
        order = np.lexsort((classes, source))
        place = np.empty(len(keys), np.int32)
        place[order] = np.arange(len(keys), dtype=np.int32)
        start = np.append(0, np.cumsum(np.bincount(source, minlength=n_sources)))
        return cls(place[code], start, rows[order], classes[order])

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.row)

    @property
    def _by_source(self) -> tuple[npt.NDArray[np.integer], ...]:
        """The first arguments of the compiled loops over sources."""
        return self.start, self.row, self.said_class

    def records(self, tables: ClassTables, threads: int | None) -> Floats:
        """Return what claims look up, and a last record for places without a claim.

        That has odds 0 and shares 1. They are to be given back to `spare`.
        """
        n_classes = tables.even.shape[1]
        records, grown = self.spare.take(len(self) + 1, 2 * n_classes), tables.grown
        records[-1, :n_classes], records[-1, n_classes:] = 0.0, 1.0

        def work(first: int, last: int) -> None:
            cell_records(first, last, *self._by_source, grown, *tables.of_sources, records)

        over_threads(work, self.start, threads)
        return records

    def no_sums(self, n_classes: int) -> Floats:
        """Return sums of 0 for claims to add to. Give the array back to `spare` after use."""
        sums = self.spare.take(len(self) + 1, 2 * n_classes)
        sums[...] = 0.0
        return sums

    def gradient(
        self,
        tables: ClassTables,
        sums: Sequence[Floats],
        of_habit: Floats,
        of_between: Floats,
        of_deviation: Floats,
        threads: int | None,
    ) -> Floats:
        """Set the gradients in A, C and B from the sums of a pass; return that in u of each row.

        The sums of all its parts are added to those of the first.
        """
        of_strength = np.zeros_like(tables.strength)
        total, *others = sums

        def work(first: int, last: int) -> Floats:
            between = np.zeros_like(of_between)
            cells = slice(*self.start[[first, last]].tolist())
            for more in others:
                total[cells] += more[cells]
            cell_gradient(
                first, last, *self._by_source, total, *tables.of_sources,
                of_habit, between, of_deviation, of_strength,
            )  # fmt: skip
            return between

        for between in over_threads(work, self.start, threads):
            of_between += between
        return of_strength
