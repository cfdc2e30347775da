"""Exponentials and logarithms in plain arithmetic, for compiled loops over arrays.

A call of the mathematics library for each number keeps a loop from doing several numbers at once.
These functions are made of steps that a processor does for many numbers together, so that a loop
over an array takes less than a third of the time. They are right but for the last digit or two, and
a number has the same result wherever it stands in an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled

LOG2_E = 1.4426950408889634
# The logarithm of 2 in two parts: multiples of the first are exact.
LOG_2, LOG_2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10
#: Added to a number it rounds it to a whole one, which then is in the last bits.
WHOLE = 1.5 * 2.0**52
WHOLE_BITS = int(np.float64(WHOLE).view(np.int64))
#: Where the exponent of a float begins, and what it is counted from.
EXPONENT, BIAS = 52, 1023
#: Below this the exponential is taken for 0, and above for infinite.
LEAST_POWER, LARGEST_POWER = -708.0, 709.0
#: The bits of the root of 1/2: from there on to twice as much the logarithm has its series.
ROOT_OF_HALF = int(np.float64(np.sqrt(0.5)).view(np.int64))


@compiled
def exp_of(x: float) -> Any:
    """Return the exponential of x.

    >>> [round(exp_of(x), 12) for x in (0.0, -1.0, 1.0, -np.inf, np.inf)]
    [1.0, 0.367879441171, 2.718281828459, 0.0, inf]
    """
    shifted = x * LOG2_E + WHOLE
    power = shifted - WHOLE
    r = (x - power * LOG_2) - power * LOG_2_REST  # exp(x) = 2^power exp(r), |r| < 0.35
    # The series of Taylor, from its thirteenth power down.
    series = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0)
    series = 1.0 / 3628800.0 + r * (1.0 / 39916800.0 + r * series)
    series = 1.0 / 40320.0 + r * (1.0 / 362880.0 + r * series)
    series = 1.0 / 720.0 + r * (1.0 / 5040.0 + r * series)
    series = 1.0 / 24.0 + r * (1.0 / 120.0 + r * series)
    series = 0.5 + r * (1.0 / 6.0 + r * series)
    series = 1.0 + (r + r * r * series)
    bits = np.float64(shifted).view(np.int64) + BIAS
    scale = np.int64(bits << EXPONENT).view(np.float64)
    found = 0.0 if x < LEAST_POWER else series * scale
    return np.inf if x > LARGEST_POWER else found


@compiled
def log_of(x: float) -> Any:
    """Return the logarithm of x, a number above 0 that is not the tiniest.

    >>> [round(log_of(x), 12) for x in (1.0, 10.0, 1e-10)]
    [0.0, 2.302585092994, -23.02585092994]
    """
    bits = np.float64(x).view(np.int64)
    exponent = (bits - ROOT_OF_HALF) >> EXPONENT
    f = np.int64(bits - (exponent << EXPONENT)).view(np.float64) - 1.0
    power = np.int64(exponent + WHOLE_BITS).view(np.float64) - WHOLE
    # Of the C library of FreeBSD: with s = f / (2 + f), log(1 + f) is 2 s and a series in s^2.
    s = f / (2.0 + f)
    z = s * s
    series = 1.531383769920937332e-01 + z * 1.479819860511658591e-01
    series = 2.222219843214978396e-01 + z * (1.818357216161805012e-01 + z * series)
    series = 3.999999999940941908e-01 + z * (2.857142874366239149e-01 + z * series)
    series = z * (6.666666666666735130e-01 + z * series)
    half = 0.5 * f * f
    return power * LOG_2 - ((half - (s * (half + series) + power * LOG_2_REST)) - f)


@compiled
def log1p_of(x: float) -> Any:
    """Return log(1 + x), for x no less than 0.

    >>> [log1p_of(x) for x in (0.0, 1e-20)]
    [0.0, 1e-20]
    """
    whole = 1.0 + x
    return log_of(whole) + (x - (whole - 1.0)) / whole
