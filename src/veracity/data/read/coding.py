"""From labels to indices: claims as whole numbers, sorted by item, value and source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.encode.grouping import counted
from veracity.data.encode.packing import Packing
from veracity.data.labels.short import label_order

#: The order in which claims are sorted: by item, value and source.
SORTED = ("attribute", "entity", "value", "source")


@dataclass(frozen=True, eq=False)
class SortedClaims:
    """Claims in order.

    Attributes
    ----------
    row
        The row of the user's table; (n_claims,).
    columns
        The labels of each role, as a dictionary in order; (n_claims,).
    """

    row: npt.NDArray[np.int64]
    columns: dict[str, pa.DictionaryArray]


def sort_claims(labels: Mapping[str, pa.DictionaryArray]) -> SortedClaims:
    """Leave out rows without a label, number the labels that occur in order, and sort."""
    row = _complete_rows(labels)
    indices, texts = {}, {}
    for role in SORTED:
        indices[role], texts[role] = _numbered(labels[role], row)
    sizes = {role: len(texts[role]) for role in SORTED}
    packing = Packing.of(sizes | {"row": len(labels["source"])})
    every = np.arange(len(indices["source"]), dtype=np.int32) if row is None else row
    ordered = packing.sort(indices | {"row": every})
    columns = {
        role: pa.DictionaryArray.from_arrays(to_arrow(ordered[role]), texts[role], safe=False)
        for role in SORTED
    }
    return SortedClaims(ordered["row"], columns)


def count_labels(labels: Mapping[str, pa.DictionaryArray], roles: Sequence[str]) -> pa.Table:
    """Count the rows that have every label, by those of some roles: ``n_claims``."""
    row = _complete_rows(labels)
    packing = Packing.of({role: len(labels[role].dictionary) for role in roles})
    codes = {role: _codes(labels[role]) for role in roles}
    packed = packing.pack(codes if row is None else {role: codes[role][row] for role in roles})
    keys, counts = counted(packed, packing.stop)
    columns = {
        role: pa.DictionaryArray.from_arrays(to_arrow(index), labels[role].dictionary, safe=False)
        for role, index in packing.unpack(keys)
    }
    return pa.table({**columns, "n_claims": to_arrow(counts)}).select([*roles, "n_claims"])


def _complete_rows(labels: Mapping[str, pa.DictionaryArray]) -> Indices | None:
    """Return the rows that have every label; None if all do."""
    missing = [column for column in labels.values() if column.null_count]
    if not missing:
        return None
    complete = np.ones(len(missing[0]), np.bool_)
    for column in missing:
        complete &= _codes(column) >= 0
    return np.flatnonzero(complete)


def _numbered(
    column: pa.DictionaryArray, row: Indices | None
) -> tuple[npt.NDArray[np.int32], pa.StringArray]:
    """Return the index of the label of some rows, and the labels that occur there, in order."""
    codes, labels = _codes(column), column.dictionary
    if row is None and (column.type.ordered or len(labels) == 1):  # all occur, and are in order
        return codes, labels
    places = (codes if row is None else codes[row]).astype(np.intp)  # by which numpy looks up
    occurs = np.zeros(len(labels), np.bool_)
    occurs[places] = True
    order = label_order(labels)
    order = order[occurs[order]]
    rank = np.zeros(len(labels), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[places], take_labels(labels, order)


def _codes(column: pa.DictionaryArray) -> npt.NDArray[np.int32]:
    """Return the index of each cell in the dictionary, -1 where there is none."""
    indices = column.indices.cast(pa.int32())
    return to_numpy(indices.fill_null(-1) if indices.null_count else indices)
