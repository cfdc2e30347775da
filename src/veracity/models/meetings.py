"""How often sources meet: on the same items, or in the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled


def count_meetings(
    source: npt.NDArray[np.integer],
    place: npt.NDArray[np.integer],
    n_sources: int,
    weight: Floats | None = None,
) -> Floats:
    """Add up, for pairs of sources, the meetings of their claims; (n_sources, n_sources).

    Parameters
    ----------
    source, place
        The source of each claim, and where it meets others.
    n_sources
        Number of sources.
    weight
        What each meeting counts by the place of the claim; 1 by default.
    """
    order = np.argsort(place, kind="stable")
    if weight is None:
        weight = np.ones(len(order))
    met = np.zeros((n_sources, n_sources))
    _add_meetings(source[order].astype(np.int64), place[order].astype(np.int64), weight[order], met)
    return met


@compiled
def _add_meetings(source: Any, place: Any, weight: Any, met: Any) -> None:
    """Add the weight of each pair of claims at the same place, which are next to each other."""
    last = 0
    while last < len(place):
        first = last
        while last < len(place) and place[last] == place[first]:
            last += 1
        for one in range(first, last):
            for other in range(first, last):
                met[source[one], source[other]] += weight[one]
