"""L-BFGS: the usual two-loop recursion, plain or started from a curvature that the caller knows.

It works with plain sums: threaded linear algebra costs more than it brings at these sizes, and on a
busy machine many times more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.vectors import (
    Apart,
    Vector,
    along,
    copied,
    difference,
    dot,
    dots,
    largest,
    stored,
    subtract,
    usable,
    whole,
)

#: Correction pairs that are kept; and those where a curvature is given and parameters are few,
#: which soon tell all there is to know of it.
PAIRS, PAIRS_OF_FEW, FEW_PARAMETERS = 10, 40, 100
#: Sufficient decrease and sufficient flattening along a line (weak Wolfe conditions).
DECREASE, FLATTENING = 1e-4, 0.9
MAX_TRIALS = 30
#: Values that differ by no more than this, relative to their size, are the same but for rounding.
ROUNDING = 1e-12

#: Takes a vector in memory, or one that is apart, and returns its gradient as such a vector.
Function = Callable[[Any], tuple[float, Any, Any]]


class SolveApart(ABC):
    """A rough, positive definite curvature of parameters that are apart."""

    @abstractmethod
    def direction(self, gradient: Any, pairs: Pairs) -> Apart:
        """Return the quasi-Newton direction of descent.

        It is what `_direction` finds. But that asks for two products of vectors for each pair, one
        after the other; vectors that are apart are better asked for all of them at once.
        """


#: Multiplies a gradient by the inverse of a rough, positive definite curvature.
Divide = Callable[[Floats], Floats]
Solve = Divide | SolveApart


@dataclass(frozen=True)
class Point:
    """A place that was evaluated: position, value, gradient, and what the function adds to them."""

    x: Vector
    value: float
    gradient: Vector
    extra: Any

    @classmethod
    def at(cls, x: Any, function: Function) -> Point:
        """Evaluate a function."""
        value, gradient, extra = function(x)
        return cls(stored(x), value, stored(gradient), extra)


@dataclass(frozen=True)
class Progress:
    """How far a search has come: where it is, what it goes by, and iterations done."""

    point: Point
    pairs: Pairs
    n_iter: int = 0


@dataclass(frozen=True)
class Minimum:
    """Where the search ended, and why."""

    point: Point
    converged: bool
    message: str


def n_pairs(n_parameters: int, has_curvature: bool) -> int:
    """Return how many correction pairs to keep."""
    return PAIRS_OF_FEW if has_curvature and n_parameters <= FEW_PARAMETERS else PAIRS


def minimise(
    function: Function,
    x: Vector,
    solve: Solve | None,
    max_iter: int,
    tol: float,
    record: Callable[[Point], None],
    gradient_tol: float = 1e-5,
    begun: Progress | None = None,
    keep: Callable[[Progress], None] = lambda progress: None,
) -> Minimum:
    """Minimise a function that returns value, gradient and whatever else `record` may need.

    Parameters
    ----------
    function
        What to minimise.
    x
        Where to start.
    solve
        The curvature to start from. None for the plain recursion, whose first step has length 1 at
        most.
    max_iter
        Iterations at most.
    tol
        Ends when an iteration gains less than this, relative to the value.
    record
        Called with the point that each iteration reaches.
    gradient_tol
        Ends when no entry of the gradient is larger.
    begun
        Where to go on, instead of at `x`; iterations done before count.
    keep
        Called with what is needed to go on from the point that each iteration reaches.
    """
    if begun is None:
        pairs = Pairs(n_pairs(len(x), solve is not None))
        begun = Progress(Point.at(usable(x), function), pairs)
    point, pairs, n_before = begun.point, begun.pairs, begun.n_iter
    begun = None  # the first gradient is as long as all others
    if largest(point.gradient) <= gradient_tol:
        return Minimum(point, True, "the gradient is zero at the start")
    for iteration in range(n_before, max_iter):
        reached = advance(function, point, pairs, solve)
        if reached is None:
            return Minimum(point, True, "no step along the gradient improves the objective")
        gain = point.value - reached.value
        size = max(abs(point.value), abs(reached.value), 1.0)
        point = reached
        record(point)
        if gain <= tol * size:
            return Minimum(point, True, "the objective improves no more")
        if largest(point.gradient) <= gradient_tol:
            return Minimum(point, True, "the gradient is zero")
        keep(Progress(point, pairs, iteration + 1))
    return Minimum(point, False, "the limit of iterations was reached")


def advance(function: Function, point: Point, pairs: Pairs, solve: Solve | None) -> Point | None:
    """Take a step, remember it among the pairs, and return its end; None if no step improves."""
    direction = stored(_direction(point.gradient, pairs, solve))
    slope = dot(direction, point.gradient)
    # It rises by rounding only, far from any curvature that was seen.
    reached = _search(function, point, direction, slope) if slope < 0 else None
    if reached is None and pairs:
        pairs.clear()
        direction = stored(_direction(point.gradient, pairs, solve))
        reached = _search(function, point, direction, dot(direction, point.gradient))
    del direction  # as long as a gradient, while others are made
    if reached is not None:
        step = difference(reached.x, point.x)
        pairs.remember(step, difference(reached.gradient, point.gradient))
    return reached


def _first_direction(gradient: Vector, solve: Divide | None) -> Floats:
    """Return the direction of descent while nothing is known of the curvature."""
    if solve is None:
        return np.asarray(-whole(gradient) * min(1.0, 1.0 / dot(gradient, gradient) ** 0.5))
    return -solve(whole(gradient))


def _direction(gradient: Any, pairs: Pairs, solve: Solve | None) -> Floats | Apart:
    """Return the quasi-Newton direction of descent.

    The two-loop recursion takes shares of changes and then of steps away, one after the other, and
    each share depends on those before it. With the products of steps and later changes, all shares
    can be worked out before any is taken.
    """
    if isinstance(solve, SolveApart):
        return solve.direction(gradient, pairs)
    if not pairs:
        return _first_direction(gradient, solve)
    steps: list[Any] = pairs.steps
    changes: list[Any] = pairs.changes
    curvatures, between = pairs.curvatures, pairs.products_with_later()
    scale = _scale(changes[-1], curvatures[-1], solve)
    direction, shares = copied(gradient), np.zeros(len(pairs))
    (product,) = dots(steps, direction)
    for n in reversed(range(len(pairs))):
        taken = between[n, n + 1 :] @ shares[n + 1 :]
        shares[n] = (product[n] - taken) / curvatures[n]
    subtract(direction, shares, changes)
    if solve is not None:
        direction = solve(direction)
    direction *= scale
    (product,) = dots(changes, direction)
    more = np.zeros(len(pairs))
    for n in range(len(pairs)):
        taken = between[:n, n] @ more[:n]
        more[n] = (product[n] - taken) / curvatures[n] - shares[n]
    subtract(direction, more, steps)
    return np.negative(direction, out=direction)


def _scale(change: Vector, curvature: float, solve: Divide | None) -> float:
    """Return by how much the last step was longer than the first curvature made it."""
    if solve is None:
        return curvature / dot(change, change)
    return curvature / dot(change, solve(whole(change)))


def _search(function: Function, start: Point, direction: Vector, slope: float) -> Point | None:
    """Find a point along a direction that satisfies the weak Wolfe conditions, by bisection.

    `slope` is that of the function at the start. Where rounding leaves nothing to choose, the best
    point found so far is taken; None if no point is better than the start.
    """
    low, high, length = 0.0, np.inf, 1.0
    best: Point | None = None
    for _ in range(MAX_TRIALS):
        trial = Point.at(along(start.x, length, direction), function)
        new_slope = dot(direction, trial.gradient)
        falls = trial.value <= start.value + DECREASE * length * slope  # False for NaN
        # Where values tell no difference any more, slopes do (Hager and Zhang, 2005).
        falls |= (
            trial.value <= start.value + ROUNDING * abs(start.value)
            and new_slope <= -(1 - 2 * DECREASE) * slope
        )
        if falls and (best is None or trial.value < best.value):
            best = trial
        if not falls:
            high = length
        elif new_slope < FLATTENING * slope:
            low = length
        else:
            return trial
        length = 2 * low if np.isinf(high) else _between(low, high, start, slope, trial, length)
        del trial  # before another is made
    return best


def _between(
    low: float, high: float, start: Point, slope: float, trial: Point, length: float
) -> float:
    """Return where a parabola through the start and the trial is lowest, well within bounds."""
    bend = 2 * (trial.value - start.value - slope * length)
    guess = -slope * length**2 / bend if bend > 0 and np.isfinite(bend) else low
    margin = 0.1 * (high - low)
    return float(np.clip(guess, low + margin, high - margin))
