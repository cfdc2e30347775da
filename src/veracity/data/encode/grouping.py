"""Sorted integer columns: where groups start, and which of several claims is the latest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.buffers import to_numpy


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
    return np.cumsum(starts_mask(*columns)) - 1


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
    ordered = np.sort(keys)
    return np.asarray(ordered[starts_mask(ordered)])


def numbered(
    keys: npt.NDArray[np.int64], stop: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the distinct keys, sorted, and the place of each key among them.

    Keys go from 0 to before `stop`; where few are possible, places are looked up in a table.
    """
    found = distinct(keys, stop)
    if stop > len(keys):
        return found, np.searchsorted(found, keys)
    place = np.empty(stop, np.int64)
    place[found] = np.arange(len(found))
    return found, place[keys]


def are_different(keys: Indices) -> bool:
    """Whether no key comes twice."""
    ordered = np.sort(keys)
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
        return are_different(self.item * self.n_sources + self.source)

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
    size = np.ones(len(key))
    repeated = _repeated(key)
    rivals = np.flatnonzero(among(key, repeated))
    place = np.searchsorted(repeated, key[rivals])
    size[rivals] = np.bincount(place, minlength=len(repeated))[place]
    return size


def _repeated(key: Indices) -> Indices:
    """Return the keys that occur more than once, sorted."""
    ordered = np.sort(key)
    return distinct(ordered[1:][ordered[1:] == ordered[:-1]])
