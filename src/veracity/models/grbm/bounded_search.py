"""The minimum of a function of a few parameters within bounds: L-BFGS-B (Byrd et al., 1995).

The parameters are so few that the curvature is a plain matrix, made anew from the last steps. A
step leads to the lowest place of the parabola that it describes, among those where parameters that
meet a bound on the way down stay at it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.models.grbm.line_search import Place, search_line

#: Steps that the curvature is made from.
PAIRS = 10
#: Ends when an iteration gains less than this relative to the value, or when the gradient of what
#: is free to move is this small.
GAIN, FLAT = 2.2204460492503131e-09, 1e-5
MAX_ITER = 15_000
LARGEST_STEP = 1e10
ROUNDING = float(np.finfo(np.float64).eps)

Function = Callable[[Floats], tuple[float, Floats]]
Pairs = deque[tuple[Floats, Floats]]


def minimise_within(function: Function, x: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return where a function is lowest within bounds.

    Parameters
    ----------
    function
        Returns value and gradient.
    x
        Where to start.
    lower, upper
        The bounds of each parameter, infinite where there is none.
    """
    x = np.clip(x, lower, upper)
    value, gradient = function(x)
    pairs: Pairs = deque(maxlen=PAIRS)
    for iteration in range(MAX_ITER):
        if np.abs(np.clip(x - gradient, lower, upper) - x).max() <= FLAT:
            break
        reached = _step(function, x, value, gradient, pairs, lower, upper, iteration == 0)
        if reached is None and pairs:
            pairs.clear()  # they mislead
            continue
        if reached is None:
            break
        step, new_value, new_gradient = reached
        change, gain = new_gradient - gradient, value - new_value
        curvature, fall = float(step @ change), -float(step @ gradient)
        x, value, gradient = x + step, new_value, new_gradient
        if gain <= GAIN * max(abs(value + gain), abs(value), 1.0):
            break
        if curvature > ROUNDING * fall:
            pairs.append((step, change))
    return np.clip(x, lower, upper)


def _step(
    function: Function,
    x: Floats,
    value: float,
    gradient: Floats,
    pairs: Pairs,
    lower: Floats,
    upper: Floats,
    is_first: bool,
) -> tuple[Floats, float, Floats] | None:
    """Return a step, with value and gradient where it leads; None if none is found."""
    curvature = _curvature(pairs, len(x))
    goal, free = _along_gradient(x, gradient, curvature, lower, upper)
    if pairs and free.any():
        goal = _lowest(x, gradient, curvature, goal, free, lower, upper)
    direction = goal - x
    slope = float(direction @ gradient)
    if slope >= 0.0:
        return None
    gradients: dict[float, Floats] = {}

    def at(step: float) -> Place:
        value, gradients[step] = function(x + step * direction)
        return Place(step, value, float(direction @ gradients[step]))

    largest = 1.0 if is_first else min(_room(x, direction, lower, upper).min(), LARGEST_STEP)
    first = min(1.0 / float(direction @ direction) ** 0.5, largest) if is_first else 1.0
    found = search_line(at, Place(0.0, value, slope), first, largest)
    if found is None:
        return None
    return found.step * direction, found.value, gradients[found.step]


def _curvature(pairs: Pairs, size: int) -> Floats:
    """Return the curvature that steps and changes of the gradient tell of."""
    if not pairs:
        return np.eye(size)
    step, change = pairs[-1]
    curvature = np.eye(size) * float(change @ change) / float(step @ change)
    for step, change in pairs:
        bent = curvature @ step
        curvature = (
            curvature
            - np.outer(bent, bent) / float(step @ bent)
            + np.outer(change, change) / float(step @ change)
        )
    return curvature


def _room(x: Floats, direction: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return how far each parameter can go in a direction until it meets a bound."""
    ahead = np.where(direction < 0.0, lower - x, upper - x)
    still = direction == 0.0
    return np.where(still, np.inf, ahead / np.where(still, 1.0, direction))


def _along_gradient(
    x: Floats, gradient: Floats, curvature: Floats, lower: Floats, upper: Floats
) -> tuple[Floats, Mask]:
    """Return the first lowest place downhill, and which parameters have met no bound before it.

    Those that meet a bound stay there, and the others go on.
    """
    room = _room(x, -gradient, lower, upper)
    gone, moved = 0.0, np.zeros_like(x)
    for end in [*np.unique(room[np.isfinite(room)]), np.inf]:
        direction = np.where(room > gone, -gradient, 0.0)
        slope = float(direction @ (gradient + curvature @ moved))
        if slope >= 0.0:
            break
        best = -slope / float(direction @ curvature @ direction)
        if gone + best < end:
            moved = moved + best * direction
            break
        moved = moved + (end - gone) * direction
        gone = end
    at_bound = np.where(gradient > 0.0, lower, upper)
    return np.where(room > gone, x + moved, at_bound), room > gone


def _lowest(
    x: Floats,
    gradient: Floats,
    curvature: Floats,
    goal: Floats,
    free: Mask,
    lower: Floats,
    upper: Floats,
) -> Floats:
    """Return the lowest place that free parameters lead to, the others staying at the goal."""
    left = gradient + curvature @ (goal - x)
    way = np.zeros_like(x)
    way[free] = -np.linalg.solve(curvature[np.ix_(free, free)], left[free])
    inside = np.clip(goal + way, lower, upper)
    if (inside == goal + way).all() or float((inside - x) @ gradient) <= 0.0:
        return inside
    share = min(1.0, float(_room(goal, way, lower, upper).min()))
    return np.clip(goal + share * way, lower, upper)
