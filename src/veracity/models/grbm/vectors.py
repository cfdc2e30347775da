"""Vectors of a search: short ones in memory, long ones in files or apart.

A search holds two dozen vectors as long as the parameters. With millions of sources they lie in
files of the driver, and are worked on a run of numbers at a time. On a cluster they are divided
among its executors (`Apart`): each works on its own numbers, and the driver gets the sums.
"""

from __future__ import annotations

import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled
from veracity.data.read.scratch import writing

#: Up to so many numbers, a vector stays in memory.
IN_MEMORY = 1_000_000
#: So many numbers of all vectors are worked on at a time: they stay in the caches.
RUN = 1 << 16


class Filed:
    """Numbers in a temporary file, which is removed with this object."""

    dtype = np.dtype(np.float64)

    def __init__(self, runs: Iterable[Floats]) -> None:
        """Write runs of numbers, one after the other."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  held on purpose
        weakref.finalize(self, self._file.close)
        self._size = 0
        with writing(Path(tempfile.gettempdir())):
            for run in runs:
                self._file.write(run.data)
                self._size += len(run)
            self._file.flush()

    def __len__(self) -> int:
        return self._size

    def pieces(self) -> Iterator[Floats]:
        """Read all numbers, a run at a time."""
        return (self[first : first + RUN] for first in range(0, self._size, RUN))

    def __getitem__(self, part: slice) -> Floats:
        """Read neighbouring numbers."""
        first, stop, _ = part.indices(self._size)
        found = np.empty(stop - first)
        self._file.seek(found.itemsize * first)
        self._file.readinto(found.data)
        return found


class Apart(ABC):
    """Numbers that others hold."""

    dtype = np.dtype(np.float64)

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def products(self, other: Any) -> tuple[float, float, float]:
        """Return the product with another, and the squares of both."""

    @abstractmethod
    def dot(self, other: Any) -> float:
        """Multiply and add up."""

    @abstractmethod
    def largest(self) -> float:
        """Return the largest number, whatever its sign."""

    @abstractmethod
    def plus(self, factor: float, other: Any) -> Self:
        """Add a multiple of another."""

    @abstractmethod
    def whole(self) -> Floats:
        """Fetch all numbers, in the order of the parameters."""

    def pieces(self) -> Iterator[Floats]:
        """Fetch all numbers when they are asked for."""
        yield self.whole()


Vector = Floats | Filed | Apart


def stored(numbers: Floats | Apart) -> Vector:
    """Put a vector into a file if it is long; one that is apart stays there."""
    if isinstance(numbers, Apart):
        return numbers
    return Filed([numbers]) if len(numbers) > IN_MEMORY else numbers


def usable(vector: Vector) -> Any:
    """Return a vector as functions take it: in memory, or apart."""
    return vector if isinstance(vector, Apart) else whole(vector)


def whole(vector: Vector) -> Floats:
    """Return a vector in memory."""
    if isinstance(vector, Apart):
        return vector.whole()
    return vector if isinstance(vector, np.ndarray) else vector[:]


def copied(vector: Vector) -> Floats:
    """Return a vector in memory that may be changed."""
    return vector.copy() if isinstance(vector, np.ndarray) else whole(vector)


def _runs(vector: Floats | Filed) -> Iterator[slice]:
    """Return the runs of numbers that are worked on together."""
    size = len(vector)
    return (slice(first, min(first + RUN, size)) for first in range(0, size, RUN))


def _product(left: Floats, right: Floats) -> float:
    """Multiply and add up, in this thread."""
    return float(np.einsum("i,i->", left, right))


# Both vectors are short or long ones of this machine, or both are apart.


def dot(left: Vector, right: Any) -> float:
    """Multiply and add up, in this thread."""
    if isinstance(left, Apart):
        return left.dot(right)
    return sum((_product(left[run], right[run]) for run in _runs(left)), 0.0)


def products(left: Vector, right: Any) -> tuple[float, float, float]:
    """Return the product of two vectors, and the squares of both."""
    if isinstance(left, Apart):
        return left.products(right)
    both, of_left, of_right = 0.0, 0.0, 0.0
    for run in _runs(left):
        one, other = left[run], right[run]
        both += _product(one, other)
        of_left += _product(one, one)
        of_right += _product(other, other)
    return both, of_left, of_right


def dots(vectors: Sequence[Floats | Filed], *others: Floats | Filed) -> Floats:
    """Multiply each of several vectors with each of some others; (n_others, n_vectors)."""
    found = np.zeros((len(others), len(vectors)))
    for run in _runs(others[0]) if vectors else ():
        right = [other[run] for other in others]
        for place, vector in enumerate(vectors):
            left = vector[run]
            found[:, place] += [_product(left, each) for each in right]
    return found


def largest(vector: Vector) -> float:
    """Return the largest number, whatever its sign."""
    if isinstance(vector, Apart):
        return vector.largest()
    return float(np.max([np.abs(vector[run]).max() for run in _runs(vector)], initial=0.0))


def difference(left: Vector, right: Any) -> Vector:
    """Take one vector from another."""
    if isinstance(left, Apart):
        return left.plus(-1.0, right)
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left - right
    return Filed(left[run] - right[run] for run in _runs(left))


def combined(left: Vector, factor: float, right: Any) -> Vector:
    """Add a multiple of the right to the left."""
    if isinstance(left, Apart):
        return left.plus(factor, right)
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left + factor * right
    return Filed(left[run] + factor * right[run] for run in _runs(left))


def along(start: Vector, length: float, direction: Any) -> Any:
    """Go so far into a direction; the result can be used by functions."""
    if isinstance(start, Apart):
        return start.plus(length, direction)
    found = np.empty(len(start))
    for run in _runs(start):
        np.multiply(direction[run], length, out=found[run])
        found[run] += start[run]
    return found


def pulled(gradient: Vector, strength: float, x: Any, start: Any) -> tuple[float, Any]:
    """Return ``|x - start|^2``, and a gradient with `strength` times ``x - start`` added."""
    if isinstance(gradient, Apart):
        away = difference(x, start)
        return dot(away, away), gradient.plus(strength, away)
    square, found = 0.0, np.empty(len(gradient))
    for run in _runs(gradient):
        away = x[run] - start[run]
        square += _product(away, away)
        np.multiply(away, strength, out=found[run])
        found[run] += gradient[run]
    return square, found


def subtract(left: Floats, shares: Floats, vectors: Sequence[Floats | Filed]) -> None:
    """Take shares of several vectors away from the left, which changes."""
    for run in _runs(left) if vectors else ():
        here = left[run]
        for share, vector in zip(shares.tolist(), vectors, strict=True):
            _subtract(here, share, vector[run])


@compiled
def _subtract(left: Any, factor: float, right: Any) -> None:
    for place in range(len(left)):
        left[place] -= factor * right[place]
