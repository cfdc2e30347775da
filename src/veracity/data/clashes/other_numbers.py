"""Numbers of the others: for each answer, the median that other sources give of the item."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.clashes.pairs import Spread
from veracity.data.encode.grouping import group_index

#: An attribute has numbers if so large a share of its answers are plain ones.
NUMBERS_SHARE = 0.5
#: Numbers agree within so many times the lower quartile of distances: 2.5 standard deviations.
REACH = 8.0
#: Positive numbers that span more than this are compared by their ratio.
WIDE = 10.0


def are_numbers(number: Floats) -> bool:
    """Whether the answers about an attribute are numbers, by and large."""
    return bool(len(number)) and bool(np.isfinite(number).mean() >= NUMBERS_SHARE)


def median_of_others(item: Indices, number: Floats) -> tuple[Floats, Spread]:
    """Return the median of the others for each answer, NaN where they do not agree; (n,).

    Answers are sorted by item; those that are no numbers are NaN and have no say. An answer has no
    say in what the others say.
    """
    low, high = _middle_of_others(item, number)
    middle = (low + high) / 2
    spread = _spread_of(number, middle)
    agree = spread.close(low, high)
    return np.where(agree, middle, np.nan), spread


def _middle_of_others(item: Indices, number: Floats) -> tuple[Floats, Floats]:
    """Return the lower and the upper median of the others."""
    given = np.isfinite(number)
    order = np.lexsort((number, ~given, item))
    of = group_index(item)
    n_items = int(of[-1]) + 1 if len(of) else 0
    size = np.bincount(of[given], minlength=n_items)
    begin = np.searchsorted(item[order], item, side="left")
    rank = np.empty(len(item), np.int64)
    rank[order] = np.arange(len(item))
    rank -= begin
    others = size[of] - given
    found = []
    for place in ((others - 1) // 2, others // 2):
        place = place + (given & (place >= rank))
        known = others > 0
        at = np.where(known, begin + place, 0)
        found.append(np.where(known, number[order[at]], np.nan))
    return found[0], found[1]


def _spread_of(number: Floats, middle: Floats) -> Spread:
    """Return how far apart numbers are that agree.

    It is learned from the closest answers, as a source that writes other numbers is far off.
    """
    known = np.isfinite(number) & np.isfinite(middle)
    if not known.any():
        return Spread(0.0, False)
    own, other = number[known], middle[known]
    low, high = np.quantile(other, [0.1, 0.9])
    is_relative = bool(low > 0 and high > WIDE * low)
    with np.errstate(invalid="ignore", divide="ignore"):
        distance = np.abs(own - other) / (np.abs(other) if is_relative else 1.0)
    distance = distance[np.isfinite(distance)]
    size = REACH * float(np.quantile(distance, 0.25)) if len(distance) else 0.0
    return Spread(min(size, 0.2) if is_relative else size, is_relative)
