"""Correction pairs of L-BFGS: steps, and the changes of the gradient along them.

They are most of what a search holds. Where there are millions of sources they wait in files, and
come back one vector at a time.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, dot
from veracity.data.compiled import compiled
from veracity.data.read.scratch import Scratch, writing

#: A step, the change of the gradient along it, and the product of both.
Pair = tuple[Floats, Floats, float]

#: Up to so many parameters, pairs stay in memory: ten of them are 160 MB.
IN_MEMORY = 1_000_000
#: The least product, relative to the lengths of step and change, that tells of a curvature.
LEAST_PRODUCT = 1e-10


class Pairs:
    """The latest pairs, oldest first.

    Attributes
    ----------
    damping
        See `damp`.
    """

    def __init__(self, limit: int, pairs: Iterable[Pair] = (), damping: float = 0.0) -> None:
        """Hold up to so many pairs, to begin with those that are given; see `damp`."""
        self._limit, self.damping = limit, damping
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

    def remember(self, step: Floats, change: Floats) -> None:
        """Add a step and the change of the gradient along it, if they tell of a curvature."""
        curvature = dot(step, change)
        if curvature > LEAST_PRODUCT * dot(change, change) ** 0.5 * dot(step, step) ** 0.5:
            self.append((step, change, curvature))

    def damp(self, damping: float) -> None:
        """Let the pairs be those of a function with ``damping / 2 |x|^2`` more.

        Pairs that tell of no curvature then are forgotten. What is added later is of that function.
        """
        more, self.damping = damping - self.damping, damping
        for _ in range(len(self) if more else 0):
            held = self._held.popleft()
            step, change, _ = _loaded(held)
            product, of_step, of_change = add_curvature(step, change, more)
            if product > LEAST_PRODUCT * (of_step * of_change) ** 0.5:
                self.append((step, change, product))
            del step, change  # a file is let go of before it is removed
            _let_go(held)

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


@compiled
def add_curvature(step: Any, change: Any, more: float) -> Any:
    """Add a multiple of a step to the change along it; return their product and both squares."""
    product, of_step, of_change = 0.0, 0.0, 0.0
    for place in range(len(step)):
        change[place] += more * step[place]
        product += step[place] * change[place]
        of_step += step[place] * step[place]
        of_change += change[place] * change[place]
    return product, of_step, of_change


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
