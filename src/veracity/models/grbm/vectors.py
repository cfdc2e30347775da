"""Vectors of a search: short ones in memory, long ones in files.

A search holds two dozen vectors as long as the parameters. With millions of sources they lie in
files of the driver, and are worked on a run of numbers at a time.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled
from veracity.data.read.scratch import writing

#: Up to so many numbers, a vector stays in memory; a longer one is read so many at a time.
IN_MEMORY, RUN = 1_000_000, 1 << 16


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


Vector = Floats | Filed


def stored(numbers: Floats) -> Vector:
    """Put a vector into a file if it is long."""
    return Filed([numbers]) if len(numbers) > IN_MEMORY else numbers


def whole(vector: Vector) -> Floats:
    """Return a vector in memory."""
    return vector if isinstance(vector, np.ndarray) else vector[:]


def copied(vector: Vector) -> Floats:
    """Return a vector in memory that may be changed."""
    return vector.copy() if isinstance(vector, np.ndarray) else vector[:]


def _runs(*vectors: Vector) -> Iterator[slice]:
    """Return the runs of numbers that are worked on together: one, if all vectors are in memory."""
    size = len(vectors[0])
    step = RUN if any(isinstance(vector, Filed) for vector in vectors) else max(size, 1)
    return (slice(first, first + step) for first in range(0, size, step))


def dot(left: Vector, right: Vector) -> float:
    """Multiply and add up, in this thread."""
    runs = _runs(left, right)
    return sum((float(np.einsum("i,i->", left[run], right[run])) for run in runs), 0.0)


def largest(vector: Vector) -> float:
    """Return the largest number, whatever its sign."""
    return float(np.max([np.abs(vector[run]).max() for run in _runs(vector)], initial=0.0))


def difference(left: Vector, right: Vector) -> Vector:
    """Take one vector from another."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left - right
    return Filed(left[run] - right[run] for run in _runs(left, right))


def combined(left: Vector, factor: float, right: Vector) -> Vector:
    """Add a multiple of the right to the left."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left + factor * right
    return Filed(left[run] + factor * right[run] for run in _runs(left, right))


def along(start: Vector, length: float, direction: Vector) -> Floats:
    """Go so far into a direction; the result is in memory."""
    found = np.empty(len(start))
    for run in _runs(start, direction):
        found[run] = start[run] + length * direction[run]
    return found


def subtract(left: Floats, factor: float, right: Vector) -> None:
    """Take a multiple of the right away from the left, which changes."""
    for run in _runs(left, right):
        _subtract(left[run], factor, right[run])


@compiled
def _subtract(left: Any, factor: float, right: Any) -> None:
    for place in range(len(left)):
        left[place] -= factor * right[place]
