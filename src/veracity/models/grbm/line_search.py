"""How far to go along a line: the search of Moré and Thuente (1994).

It ends where the function has fallen enough and is flat enough. Until then an interval that holds
such a place is narrowed, by parabolas and cubics through the two best places and the last one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, sqrt

#: Sufficient decrease, sufficient flattening, and an interval too narrow to go on with.
DECREASE, FLATTENING, NARROW = 1e-3, 0.9, 0.1
#: How far beyond the last step the next may be, while nothing bounds it: at least, and at most.
LEAST_BEYOND, MOST_BEYOND = 1.1, 4.0
#: The part of an interval that two trials must take away at least, and where a step may go in it.
SHRINKING = 0.66
MAX_TRIALS = 20


@dataclass(frozen=True)
class Place:
    """A point on the line: how far from its start, and the function's value and slope there."""

    step: float
    value: float
    slope: float

    def tilted(self, by: float) -> Place:
        """Return the place as it is when a slope is taken from the function."""
        return Place(self.step, self.value - self.step * by, self.slope - by)


def search_line(
    at: Callable[[float], Place], start: Place, step: float, largest: float
) -> Place | None:
    """Return a place that is low and flat enough, or as good as can be; None after many trials.

    Parameters
    ----------
    at
        Evaluates the function at a step.
    start
        Where the line starts, at step 0; the function must fall there.
    step
        The first to be tried.
    largest
        The largest that may be tried.
    """
    wanted = DECREASE * start.slope
    best = other = start
    bracketed, has_fallen = False, False
    low, high = 0.0, (1.0 + MOST_BEYOND) * step
    width = largest
    width_before = 2.0 * width
    for _ in range(MAX_TRIALS):
        trial = at(step)
        target = start.value + step * wanted
        falls = trial.value <= target
        has_fallen = has_fallen or (falls and trial.slope >= 0.0)
        if _is_stuck(bracketed, step, low, high) or (
            step == largest and falls and trial.slope <= wanted
        ):
            return trial
        if falls and abs(trial.slope) <= -FLATTENING * start.slope:
            return trial
        tilt = wanted if not has_fallen and target < trial.value <= best.value else 0.0
        step, bracketed = _next_step(
            best.tilted(tilt), other.tilted(tilt), trial.tilted(tilt), bracketed, low, high
        )
        best, other = _interval(best, other, trial, tilt)
        if bracketed:
            if abs(other.step - best.step) >= SHRINKING * width_before:
                step = best.step + 0.5 * (other.step - best.step)
            width_before, width = width, abs(other.step - best.step)
            low, high = sorted((best.step, other.step))
        else:
            low = step + LEAST_BEYOND * (step - best.step)
            high = step + MOST_BEYOND * (step - best.step)
        step = min(max(step, 0.0), largest)
        if _is_stuck(bracketed, step, low, high):
            step = best.step
    return None


def _is_stuck(bracketed: bool, step: float, low: float, high: float) -> bool:
    """Whether the interval leaves nothing to choose."""
    return bracketed and (step <= low or step >= high or high - low <= NARROW * high)


def _interval(best: Place, other: Place, trial: Place, tilt: float) -> tuple[Place, Place]:
    """Return the best place now, and the other end of the interval."""
    if trial.tilted(tilt).value > best.tilted(tilt).value:
        return best, trial
    turns = (trial.slope - tilt) * copysign(1.0, best.slope - tilt) < 0.0
    return trial, best if turns else other


def _next_step(
    best: Place, other: Place, trial: Place, bracketed: bool, low: float, high: float
) -> tuple[float, bool]:
    """Return the next step to try, and whether it is known to lie within an interval."""
    turns = trial.slope * copysign(1.0, best.slope) < 0.0
    if trial.value > best.value:  # too far: a minimum lies between
        cubic = _cubic(best, trial)
        rise = (best.value - trial.value) / (trial.step - best.step) + best.slope
        parabola = best.step + best.slope / rise / 2.0 * (trial.step - best.step)
        near = abs(cubic - best.step) < abs(parabola - best.step)
        return (cubic if near else cubic + (parabola - cubic) / 2.0), True
    if turns:  # the slope changes its sign: a minimum lies between
        cubic, secant = _cubic(trial, best), _secant(best, trial)
        return (cubic if abs(cubic - trial.step) > abs(secant - trial.step) else secant), True
    limit = high if trial.step > best.step else low
    if abs(trial.slope) < abs(best.slope):  # it becomes flatter
        cubic, secant = _cubic_beyond(best, trial, limit), _secant(best, trial)
        is_near = abs(cubic - trial.step) < abs(secant - trial.step)
        if not bracketed:
            step = secant if is_near else cubic
            return min(max(step, low), high), False
        step = cubic if is_near else secant
        end = trial.step + SHRINKING * (other.step - trial.step)
        return (min(end, step) if trial.step > best.step else max(end, step)), True
    if bracketed:
        return _cubic(trial, other), True
    return limit, False


def _secant(best: Place, trial: Place) -> float:
    """Return where the slope is zero, on a straight line through two slopes."""
    return trial.step + trial.slope / (trial.slope - best.slope) * (best.step - trial.step)


def _cubic(one: Place, two: Place) -> float:
    """Return where the cubic through two places is lowest, which is between them."""
    theta, gamma = _bends(one, two)
    gamma = copysign(gamma, two.step - one.step)
    share = ((gamma - one.slope) + theta) / (((gamma - one.slope) + gamma) + two.slope)
    return one.step + share * (two.step - one.step)


def _cubic_beyond(best: Place, trial: Place, limit: float) -> float:
    """Return where the cubic through two places is lowest beyond the second, or the limit."""
    theta, gamma = _bends(trial, best)
    gamma = copysign(gamma, best.step - trial.step)
    share = ((gamma - trial.slope) + theta) / ((gamma + (best.slope - trial.slope)) + gamma)
    if share < 0.0 and gamma != 0.0:
        return trial.step + share * (best.step - trial.step)
    return limit


def _bends(one: Place, two: Place) -> tuple[float, float]:
    """Return what the lowest place of the cubic through two places follows from."""
    rise = (one.value - two.value) / (two.step - one.step)
    theta = 3.0 * rise + one.slope + two.slope
    size = max(abs(theta), abs(one.slope), abs(two.slope))
    square = (theta / size) ** 2 - one.slope / size * (two.slope / size)
    return theta, size * sqrt(max(square, 0.0))
