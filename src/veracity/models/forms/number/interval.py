"""Intervals: the spread of the sources, or, with labels, where the truth was in nine of ten.

An error that all sources share leaves no trace in the claims. Without labels, its size is an
assumption, and the interval is the spread of the sources. With labels, the interval is as wide as
it had to be on labelled items that the model judged without their labels.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from veracity.data.arrays import Floats
from veracity.models.forms.number.located import Located

#: The intervals hold the truth with this probability.
COVERAGE = 0.9
REACH = float(special.ndtri((1 + COVERAGE) / 2))
#: The error that all sources share, in standard deviations of the error of one: an assumption.
SHARED_ERROR = 1.5
#: With fewer labels than this no interval is sure to hold nine of ten truths.
LEAST_LABELS = 9


def standard_errors(found: Located, shared_error: float = SHARED_ERROR) -> Floats:
    """Return the standard error of each location on its scale, errors that are shared included."""
    numbers, learned = found.numbers, found.parameters
    n_equal = 1.0 / numbers.by_item(found.share**2)
    shared = 1.0 + shared_error**2 * n_equal
    tau2 = learned.tau2[numbers.attribute]
    bias = found.spread**2 * tau2 / np.maximum(numbers.count, 1.0)
    return np.asarray(np.sqrt(found.variance * shared + bias))


def widening(misses: Floats) -> float | None:
    """Return the factor by which labels widen the errors, None where there are too few labels.

    `misses` are the distances of labelled truths from their estimates, in standard errors. The
    interval ends at the one of rank (n + 1) times the coverage, which holds the next truth with at
    least that probability (Vovk, Gammerman and Shafer, Algorithmic learning in a random world,
    2005).
    """
    n = len(misses)
    if n < LEAST_LABELS:
        return None
    rank = math.ceil((n + 1) * COVERAGE)
    return float(np.sort(np.abs(misses))[rank - 1]) / REACH
