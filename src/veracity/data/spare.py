"""Arrays that are kept for the next time."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats


class SpareArrays:
    """Arrays to be filled. To get new memory for a large one takes longer than to fill it.

    Threads may share it. It is pickled without its arrays.
    """

    def __init__(self) -> None:
        self._arrays: list[Floats] = []

    def take(self, *shape: int) -> Floats:
        """Return an array with whatever is in it."""
        try:
            array = self._arrays.pop()
        except IndexError:
            return np.empty(shape)
        return array if array.shape == shape else np.empty(shape)

    def give_back(self, array: Floats) -> None:
        """Keep an array that nobody uses any more."""
        self._arrays.append(array)

    def __reduce__(self) -> tuple[Any, ...]:
        return SpareArrays, ()
