"""Groups of what is joined pairwise, directly or by others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Indices
from veracity.data.compiled import compiled


def first_of_groups(
    one: npt.NDArray[np.integer], other: npt.NDArray[np.integer], size: int
) -> Indices:
    """Return the first member of each one's group; (size,).

    Parameters
    ----------
    one, other
        The two of each pair that is joined.
    size
        How many there are to be grouped.
    """
    first = np.arange(size)
    _join(np.asarray(one, np.int64), np.asarray(other, np.int64), first)
    return first


@compiled
def _join(one: Any, other: Any, first: Any) -> None:
    """Let each lead to one before it in its group, and then to the first."""
    for pair in range(len(one)):
        left, right = one[pair], other[pair]
        while first[left] != left:
            first[left] = first[first[left]]
            left = first[left]
        while first[right] != right:
            first[right] = first[first[right]]
            right = first[right]
        first[max(left, right)] = min(left, right)
    for each in range(len(first)):
        first[each] = first[first[each]]
