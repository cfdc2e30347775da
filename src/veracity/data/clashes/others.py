"""What the others say: for each answer, the value that most other sources give of the item."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Indices
from veracity.data.encode.grouping import group_index, starts

#: The others are silent or of two minds.
UNKNOWN = -1


def most_others(item: Indices, value: Indices) -> Indices:
    """Return the value that most others give of the item of each answer, -1 if two tie; (n,).

    Answers are sorted by item. An answer has no say in what the others say.

    >>> most_others(np.array([0, 0, 0, 1, 1]), np.array([5, 5, 7, 5, 6])).tolist()
    [-1, -1, 5, 6, 5]
    """
    if not len(item):
        return np.zeros(0, np.int64)
    top, count = _three_commonest(item, value)
    of = group_index(item)
    (v1, v2, _), (c1, c2, c3) = (top[:, of], count[:, of])
    is_first, is_second = value == v1, value == v2
    # Without its own vote, the first may fall behind the second, and the second behind the third.
    behind_first = np.where(is_second, np.maximum(c2 - 1, c3), c2)
    found = np.where(c1 > behind_first, v1, UNKNOWN)
    falls = np.where(c2 > c3, v2, UNKNOWN)
    own = np.where(c1 - 1 > c2, v1, np.where(c1 - 1 == c2, UNKNOWN, falls))
    return np.asarray(np.where(is_first, own, found), np.int64)


def _three_commonest(item: Indices, value: Indices) -> tuple[Indices, Indices]:
    """Return the three commonest values of each item and how often they are given; (3, n_items)."""
    order = np.lexsort((value, item))
    first = starts(item[order], value[order])
    count = np.diff(np.append(first, len(item)))
    item, value = item[order][first], value[order][first]
    ranked = np.lexsort((value, -count, item))
    item, value, count = item[ranked], value[ranked], count[ranked]
    begin = starts(item)
    group = group_index(item)
    place = np.arange(len(item)) - begin[group]
    top = np.full((3, len(begin)), UNKNOWN, np.int64)
    most = np.zeros((3, len(begin)), np.int64)
    for rank in range(3):
        at = place == rank
        top[rank, group[at]], most[rank, group[at]] = value[at], count[at]
    return top, most
