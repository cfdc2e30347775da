"""Sorted integer columns: where groups start, and which of several claims is the latest."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.buffers import to_numpy

Number = TypeVar("Number", bound=np.signedinteger[Any])

#: Rows are put in order without sorting if the highest number is at most this many times theirs.
MOST_ROOM = 4


def starts_mask(*columns: npt.NDArray[Any]) -> Mask:
    """Mark the rows that differ from the row above in any of the columns."""
    mask = np.zeros(len(columns[0]), dtype=np.bool_)
    mask[:1] = True
    for column in columns:
        mask[1:] |= column[1:] != column[:-1]
    return mask


def starts(*columns: npt.NDArray[Any]) -> Indices:
    """Return where each group of equal rows begins."""
    return np.flatnonzero(starts_mask(*columns))


def group_index(*columns: npt.NDArray[Any]) -> Indices:
    """Number the groups of equal rows: 0 for the first, and so on."""
    return numbered(starts(*columns), len(columns[0]), np.int64)


def numbered(first: Indices, n_rows: int, kind: type[Number]) -> npt.NDArray[Number]:
    """Give every row the number of its group, from where groups begin; counting takes longer.

    >>> numbered(np.array([0, 2, 3]), 5, np.int32).tolist()
    [0, 0, 1, 2, 2]
    """
    return np.repeat(np.arange(len(first), dtype=kind), np.diff(first, append=n_rows))


def among(keys: Indices, ordered: Indices) -> Mask:
    """Mark the keys that occur in an ordered array."""
    if not len(ordered):
        return np.zeros(len(keys), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found: Mask = ordered[place] == keys
    return found


Key = TypeVar("Key", bound=np.generic)


def distinct(keys: npt.NDArray[Key], stop: int | None = None) -> npt.NDArray[Key]:
    """Return the distinct keys, sorted; several times faster here than `numpy.unique`.

    Where few keys are possible, all of them from 0 to `stop`, they are ticked off instead.
    """
    if stop is not None and stop <= len(keys):
        seen = np.zeros(stop, np.bool_)
        seen[keys] = True
        return np.flatnonzero(seen).astype(keys.dtype)
    is_sorted = bool(np.greater_equal(keys[1:], keys[:-1]).all())
    ordered = keys if is_sorted else np.sort(keys)
    return np.asarray(ordered[starts_mask(ordered)])


def counted(keys: Indices, stop: int) -> tuple[Indices, Indices]:
    """Return the distinct keys from 0 to `stop`, sorted, and how often each occurs."""
    if stop <= len(keys):
        counts = np.bincount(keys, minlength=stop)
        seen = np.flatnonzero(counts)
        return seen, counts[seen]
    ordered = np.sort(keys)
    first = starts(ordered)
    return ordered[first], np.diff(np.append(first, len(ordered)))


def in_order(rows: Indices) -> Indices:
    """Return the order that sorts row numbers; equal ones keep their order.

    >>> in_order(np.array([3, 0, 4, 1])).tolist()
    [1, 3, 0, 2]
    """
    stop = int(rows.max(initial=-1)) + 1
    if stop <= MOST_ROOM * len(rows):  # few numbers are missing
        place = np.full(stop, -1, np.int64)
        place[rows] = np.arange(len(rows))
        found = place[place >= 0]
        if len(found) == len(rows):  # no row comes twice
            return found
    return np.argsort(rows, kind="stable")


def sorted_pairs(pairs: Indices) -> Indices:
    """Sort pairs of item and source of claims that are sorted by item.

    They are in order but for their neighbours, which a merge sort makes use of.
    """
    return np.sort(pairs, kind="stable")


def nobody_speaks_twice(
    item: npt.NDArray[np.integer], source: npt.NDArray[np.integer], n_sources: int
) -> bool:
    """Whether every source makes one claim about an item, of claims that are sorted by item."""
    if "numba" in sys.modules:  # to load it only for this would take longer than to sort
        from veracity.data.encode.speaking_kernels import some_source_speaks_twice

        return not some_source_speaks_twice(item, source, np.full(n_sources, -1, item.dtype))
    ordered = sorted_pairs(item.astype(np.int64) * n_sources + source)
    return bool((ordered[1:] != ordered[:-1]).all())


@dataclass(frozen=True)
class CodedClaims:
    """Claims as integer columns, sorted by attribute, entity, value and source.

    ``item`` numbers the pairs of attribute and entity; ``row`` is the row of the user's table.
    """

    row: npt.NDArray[np.int64]
    item: npt.NDArray[np.int64]
    attribute: npt.NDArray[np.int32]
    entity: npt.NDArray[np.int32]
    value: npt.NDArray[np.int32]
    source: npt.NDArray[np.int32]
    asserts: npt.NDArray[np.uint8]
    time: npt.NDArray[np.float64] | None
    weight: npt.NDArray[np.float64] | None
    n_sources: int

    @cached_property
    def nobody_speaks_twice(self) -> bool:
        """Whether every source speaks once about an item: the common case, and the quick one."""
        return nobody_speaks_twice(self.item, self.source, self.n_sources)

    @classmethod
    def of(cls, codes: pa.Table) -> Self:
        """Take the columns out of the coded table of `Claims`."""
        columns = {
            role: _indices(codes[role]) for role in ("attribute", "entity", "value", "source")
        }
        return cls(
            row=to_numpy(codes["row"]),
            item=group_index(columns["attribute"], columns["entity"]),
            **columns,
            asserts=to_numpy(codes["asserts"]),
            time=to_numpy(codes["time"]) if "time" in codes.column_names else None,
            weight=to_numpy(codes["weight"]) if "weight" in codes.column_names else None,
            n_sources=len(codes["source"].chunk(0).dictionary),
        )


def _indices(column: pa.ChunkedArray) -> npt.NDArray[np.int32]:
    return to_numpy(column.chunk(0).indices)


def superseded(
    key: Indices, time: npt.NDArray[np.float64] | None, row: npt.NDArray[np.int64]
) -> Indices:
    """Return the positions of claims that a later claim with the same key replaces.

    Later means a later time, and, where times are equal or missing, a later row.
    """
    rivals = np.flatnonzero(among(key, _repeated(key)))
    if not len(rivals):
        return rivals
    when = np.zeros(len(rivals)) if time is None else np.nan_to_num(time[rivals], nan=-np.inf)
    rivals = rivals[np.lexsort((row[rivals], when, key[rivals]))]
    replaced: Indices = rivals[:-1][key[rivals][1:] == key[rivals][:-1]]
    return replaced


def outdated(key: Indices, time: npt.NDArray[np.float64]) -> Indices:
    """Return the positions of claims than which another with the same key has a later time.

    Row order plays no part: claims with the same latest time all stay. A missing time is the
    earliest.
    """
    rivals = np.flatnonzero(among(key, _repeated(key)))
    if not len(rivals):
        return rivals
    when = np.nan_to_num(time[rivals], nan=-np.inf)
    order = np.lexsort((when, key[rivals]))
    ordered = key[rivals][order]
    ends = np.append(starts(ordered)[1:], len(order)) - 1
    latest = when[order][ends][group_index(ordered)]
    return np.sort(rivals[order][when[order] < latest])


def group_sizes(key: Indices) -> Floats:
    """Return how many positions have the same key as each; (n_keys,)."""
    order = np.argsort(key, kind="stable")
    n_same = np.diff(np.append(starts(key[order]), len(key)))
    size = np.empty(len(key))
    size[order] = np.repeat(n_same, n_same)
    return size


def _repeated(key: Indices) -> Indices:
    """Return the keys that occur more than once, sorted."""
    ordered = sorted_pairs(key)
    return distinct(ordered[1:][ordered[1:] == ordered[:-1]])
