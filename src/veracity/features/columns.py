"""The user's own columns as features: numbers, categories, booleans; missing is information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.buffers import to_numpy
from veracity.features.codes import Coded, distinct_codes
from veracity.features.counts import CategoryCounts, NumberCounts
from veracity.features.thresholds import MAX_CATEGORIES, MAX_DEVIATIONS, MAX_SPREADS

Scale = Literal["spread", "standard", "rank"]


@dataclass(frozen=True)
class Number:
    """A number on a scale of its own, missing as a column of its own.

    The scale is (x - median) / spread, where there is a ``mean`` (x - mean) / spread, or, where
    there are ``ranks``, the share of claims below, less a half. ``edges`` are the inner borders of
    bins of about equally many claims, within which numbers are not told apart; empty for no bins.
    ``centres`` are the means of bins or, for ranks without bins, the numbers that have them.
    """

    name: str
    median: float
    spread: float
    has_missing: bool
    edges: tuple[float, ...] = ()
    centres: tuple[float, ...] = ()
    ranks: tuple[float, ...] = ()
    mean: float | None = None

    @classmethod
    def learn(
        cls, name: str, column: NumberCounts, bins: int | None, scale: Scale = "spread"
    ) -> Number:
        """Learn the scale, and the bins, of a column."""
        has_missing, levels = column.n_missing > 0, column.levels
        if not len(levels):
            return cls(name, 0.0, 1.0, has_missing)
        low, median, high = column.quantiles([0.25, 0.5, 0.75])
        mean, spread = None, float(high - low) or column.spread()
        if scale == "standard":
            assert column.moments is not None
            mean, spread = column.moments.mean, column.moments.deviation
        edges: tuple[float, ...] = ()
        centres: tuple[float, ...] = ()
        place = np.arange(len(levels))
        if bins and len(levels) > bins:
            edges = tuple(_edges(column, bins).tolist())
            place = np.searchsorted(edges, levels, side="right")
            count, total = column.by(place)
            centres = tuple((total / count).tolist())
        ranks: tuple[float, ...] = ()
        if scale == "rank":
            centres = centres or tuple(levels.tolist())
            share = column.by(place)[0] / column.n
            ranks = tuple((np.cumsum(share) - share / 2 - 0.5).tolist())
        return cls(name, float(median), spread or 1.0, has_missing, edges, centres, ranks, mean)

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> Number:
        """Return the number whose fields were saved."""
        lists = {name: tuple(state[name]) for name in ("edges", "centres", "ranks")}
        return cls(**(state | lists))

    def scaled(self, numbers: Floats) -> Floats:
        """Return numbers on the scale."""
        if self.ranks:
            return np.interp(numbers, self.centres, self.ranks)
        if self.mean is not None:
            far = (numbers - self.mean) / self.spread
            return np.clip(far, -MAX_DEVIATIONS, MAX_DEVIATIONS)
        return np.clip((numbers - self.median) / self.spread, -MAX_SPREADS, MAX_SPREADS)

    def encode(self, column: Floats) -> Coded:
        """Code a column: one code per distinct number or bin, and one for what is missing."""
        missing = ~np.isfinite(column)
        known = np.where(missing, self.median, column)
        if self.edges:
            levels = np.array(self.centres)
            codes = np.searchsorted(self.edges, known, side="right")
        else:
            levels, codes = distinct_codes(known)
        names: tuple[str, ...] = (self.name,)
        values = self.scaled(levels)[:, None]
        if self.has_missing:
            names, values = (*names, f"{self.name} is missing"), _with_missing(values)
            codes = np.where(missing, len(levels), codes)
        return Coded(codes.astype(np.int64), values, names)


def _edges(column: NumberCounts, bins: int) -> Floats:
    """Return the numbers at which bins begin, so that none is empty.

    A number that fills bins by itself keeps one to itself.
    """
    levels = column.levels
    cuts, place = distinct_codes(column.quantiles(np.arange(1, bins) / bins))
    begins = np.searchsorted(levels, cuts)
    filled = begins[np.bincount(place) > 1] + 1
    begins, _ = distinct_codes(np.concatenate([begins, filled]))
    return levels[begins[(begins > 0) & (begins < len(levels))]]


def _with_missing(values: Floats) -> Floats:
    known = np.hstack([values, np.zeros((len(values), 1))])
    return np.vstack([known, [[0.0, 1.0]]])


@dataclass(frozen=True)
class Category:
    """A category as one column per common value, one for the rest, none for what is unknown.

    A value that was not there when the model was fitted is unknown: every column is 0, as it is
    for a missing value unless some were missing then.
    """

    name: str
    common: tuple[str, ...]
    pooled: tuple[str, ...]
    has_missing: bool

    @classmethod
    def learn(cls, name: str, column: CategoryCounts) -> Category:
        """Learn which categories there are, and which are common."""
        ranked = sorted(column.labels, key=lambda label: (-column.labels[label], label))
        common = tuple(sorted(ranked[:MAX_CATEGORIES]))
        return cls(name, common, tuple(sorted(ranked[MAX_CATEGORIES:])), column.n_missing > 0)

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> Category:
        """Return the category whose fields were saved."""
        lists = {"common": tuple(state["common"]), "pooled": tuple(state["pooled"])}
        return cls(**(state | lists))

    def encode(self, column: pa.DictionaryArray) -> Coded:
        """Code a column by its categories."""
        names = [f"{self.name} = {label}" for label in self.common]
        place = {label: i for i, label in enumerate(self.common)}
        if self.pooled:
            place |= dict.fromkeys(self.pooled, len(names))
            names.append(f"{self.name} = other")
        missing = len(names)
        if self.has_missing:
            names.append(f"{self.name} is missing")
        unknown = len(names)
        values = np.eye(unknown + 1, unknown)
        labels = column.dictionary.to_pylist()
        code_of = np.array([place.get(label, unknown) for label in labels], np.int64)
        indices = to_numpy(pc.fill_null(column.indices, len(labels)))
        codes = np.append(code_of, missing)[indices]
        return Coded(codes, values, tuple(names))


def numbers_of(column: pa.ChunkedArray) -> Floats:
    """Return a feature column as floats; booleans are 0 and 1, missing ones NaN."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8()).cast(pa.float64())
    return np.array(to_numpy(array.cast(pa.float64())))


def is_category(column: Any) -> bool:
    """Whether a feature column holds categories."""
    return bool(pa.types.is_dictionary(column.type))


def categories_of(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a feature column of categories as one array."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    return array
