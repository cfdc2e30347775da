"""Sums cut by place, so that each executor adds up a few places of all blocks.

What blocks say of 10^8 sources is more than one machine should add up. Sums are cut into shards by
place; those of a shard meet on one executor, and the driver gets each place once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from veracity.engines.sums import Scattered, Sums

#: An array of fewer numbers is not worth cutting.
LEAST_CUT = 1 << 12


def n_shards(n_blocks: int) -> int:
    """Return into how many shards sums of so many blocks are cut."""
    return max(1, math.isqrt(n_blocks))


def cut(sums: Sums, shards: int) -> list[Sums]:
    """Cut sums by place; what has no places goes with the first shard."""
    parts: list[Sums] = [{} for _ in range(shards)]
    for name, of in sums.items():
        size = _size(of)
        if size < LEAST_CUT:
            parts[0][name] = of
            continue
        bounds = np.linspace(0, size, shards + 1).astype(np.int64)
        for part, first, stop in zip(parts, bounds[:-1], bounds[1:], strict=True):
            part[name] = _within(of, int(first), int(stop))
    return parts


def joined(parts: Sequence[Sums]) -> Sums:
    """Put shards together again, in their order."""
    whole: Sums = {}
    for name, of in parts[0].items():
        pieces = [part[name] for part in parts if name in part]
        if len(pieces) == 1:
            whole[name] = of
        elif isinstance(of, Scattered):
            numbers = np.concatenate([piece.everywhere() for piece in pieces])
            whole[name] = Scattered(None, numbers, len(numbers))
        else:
            whole[name] = np.concatenate(pieces)
    return whole


def _size(of: Any) -> int:
    """Return how many places something has; 0 if it cannot be cut."""
    if isinstance(of, Scattered):
        return of.size
    return len(of) if isinstance(of, np.ndarray) and of.ndim else 0


def _within(of: Any, first: int, stop: int) -> Any:
    if isinstance(of, np.ndarray):
        return of[first:stop]
    if of.place is None:
        return Scattered(None, of.numbers[first:stop], stop - first)
    inside = (of.place >= first) & (of.place < stop)
    return Scattered(of.place[inside] - first, of.numbers[inside], stop - first)
