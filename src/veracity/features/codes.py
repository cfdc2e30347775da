"""Codes: numbers for equal things, and the distinct combinations of several codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.encode.grouping import distinct, starts_mask

Codes = npt.NDArray[np.int64]

#: So many times fewer distinct keys than keys are few.
FEW = 8
#: Keys are small if all are below so many times their number.
SPAN = 4
#: The largest number that packed codes may reach.
MAX_KEY = 2**62


@dataclass(frozen=True, eq=False)
class Coded:
    """A feature as a code per claim (or statement), and what each code means to g.

    Attributes
    ----------
    codes
        One per claim or statement.
    values
        The columns that g sees for each code; (n_codes, n_columns).
    names
        The names of those columns.
    """

    codes: Codes
    values: Floats
    names: tuple[str, ...]


def distinct_codes(keys: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """Return the distinct keys in order, and the code of each key among them."""
    if len(keys) and keys.dtype.kind == "i" and keys.min() >= 0 and keys.max() < SPAN * len(keys):
        return _ticked_off(keys)
    levels = distinct(keys)
    if len(levels) * FEW < len(keys):  # few keys are looked up faster than all are ordered
        return levels, np.searchsorted(levels, keys)
    order = np.argsort(keys, kind="stable")
    codes = np.empty(len(keys), np.int64)
    codes[order] = np.cumsum(starts_mask(keys[order])) - 1
    return levels, codes


def _ticked_off(keys: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """Return the same for small keys, without sorting them."""
    seen = np.zeros(int(keys.max()) + 1, np.bool_)
    seen[keys] = True
    code_of = np.cumsum(seen) - 1
    return np.flatnonzero(seen).astype(keys.dtype), code_of[keys]


def combine(features: Sequence[Coded], n: int) -> tuple[Floats, Codes]:
    """Return the distinct combinations of several features, and the combination of each entry.

    Without features there is one combination, with no columns.
    """
    codes = np.zeros(n, np.int64)
    rows = np.zeros((1 if n else 0, 0))
    for group in _that_fit(features, n):
        packed = codes
        for feature in group:
            packed = packed * len(feature.values) + feature.codes
        keys, codes = distinct_codes(packed)
        columns = []
        for feature in reversed(group):
            keys, place = np.divmod(keys, len(feature.values))
            columns.append(feature.values[place])
        rows = np.hstack([rows[keys], *reversed(columns)])
    return rows, codes


def _that_fit(features: Sequence[Coded], n: int) -> Iterator[list[Coded]]:
    """Group features whose codes fit into one number, on top of a code below n."""
    group: list[Coded] = []
    size = n
    for feature in features:
        if group and size * len(feature.values) > MAX_KEY:
            yield group
            group, size = [], n
        group.append(feature)
        size *= len(feature.values)
    if group:
        yield group
