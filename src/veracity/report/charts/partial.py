"""Partial dependence: the rates of claims as one or two of their features change, others as is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.models.base import TruthModel
from veracity.report.charts.grids import Codes, Grid, grid_of
from veracity.report.charts.records import spread_over

#: Claims whose other features are kept as they are.
BACKGROUND = 120


@dataclass(frozen=True, eq=False)
class Curves:
    """The rates at each place, for every claim of the background; (n_places, n_claims)."""

    tpr: Floats
    fpr: Floats

    @property
    def right(self) -> Floats:
        """Mean chance to be right where true and false are as likely; (n_places,)."""
        return np.asarray((self.tpr.mean(axis=1) + 1.0 - self.fpr.mean(axis=1)) / 2)

    @property
    def span(self) -> float:
        """How far the feature moves that chance."""
        return float(np.ptp(self.right))


@dataclass(frozen=True, eq=False)
class Learned:
    """A learned reliability function, and where to look at it.

    Attributes
    ----------
    model
        With features in use.
    table
        The features of all claims.
    grids
        The places of each feature, by its name.
    """

    model: Any
    table: pa.Table
    grids: dict[str, Grid]

    @classmethod
    def of(cls, model: TruthModel, claims: Claims) -> Learned | None:
        """Return the function of a model; None where no features are in use."""
        builder = getattr(model, "feature_builder_", None)
        if builder is None:
            return None
        table = builder.table(claims)
        grids = {name: grid_of(builder, claims, name, table[name]) for name in table.column_names}
        return cls(model, table, grids)

    def counts(self, *grids: Grid) -> Codes:
        """Count the claims in each cell of a grid, or of the product of several."""
        codes = [grid.cells(self.table[grid.name]) for grid in grids]
        sizes = [
            len(grid.values) if grid.borders is None else len(grid.borders) - 1 for grid in grids
        ]
        inside = np.all([code >= 0 for code in codes], axis=0)
        flat = np.ravel_multi_index([code[inside] for code in codes], sizes)
        return np.bincount(flat, minlength=int(np.prod(sizes))).reshape(sizes)

    def curves(self, *grids: Grid) -> Curves:
        """Return the rates at all places of a grid, or of the product of several."""
        among = self.table.take(to_arrow(spread_over(self.table.num_rows, BACKGROUND)))
        n, sizes = among.num_rows, [len(grid.values) for grid in grids]
        total = int(np.prod(sizes))
        table = among.take(to_arrow(np.tile(np.arange(n), total)))
        for grid, place in zip(grids, np.unravel_index(np.arange(total), sizes), strict=True):
            column = _column(grid.values, np.repeat(place, n), table[grid.name].type)
            table = table.set_column(table.column_names.index(grid.name), grid.name, column)
        tpr, fpr = _rates(self.model, table)
        return Curves(tpr.reshape(total, n), fpr.reshape(total, n))


def _column(values: Sequence[Any], place: Codes, kind: pa.DataType) -> pa.Array:
    if pa.types.is_string(kind):
        return pa.array(list(values), pa.string()).take(to_arrow(place.astype(np.int64)))
    numbers = np.array([np.nan if value is None else value for value in values], np.float64)
    return to_arrow(numbers[place])


def _rates(model: Any, table: pa.Table) -> tuple[Floats, Floats]:
    """Return tpr and fpr; of a model with one number for both, those where two values compete."""
    found = model.reliability(table)
    if "tpr" in found.column_names:
        return to_numpy(found["tpr"]), to_numpy(found["fpr"])
    right = to_numpy(found["reliability"])
    return right, 1.0 - right
