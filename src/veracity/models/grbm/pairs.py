"""Correction pairs of L-BFGS: steps, and the changes of the gradient along them.

They are most of what a search holds. Where there are millions of sources they wait in files, and
come back one vector at a time.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.read.scratch import Scratch, writing

#: A step, the change of the gradient along it, and the product of both.
Pair = tuple[Floats, Floats, float]

#: Up to so many parameters, pairs stay in memory: ten of them are 160 MB.
IN_MEMORY = 1_000_000


class Pairs:
    """The latest pairs, oldest first."""

    def __init__(self, limit: int, pairs: Iterable[Pair] = ()) -> None:
        """Hold up to so many pairs, to begin with those that are given."""
        self._limit = limit
        self._held: deque[Pair | _Filed] = deque()
        self._scratch: Scratch | None = None
        self._numbers = itertools.count()
        for pair in pairs:
            self.append(pair)

    def append(self, pair: Pair) -> None:
        """Add a pair; the oldest goes if there are too many."""
        self._held.append(pair if len(pair[0]) <= IN_MEMORY else self._filed(pair))
        while len(self._held) > self._limit:
            _let_go(self._held.popleft())

    def clear(self) -> None:
        """Forget all pairs."""
        while self._held:
            _let_go(self._held.popleft())

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Pair]:
        return map(_loaded, self._held)

    def __reversed__(self) -> Iterator[Pair]:
        return map(_loaded, reversed(self._held))

    def __getitem__(self, place: int) -> Pair:
        return _loaded(self._held[place])

    def _filed(self, pair: Pair) -> _Filed:
        self._scratch = self._scratch or Scratch()
        folder = self._scratch.folder_of("pairs")
        return _Filed(folder / str(next(self._numbers)), pair)


class _Filed:
    """A pair in a file."""

    def __init__(self, path: Path, pair: Pair) -> None:
        step, change, self._curvature = pair
        self._path, self._size = path, len(step)
        with writing(path), path.open("wb") as file:
            step.tofile(file)
            change.tofile(file)

    def load(self) -> Pair:
        """Return the pair, mapped into memory: what was read of one goes when the next comes."""
        # As if it could be written to, which is what compiled code expects.
        both = np.memmap(self._path, np.float64, "c", shape=(2, self._size))
        step, change = np.asarray(both)
        return step, change, self._curvature

    def remove(self) -> None:
        """Remove the file."""
        self._path.unlink()


def _loaded(held: Pair | _Filed) -> Pair:
    return held.load() if isinstance(held, _Filed) else held


def _let_go(held: Pair | _Filed) -> None:
    if isinstance(held, _Filed):
        held.remove()
