"""Sums of floats that keep what rounding takes away, so that the order of terms plays no part.

Beside the sum goes a rest: the sum of what rounding took from each addition (Knuth, The Art of
Computer Programming, volume 2, section 4.2.2). Sum and rest together err by the square of the
precision only. So the same terms in another order give the same number, save once in about 10^15
times, and large terms that cancel each other leave the small ones as they were.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled


@compiled
def two_sum(total: float, rest: float, number: float) -> Any:
    """Add a number to a total; return the new total, and the new rest.

    >>> total, rest = two_sum(1e16, 0.0, 1.0)
    >>> total, rest = two_sum(total, rest, -1e16)
    >>> total + rest
    1.0
    """
    found = total + number
    part = found - total
    return found, rest + ((total - (found - part)) + (number - part))


def steady_sum_by(index: npt.NDArray[np.integer], values: Floats, size: int) -> Floats:
    """Add up values that share an index, in whatever order; (size,).

    >>> steady_sum_by(np.array([0, 0, 1, 0]), np.array([1e16, 1.0, 2.0, -1e16]), 2).tolist()
    [1.0, 2.0]
    """
    total, rest = np.zeros(size), np.zeros(size)
    _add(index, values, total, rest)
    return total + rest


def steady_sums(values: Floats) -> Floats:
    """Add up the rows of a table, in whatever order; (n_columns,).

    >>> steady_sums(np.array([[1e16, 1.0], [1.0, 2.0], [-1e16, 3.0]])).tolist()
    [1.0, 6.0]
    """
    total, rest = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    _add_rows(values, total, rest)
    return total + rest


@compiled
def _add_rows(values: Any, total: Any, rest: Any) -> None:
    for row in range(len(values)):
        for column in range(values.shape[1]):
            total[column], rest[column] = two_sum(total[column], rest[column], values[row, column])


@compiled
def _add(index: Any, values: Any, total: Any, rest: Any) -> None:
    for place in range(len(index)):
        at = index[place]
        total[at], rest[at] = two_sum(total[at], rest[at], values[place])
