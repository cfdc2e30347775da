"""A rough curvature of the likelihood in psi, from which L-BFGS starts.

If truth were known, tpr and fpr of a source would be two logistic regressions: the log-odds of
saying a true statement, a + w, and of saying a false one, a. Their curvature is the number of
statements times a variance. With most claims taken to be true, that is two weights for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.models.grbm.theta_functions import (
    Linear,
    PerSource,
    ReliabilityFunction,
    WithSources,
)

#: Typical variance of a claim, given the truth, and of the truth, given the claims.
VARIANCE = 0.15
#: Share of claims that are taken to be true.
TRUE = 0.9
#: Keeps the curvature positive where there is no penalty.
FLOOR = 1e-3
#: Rows that are worked on at a time.
BLOCK = 65_536
#: A sample of about this many rows shows how features go together.
ROWS_ENOUGH = 200_000

Solve = Callable[[Floats], Floats]


def curvature_solver(
    function: ReliabilityFunction,
    features: Floats,
    counts: Floats,
    n_statements: int,
    penalty: float,
) -> Solve:
    """Return a function that divides a gradient in (psi, b_0) by the curvature.

    Parameters
    ----------
    function
        g; the curvature of a network is not known, and taken to be the same everywhere.
    features
        The feature vector of each row.
    counts
        How many statements each row claims and speaks about; (n_rows, 2).
    n_statements
        Number of statements.
    penalty
        Strength of the pull of psi to its start.
    """
    n_claimed, n_spoken = counts.T
    if_true, if_false = TRUE * n_claimed, n_spoken - TRUE * n_claimed
    weights = VARIANCE * np.stack([if_true, if_false, n_spoken])
    divide = _of_function(function, features, weights, penalty + FLOOR)
    of_global = VARIANCE * n_statements + FLOOR
    return lambda gradient: np.append(divide(gradient[:-1]), gradient[-1] / of_global)


def _of_function(
    function: ReliabilityFunction, features: Floats, weights: Floats, floor: float
) -> Solve:
    if isinstance(function, PerSource):
        return _in_rates(_BySource(len(function.psi) // 3, features, w, floor) for w in weights)
    if isinstance(function, Linear):
        return _in_rates(_Mixed(0, features, w, floor) for w in weights)
    if isinstance(function, WithSources) and isinstance(function.function, Linear):
        n_sources = (len(function.psi) - len(function.function.psi)) // 3
        return _in_rates(_Mixed(n_sources, features, w, floor) for w in weights)
    if isinstance(function, WithSources):
        size = len(function.function.psi)
        n_sources = (len(function.psi) - size) // 3
        shared = _of_function(function.function, features[:, :-1], weights, floor)
        own = _in_rates(_BySource(n_sources, features[:, -1:], w, floor) for w in weights)
        return lambda delta: np.append(shared(delta[:size]), own(delta[size:]))
    total = float(weights[2].sum()) + floor
    return lambda delta: delta / total


def _in_rates(parts: Iterable[_BySource | _Mixed]) -> Solve:
    """Turn a gradient in a and w into one in a + w and a, divide each, and turn back."""
    if_true, if_false, always = parts

    def divide(gradient: Floats) -> Floats:
        delta = gradient.reshape(-1, 3)
        step = np.empty_like(delta)
        step[:, 0] = if_false.divide(delta[:, 0] - delta[:, 1])
        step[:, 1] = if_true.divide(delta[:, 1]) - step[:, 0]
        step[:, 2] = always.divide(delta[:, 2])
        return step.ravel()

    return divide


class _BySource:
    """The curvature of numbers of which each source has its own."""

    def __init__(self, n_sources: int, index: Floats, weight: Floats, floor: float) -> None:
        place = index[:, 0].astype(np.int64) + 1
        self.diagonal = np.bincount(place, weight, minlength=n_sources + 1)[1:] + floor

    def divide(self, delta: Floats) -> Floats:
        return delta / self.diagonal


class _Mixed:
    """The curvature of coefficients, followed by deviations of sources where there are such.

    The deviations are eliminated first: what a source's own number can say, its features need not.
    """

    def __init__(self, n_sources: int, features: Floats, weight: Floats, floor: float) -> None:
        n_columns = features.shape[1] - bool(n_sources)
        square = floor * np.eye(n_columns + 1)
        self.cross = np.zeros((n_columns + 1, n_sources))
        every = 1 + len(features) // ROWS_ENOUGH
        full: Floats = np.zeros(0)
        if n_sources:
            full = sum_by(features[:, -1].astype(np.int64), weight, n_sources)
        features, weight = features[::every], every * weight[::every]
        for first in range(0, len(features), BLOCK):
            block = features[first : first + BLOCK]
            design = np.hstack([block[:, :n_columns], np.ones((len(block), 1))])
            weighted = (design * weight[first : first + BLOCK, None]).T
            square += weighted @ design
            if n_sources:
                place = block[:, -1].astype(np.int64)
                for column, cross in zip(weighted, self.cross, strict=True):
                    cross += np.bincount(place, column, minlength=n_sources)
        # The intercept's row is the weight of each source.
        self.diagonal = np.maximum(self.cross[-1], full) + floor
        self.inverse = np.linalg.inv(square - (self.cross / self.diagonal) @ self.cross.T)

    def divide(self, delta: Floats) -> Floats:
        shared, own = np.split(delta, [len(self.inverse)])
        shared = self.inverse @ (shared - self.cross @ (own / self.diagonal))
        return np.append(shared, (own - shared @ self.cross) / self.diagonal)
