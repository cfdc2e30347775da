"""Counts of a feature column; counts of parts of a table add."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, sum_by
from veracity.data.buffers import to_numpy
from veracity.data.matrix import ClaimMatrix
from veracity.features.codes import distinct_codes
from veracity.features.screen import ValueShare
from veracity.features.thresholds import MAX_LEVELS


@dataclass(frozen=True)
class Moments:
    """How many numbers there are, their sum, and that of their squares.

    A number of a claim counts once for each statement that its source speaks about.
    """

    n: float
    total: float
    squares: float

    @classmethod
    def of(cls, column: Floats, repeats: npt.NDArray[np.int64]) -> Moments:
        """Add up the numbers that there are, each so many times."""
        known = np.isfinite(column)
        x, n = column[known], repeats[known].astype(np.float64)
        return cls(float(n.sum()), float(n @ x), float(n @ x**2))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n + other.n, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float:
        """The mean."""
        return self.total / self.n

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(max(self.squares / self.n - self.mean**2, 0.0)))


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """How often each number of a column occurs.

    Attributes
    ----------
    levels, counts
        The distinct numbers in order, and how often each occurs.
    n_missing
        How often there is none.
    n_distinct
        How many distinct numbers there are, those that were counted together apart, at least.
    share
        How much of the numbers derives from the claimed values, where that was asked for.
    moments
        Of the numbers, where they were asked for.
    """

    levels: Floats
    counts: npt.NDArray[np.int64]
    n_missing: int
    n_distinct: int
    share: ValueShare | None = None
    moments: Moments | None = None

    @classmethod
    def of(
        cls,
        column: Floats,
        matrix: ClaimMatrix | None = None,
        repeats: npt.NDArray[np.int64] | None = None,
    ) -> NumberCounts:
        """Count a column; given the claims that it belongs to, see what derives from values.

        `repeats` are how often each number counts in the moments.
        """
        known = column[np.isfinite(column)]
        levels, place = distinct_codes(known)
        counts = np.bincount(place, minlength=len(levels))
        share = None if matrix is None else ValueShare.of(matrix, column)
        moments = None if repeats is None else Moments.of(column, repeats)
        n_missing = len(column) - len(known)
        return cls(levels, counts, n_missing, len(levels), share, moments)._thinned()

    def __add__(self, other: NumberCounts) -> NumberCounts:
        levels, place = distinct_codes(np.append(self.levels, other.levels))
        both = np.append(self.counts, other.counts)
        counts = np.bincount(place, both, minlength=len(levels)).astype(np.int64)
        share = None
        if self.share is not None and other.share is not None:
            share = self.share + other.share
        moments = None
        if self.moments is not None and other.moments is not None:
            moments = self.moments + other.moments
        n_distinct = max(self.n_distinct, other.n_distinct, len(levels))
        return NumberCounts(
            levels, counts, self.n_missing + other.n_missing, n_distinct, share, moments
        )._thinned()

    def _thinned(self) -> NumberCounts:
        """Count neighbours together, where there are more numbers than are kept apart."""
        if len(self.levels) <= MAX_LEVELS:
            return self
        place = np.arange(len(self.levels)) * (MAX_LEVELS // 2) // len(self.levels)
        counts = np.bincount(place, self.counts)
        levels = np.bincount(place, self.levels * self.counts) / counts
        return replace(self, levels=levels, counts=counts.astype(np.int64))

    @property
    def n(self) -> int:
        """How many numbers there are."""
        return int(self.counts.sum())

    @property
    def is_coarse(self) -> bool:
        """Whether some numbers were counted together."""
        return self.n_distinct > len(self.levels)

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.counts)

    def quantiles(self, shares: npt.ArrayLike) -> Floats:
        """Return the numbers below which shares of all lie, interpolated as numpy does."""
        at = np.asarray(shares, np.float64) * (self.n - 1)
        below = np.floor(at)
        low = self._at(below.astype(np.int64))
        high = self._at(np.minimum(below + 1, self.n - 1).astype(np.int64))
        part = at - below
        near_high = part >= 0.5
        step = high - low
        return np.where(near_high, high - step * (1 - part), low + step * part)

    def _at(self, rank: npt.NDArray[np.int64]) -> Floats:
        """Return the numbers at places in their order."""
        return np.asarray(self.levels[np.searchsorted(self._ends, rank, side="right")])

    def spread(self) -> float:
        """Return the standard deviation."""
        mean = float(self.levels @ self.counts) / self.n
        return float(np.sqrt(((self.levels - mean) ** 2 @ self.counts) / self.n))

    def by(self, place: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Add up counts and numbers by the place of each level."""
        size, weight = int(place.max()) + 1, self.counts.astype(np.float64)
        return sum_by(place, weight, size), sum_by(place, self.levels * weight, size)


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """How often each category of a column occurs, and how often there is none.

    ``share`` is how much of the categories derives from the claimed values, where that was asked
    for.
    """

    labels: dict[str, int]
    n_missing: int
    share: ValueShare | None = None

    @classmethod
    def of(cls, column: pa.DictionaryArray, matrix: ClaimMatrix | None = None) -> CategoryCounts:
        """Count a column; given the claims that it belongs to, see what derives from values."""
        size = len(column.dictionary)
        codes = to_numpy(column.indices.fill_null(size))
        counts = np.bincount(codes, minlength=size + 1)
        labels = zip(column.dictionary.to_pylist(), counts[:size].tolist(), strict=True)
        share = None
        if matrix is not None:
            known = np.where(codes < size, codes, -1).astype(np.int64)
            share = ValueShare.of_categories(matrix, known)
        return cls({label: count for label, count in labels if count}, int(counts[size]), share)

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        labels = dict(self.labels)
        for label, count in other.labels.items():
            labels[label] = labels.get(label, 0) + count
        share = None
        if self.share is not None and other.share is not None:
            share = self.share + other.share
        return CategoryCounts(labels, self.n_missing + other.n_missing, share)

    @property
    def n(self) -> int:
        """How many cells there are, empty ones among them."""
        return sum(self.labels.values()) + self.n_missing


@dataclass(frozen=True)
class NotCounted:
    """Stands for a column that is not considered as a feature."""

    def __add__(self, other: NotCounted) -> NotCounted:
        return self


ColumnCounts = NumberCounts | CategoryCounts | NotCounted
