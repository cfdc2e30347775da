"""How far apart the ends of many numbers must be before chance does not explain it."""

from __future__ import annotations

import math

#: How often a headline may be due to chance.
LEVEL = 0.05
#: Half the width of a 90 % interval, in standard errors.
WIDTH_90 = 1.6449


def beyond_chance(n_compared: int) -> float:
    """Return how many standard errors the largest of so many differences must be from none.

    Each of n may be so large by chance with a probability of at most 5 % / n (Bonferroni); the tail
    of the normal distribution beyond z is at most exp(-z^2 / 2) / 2, on each side.

    >>> [round(beyond_chance(n), 2) for n in (1, 10, 300)]
    [2.45, 3.26, 4.17]
    """
    return math.sqrt(2.0 * math.log(n_compared / LEVEL))
