"""The heat map of source by attribute: agreement, plausibility and other formats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.buffers import take_labels
from veracity.data.clashes.agreement import agreement_by_attribute
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.tables import Table

#: Sources and attributes with the most claims that are shown.
MAX_SOURCES, MAX_ATTRIBUTES = 40, 30
#: Fewer claims than this say little, and are drawn faintly.
FEW = 5


@dataclass(frozen=True, eq=False)
class HeatMap:
    """How sources do on attributes, the largest first.

    Attributes
    ----------
    source_index, attribute_index
        Which sources and attributes of the claims are shown.
    sources, attributes
        Their names.
    n_claims
        How many claims of the source about the attribute were compared with others'.
    agreement
        The share of these that agrees with most others; NaN where there is none.
    plausibility
        How plausible the model finds what the source claims, on average; NaN where it claims none.
    clashes
        Whether the source writes the attribute in another format.
    n_sources, n_attributes
        How many there are in all.
    """

    source_index: Indices
    attribute_index: Indices
    sources: list[str]
    attributes: list[str]
    n_claims: Floats
    agreement: Floats
    plausibility: Floats
    clashes: Mask
    n_sources: int
    n_attributes: int

    @property
    def cut(self) -> str:
        """Say what is left out; empty if nothing is."""
        parts = []
        if self.n_sources > len(self.sources):
            parts.append(f"the {len(self.sources)} sources with most claims, of {self.n_sources:,}")
        if self.n_attributes > len(self.attributes):
            shown, n = len(self.attributes), self.n_attributes
            parts.append(f"the {shown} attributes with most claims, of {n:,}")
        return f"Shown are {' and '.join(parts)}." if parts else ""


def heat_map(matrix: ClaimMatrix, plausibility: Floats, clashes: Table | None) -> HeatMap | None:
    """Return the heat map of claims; None with fewer than two attributes or two sources.

    `plausibility` is that of each statement, in the order of the matrix.
    """
    n_attributes = len(matrix.profiles)
    if matrix.n_sources < 2 or n_attributes < 2:
        return None
    cell, n_cells = _cells(matrix), matrix.n_sources * n_attributes
    shape = (matrix.n_sources, n_attributes)
    counts = np.bincount(cell, minlength=n_cells).reshape(shape)
    found = plausibility[matrix.statement_index]
    found = np.where(matrix.claim_value == 1, found, 1.0 - found)
    with np.errstate(invalid="ignore"):
        mean = sum_by(cell, found, n_cells).reshape(shape) / counts
        compared, agree = agreement_by_attribute(matrix)
        agreement = agree / compared
    rows = np.argsort(-counts.sum(axis=1), kind="stable")[:MAX_SOURCES]
    columns = np.argsort(-counts.sum(axis=0), kind="stable")[:MAX_ATTRIBUTES]
    shown = np.ix_(rows, columns)
    sources = [str(name) for name in take_labels(matrix.sources, rows).to_pylist()]
    attributes = [matrix.profiles[place].name for place in columns]
    return HeatMap(
        rows,
        columns,
        sources,
        attributes,
        compared[shown],
        agreement[shown],
        mean[shown],
        _clashing(sources, attributes, clashes),
        *shape,
    )


def _cells(matrix: ClaimMatrix) -> Indices:
    """Number the pair of source and attribute of each claim."""
    attribute = matrix.attribute_index[matrix.item_of_claim]
    return matrix.source_index.astype(np.int64) * len(matrix.profiles) + attribute


def _clashing(sources: list[str], attributes: list[str], clashes: Table | None) -> Mask:
    rows = [] if clashes is None else clashes.to_pylist()
    named = {(row["source"], row["attribute"]) for row in rows}
    marks = [[(source, name) in named for name in attributes] for source in sources]
    return np.array(marks, np.bool_)
