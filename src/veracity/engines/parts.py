"""Sources in parts, for what is worked out of each source by itself.

Sums by source of all blocks come together in one place. Where there are millions of sources, they
are asked for one part of the sources after the other, and what is found of a part is all that is
kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity.data.arrays import Indices, Mask
from veracity.engines.base import Blocks

#: So many sources are looked at together, and more where there would be too many parts: for each,
#: every block is asked a few times.
TOGETHER, MOST_PARTS = 1 << 16, 16


@dataclass(frozen=True)
class Parts:
    """Runs of neighbouring sources. Each is made when its turn comes: they are long.

    Attributes
    ----------
    n_sources
        Number of all sources.
    size
        Number of sources in each run but the last.
    """

    n_sources: int
    size: int

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[Indices]:
        for first in self._starts:
            yield np.arange(first, min(first + self.size, self.n_sources))

    @property
    def _starts(self) -> range:
        return range(0, max(self.n_sources, 1), max(self.size, 1))


def parts_of(blocks: Blocks[Any], n_sources: int) -> Parts:
    """Divide sources into runs of neighbouring ones; one run if all claims are in memory."""
    size = max(TOGETHER, -(-n_sources // MOST_PARTS))
    return Parts(n_sources, n_sources if blocks.only is not None else size)


def place_in(part: Indices, sources: Indices) -> tuple[Mask, Indices]:
    """Mark the sources that are in a part, which is in order; return the place of those there."""
    if not len(part):
        return np.zeros(len(sources), np.bool_), part
    inside = (sources >= part[0]) & (sources <= part[-1])
    if part[-1] - part[0] + 1 == len(part):
        return inside, sources[inside] - part[0]
    place = np.minimum(np.searchsorted(part, sources), len(part) - 1)
    inside = part[place] == sources
    return inside, place[inside]
