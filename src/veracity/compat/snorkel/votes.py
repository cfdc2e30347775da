"""LabelVotes: a label matrix in any of its shapes, as triples of integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Indices
from veracity.errors import InputError, listing

ABSTAIN = -1
#: Names of columns by which a frame is known to be long.
LONG = (("item", "task", "row"), ("source", "worker", "lf"), ("label", "value"))


@dataclass(frozen=True, eq=False)
class LabelVotes:
    """Votes of labelling functions; abstentions are left out.

    Attributes
    ----------
    row, column
        Of each vote; (n_votes,).
    label
        What it says, as it came; (n_votes,).
    n_rows, n_columns
        The size of the matrix.
    rows, columns
        Names of rows and columns, if they have any.
    """

    row: Indices
    column: Indices
    label: npt.NDArray[Any]
    n_rows: int
    n_columns: int
    rows: list[Any] | None = None
    columns: list[Any] | None = None

    @classmethod
    def of(cls, matrix: Any) -> LabelVotes:
        """Read a dense or sparse matrix, a frame, or triples of (item, source, label)."""
        if hasattr(matrix, "tocoo"):
            return _from_sparse(matrix)
        if hasattr(matrix, "columns") and hasattr(matrix, "to_numpy"):
            return _from_frame(matrix)
        if _are_triples(matrix):
            return _from_triples(list(matrix))
        table = np.asarray(matrix)
        if table.ndim != 2:
            raise InputError(
                "L must be a matrix of items by labelling functions, a frame, or triples of "
                f"(item, source, label). Got an array of {table.ndim} dimensions instead."
            )
        return _from_dense(table)


def is_number(label: object) -> bool:
    """Whether a label is a whole number, as Snorkel has them."""
    return isinstance(label, int | np.integer) and not isinstance(label, bool | np.bool_)


def plain(labels: Any) -> npt.NDArray[Any]:
    """Return labels as integers if they all are whole numbers, else as they are."""
    array = np.asarray(labels)
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    if array.dtype.kind == "f" and (array == np.floor(array)).all():
        return array.astype(np.int64)
    array = array.astype(object)
    if all(is_number(label) for label in array.flat):
        return array.astype(np.int64)
    return array


def _from_dense(table: npt.NDArray[Any], columns: list[Any] | None = None) -> LabelVotes:
    row, column = np.nonzero(_spoken(table))
    n_rows, n_columns = table.shape
    label = plain(table[row, column])
    return LabelVotes(row, column, label, n_rows, n_columns, columns=columns)


def _spoken(table: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which cells are votes: not -1, and not missing."""
    if table.dtype.kind in "iub":
        return np.asarray(table != ABSTAIN)
    if table.dtype.kind == "f":
        return np.asarray((table != ABSTAIN) & ~np.isnan(table))
    silent = [one is None or one != one or (is_number(one) and one == -1) for one in table.flat]
    return ~np.array(silent, np.bool_).reshape(table.shape)


def _from_sparse(matrix: Any) -> LabelVotes:
    stored = matrix.tocoo()
    votes = stored.data != ABSTAIN
    row, column = stored.row[votes].astype(np.int64), stored.col[votes].astype(np.int64)
    return LabelVotes(row, column, plain(stored.data[votes]), *stored.shape)


def _from_frame(frame: Any) -> LabelVotes:
    names = [str(name) for name in frame.columns]
    roles = [[name for name in names if name.lower() in known] for known in LONG]
    if len(names) == 3 and all(len(found) == 1 for found in roles):
        return _from_triples(list(zip(*(frame[found[0]] for found in roles), strict=True)))
    table = frame.to_numpy()
    if table.dtype.kind not in "iubf":
        table = frame.astype(object).to_numpy()
    return _from_dense(table, columns=list(frame.columns))


def _are_triples(matrix: Any) -> bool:
    if isinstance(matrix, np.ndarray):
        return False
    if not isinstance(matrix, Sequence):
        return hasattr(matrix, "__next__")
    return bool(matrix) and all(isinstance(one, tuple) and len(one) == 3 for one in matrix)


def _from_triples(triples: list[tuple[Any, Any, Any]]) -> LabelVotes:
    rows: dict[Any, int] = {}
    columns: dict[Any, int] = {}
    row = np.array([rows.setdefault(item, len(rows)) for item, _, _ in triples], np.int64)
    column = np.array([columns.setdefault(name, len(columns)) for _, name, _ in triples], np.int64)
    label = np.empty(len(triples), object)
    label[:] = [one for _, _, one in triples]
    votes = _spoken(label)
    if not len(triples):
        raise InputError("L is empty. Give at least one row.")
    return LabelVotes(
        row[votes], column[votes], plain(label[votes]),
        len(rows), len(columns), list(rows), list(columns),
    )  # fmt: skip


def check_labels(found: Sequence[Any], cardinality: int) -> None:
    """Refuse more labels than there are classes."""
    if len(found) > cardinality:
        raise InputError(
            f"L has {len(found)} labels, but cardinality is {cardinality}: {listing(found, 8)}. "
            f"Set cardinality={len(found)}."
        )
