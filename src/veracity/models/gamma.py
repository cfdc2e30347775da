"""The gamma function: its logarithm, the derivative of that, and the chi-squared test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled

#: From here on the asymptotic series of the digamma function is exact to the last digits.
FAR = 10.0
#: Terms of a series that are smaller than this, relative to their sum, end it.
NOTHING = 1e-15
#: Steps of a continued fraction at most, should rounding keep it from coming to rest.
MOST_STEPS = 100_000


def log_gammas(x: Floats) -> Floats:
    """Return the logarithm of the gamma function of each number, all above 0."""
    found = np.empty(len(x))
    _fill_log_gammas(x, found)
    return found


def digammas(x: Floats) -> Floats:
    """Return the derivative of the logarithm of the gamma function at each number."""
    found = np.empty(len(x))
    _fill_digammas(x, found)
    return found


def chances_above(degrees: Floats, statistic: Floats) -> Floats:
    """Return how likely chi-squared with so many degrees of freedom exceeds each statistic."""
    found = np.empty(len(degrees))
    _fill_chances(degrees, statistic, found)
    return found


@compiled
def digamma(x: float) -> Any:
    """Return the derivative of the logarithm of the gamma function, for x > 0."""
    found = 0.0
    while x < FAR:
        found -= 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = 691.0 / 32760.0 - square / 12.0  # the terms are Bernoulli numbers B_2k / 2k
    series = 1.0 / 240.0 - square * (1.0 / 132.0 - square * series)
    series = 1.0 / 120.0 - square * (1.0 / 252.0 - square * series)
    series = square * (1.0 / 12.0 - square * series)
    return found + np.log(x) - 0.5 / x - series


@compiled
def _fill_log_gammas(x: Any, found: Any) -> None:
    for place in range(len(x)):
        found[place] = math.lgamma(x[place])


@compiled
def _fill_digammas(x: Any, found: Any) -> None:
    for place in range(len(x)):
        found[place] = digamma(x[place])


@compiled
def _fill_chances(degrees: Any, statistic: Any, found: Any) -> None:
    for place in range(len(degrees)):
        found[place] = _upper_share(0.5 * degrees[place], 0.5 * statistic[place])


@compiled
def _upper_share(a: float, x: float) -> Any:
    """Return the share of the gamma function of a that lies above x."""
    if x <= 0.0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1.0:  # a series for the share below
        term = total = 1.0 / a
        while term > NOTHING * total:
            a += 1.0
            term *= x / a
            total += term
        return 1.0 - scale * total
    # a continued fraction, by the ratios of successive numerators and denominators
    bottom = x + 1.0 - a
    numerators, denominators = 1e300, 1.0 / bottom
    total = denominators
    for step in range(1, MOST_STEPS):
        bottom += 2.0
        above = step * (a - step)
        denominators = 1.0 / (above * denominators + bottom)
        numerators = bottom + above / numerators
        factor = denominators * numerators
        total *= factor
        if abs(factor - 1.0) <= NOTHING:
            break
    return scale * total
