"""Arrays that are kept for the next time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from veracity.data.arrays import Floats

#: Bytes that a processor fetches at a time.
CACHE_LINE = 64


class SpareArrays:
    """Arrays to be filled. To get new memory for a large one takes longer than to fill it.

    Each begins at a cache line, so that records of up to a line are fetched at once. Threads may
    share it. It is pickled without its arrays.
    """

    def __init__(self) -> None:
        self._arrays: list[Floats] = []

    def take(self, *shape: int) -> Floats:
        """Return an array with whatever is in it."""
        try:
            array = self._arrays.pop()
        except IndexError:
            return _aligned(shape)
        return array if array.shape == shape else _aligned(shape)

    def give_back(self, array: Floats) -> None:
        """Keep an array that nobody uses any more, unless it is empty."""
        if array.size:
            self._arrays.append(array)

    def __reduce__(self) -> tuple[Any, ...]:
        return SpareArrays, ()


def _aligned(shape: tuple[int, ...]) -> Floats:
    """Return an array of numbers that begins at a cache line."""
    size = math.prod(shape)
    room = np.empty(size + CACHE_LINE // 8)
    first = -room.ctypes.data % CACHE_LINE // 8
    return room[first : first + size].reshape(shape)
