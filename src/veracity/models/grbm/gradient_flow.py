"""The gradient flow from the start of a fit, followed in a few long steps.

A fit has several optima, and which of them is meant is a part of the model: the one that the flow
x' = -gradient of f(x) leads to from a cautious start. What many claims tell of has a steep gradient
and moves first; sources with few claims follow once that is settled.

Short plain steps follow the flow as well, but the more claims, the more of them it takes. So the
steps here are implicit,

    x_new = argmin f(x) + damping / 2 |x - x_old|^2

and may be as long as one likes: a step goes on for the time 1 / damping. What has more curvature
than the damping settles, and what has less hardly moves. At first the damping is the length of the
gradient, so that no step is longer than 1. Each step has a quarter of the damping of the last one,
until it is weaker than every prior; from there L-BFGS does the rest. The problem of each step is
easy: it starts at the answer to the last one, and goes by what was seen of the curvature there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from veracity.data.arrays import Floats
from veracity.models.grbm.lbfgs import Function, Point, Progress, Solve, advance, n_pairs
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.vectors import along, difference, dot, stored, whole

#: How much weaker the damping becomes with each step, and the weakest: what priors hold the least.
RATIO, WEAKEST = 4.0, 1.0
#: A step is taken once an iteration gains less than this share of what the step has gained so far.
ENOUGH, MAX_ITERATIONS = 0.02, 10
#: Steps that go by the same curvature, damped as each needs it.
STEPS_BY_A_CURVATURE = 4

#: Takes a damping; returns what divides a gradient by the curvature somewhere, damped by as much.
CurvatureAt = Callable[[float], Solve]


@dataclass(frozen=True)
class Flow:
    """How far the flow was followed, and the damping of the next step."""

    progress: Progress
    damping: float


def follow(
    function: Function,
    x: Floats,
    curvature_at: Callable[[Floats], CurvatureAt],
    max_iter: int,
    record: Callable[[Point], None],
    begun: Flow | None = None,
    keep: Callable[[Flow], None] = lambda flow: None,
) -> Progress:
    """Follow the flow from `x` until the damping is weaker than the priors.

    Parameters
    ----------
    function
        What falls along the flow: returns value, gradient and whatever else `record` may need.
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
        Called with what is needed to go on, now and then.
    """
    flow = begun or _start(function, x)
    del begun  # its gradient is as long as all others
    while flow.damping > WEAKEST and flow.progress.n_iter < max_iter:
        keep(flow)
        curvature = curvature_at(whole(flow.progress.point.x))
        flow = _steps(function, flow, curvature, max_iter, record)
        del curvature  # before another is worked out
    flow.progress.pairs.damp(0.0)
    return flow.progress


def _steps(
    function: Function,
    flow: Flow,
    curvature: CurvatureAt,
    max_iter: int,
    record: Callable[[Point], None],
) -> Flow:
    """Take a few steps by the same curvature. After one that leads nowhere, none is left."""
    for _ in range(STEPS_BY_A_CURVATURE):
        begun, damping = flow.progress, flow.damping
        if damping <= WEAKEST or begun.n_iter == max_iter:
            break
        reached = _step(function, begun, damping, curvature(damping), max_iter, record)
        moved = reached.n_iter > begun.n_iter
        flow = Flow(reached, damping / RATIO if moved else 0.0)
    return flow


def _start(function: Function, x: Floats) -> Flow:
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

    def damped(x: Floats) -> tuple[float, Floats, Any]:
        value, gradient, extra = function(x)
        own = Point(stored(x), value, stored(gradient), extra)
        del gradient  # it may be in a file now
        away = difference(own.x, start.x)
        return value + 0.5 * damping * dot(away, away), along(own.gradient, damping, away), own

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
