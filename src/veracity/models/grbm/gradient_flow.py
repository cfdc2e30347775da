"""The gradient flow from the start of a fit, followed in a few long steps.

The objective of a fit has several optima. The model takes the one that the gradient flow,
x' = -gradient of f(x), reaches from a cautious start. Parameters with many claims have a steep
gradient and move first; sources with few claims follow once these have settled.

Plain gradient descent follows the same flow, but needs more steps the more claims there are. The
steps here are implicit,

    x_new = argmin f(x) + damping / 2 |x - x_old|^2

and remain stable at any length; a step covers the time 1 / damping. Directions with more curvature
than the damping settle within it, and those with less hardly move. The first damping is the norm of
the gradient, so that the first step is not longer than 1. Each further step has a quarter of the
damping of the one before, until the damping is weaker than every prior; L-BFGS does the rest. Each
step is itself minimised by L-BFGS, from the end of the last step and with its correction pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from veracity.models.grbm.lbfgs import Function, Point, Progress, Solve, advance, n_pairs
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.vectors import dot, pulled, stored, usable

#: The factor between the dampings of two steps, and the last damping: the weakest prior precision.
RATIO, WEAKEST = 4.0, 1.0
#: A step ends when an iteration gains less than this share of what the step has gained so far.
ENOUGH, MAX_ITERATIONS = 0.02, 10
#: Steps that share one curvature matrix, each with its own damping.
STEPS_BY_A_CURVATURE = 4

#: Takes a damping; returns a function that divides a gradient by the damped curvature.
CurvatureAt = Callable[[float], Solve]


@dataclass(frozen=True)
class Flow:
    """How far the flow was followed, and the damping of the next step."""

    progress: Progress
    damping: float


def follow(
    function: Function,
    x: Any,
    curvature_at: Callable[[Any], CurvatureAt],
    max_iter: int,
    record: Callable[[Point], None],
    begun: Flow | None = None,
    keep: Callable[[Flow], None] = lambda flow: None,
) -> Progress:
    """Follow the flow from `x` until the damping is weaker than the priors.

    Parameters
    ----------
    function
        The objective: returns value, gradient and whatever else `record` may need.
    x
        Where to start.
    curvature_at
        Returns the curvature at a place.
    max_iter
        Iterations at most.
    record
        Called with the point that each iteration reaches.
    begun
        Where to go on, instead of at `x`.
    keep
        Called now and then with the state from which the flow can be resumed.
    """
    flow = begun or _start(function, x)
    del begun  # frees its gradient
    while flow.damping > WEAKEST and flow.progress.n_iter < max_iter:
        keep(flow)
        curvature = curvature_at(usable(flow.progress.point.x))
        flow = _steps(function, flow, curvature, max_iter, record)
        del curvature  # frees its memory before the next one is computed
    flow.progress.pairs.damp(0.0)
    return flow.progress


def _steps(
    function: Function,
    flow: Flow,
    curvature: CurvatureAt,
    max_iter: int,
    record: Callable[[Point], None],
) -> Flow:
    """Take a few steps with the same curvature; end the flow if a step makes no progress."""
    for _ in range(STEPS_BY_A_CURVATURE):
        begun, damping = flow.progress, flow.damping
        if damping <= WEAKEST or begun.n_iter == max_iter:
            break
        reached = _step(function, begun, damping, curvature(damping), max_iter, record)
        moved = reached.n_iter > begun.n_iter
        flow = Flow(reached, damping / RATIO if moved else 0.0)
    return flow


def _start(function: Function, x: Any) -> Flow:
    point = Point.at(x, function)
    pairs = Pairs(n_pairs(len(x), has_curvature=True))
    return Flow(Progress(point, pairs), dot(point.gradient, point.gradient) ** 0.5)


def _step(
    function: Function,
    begun: Progress,
    damping: float,
    solve: Solve,
    max_iter: int,
    record: Callable[[Point], None],
) -> Progress:
    """Take an implicit step; see above."""
    start, pairs, n_iter = begun.point, begun.pairs, begun.n_iter

    def damped(x: Any) -> tuple[float, Any, Any]:
        value, gradient, extra = function(x)
        own = Point(stored(x), value, stored(gradient), extra)
        del gradient  # it may be in a file now
        square, gradient = pulled(own.gradient, damping, own.x, start.x)
        return value + 0.5 * damping * square, gradient, own

    pairs.damp(damping)
    point = replace(start, extra=start)
    for _ in range(min(MAX_ITERATIONS, max_iter - n_iter)):
        reached = advance(damped, point, pairs, solve)
        if reached is None:
            break
        gain = point.value - reached.value
        point, n_iter = reached, n_iter + 1
        record(point.extra)
        if gain <= ENOUGH * (start.value - point.value):
            break
    return Progress(point.extra, pairs, n_iter)
