"""Fitting: the gradient flow chooses one of several optima, and L-BFGS reaches it."""

from __future__ import annotations

from dataclasses import dataclass, field

from veracity.data.arrays import Floats
from veracity.models.grbm.divided_part import DividedPart, is_divided
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.optimise import Minimised, flow_in_stage, minimise_in_stage
from veracity.models.grbm.theta_curvature import theta_curvature
from veracity.models.grbm.vectors import usable, whole


@dataclass
class Fit:
    """Where a fit ended."""

    x: Floats
    objective: float
    converged: bool
    message: str
    history: list[dict[str, float]] = field(default_factory=list)


def fit(objective: Objective, max_iter: int, tol: float, start: Floats | None = None) -> Fit:
    """Maximise the penalised likelihood; deterministic.

    There are several optima, and the way to one is a part of the model: it is where the gradient
    flow leads from a cautious start. It moves first what many claims tell of, and sources with few
    claims follow; see `gradient_flow`. With the curvature from the start, thin sources would
    choose, which is worse on the public sets. Once the flow has come near an optimum, L-BFGS
    reaches it.

    The paper's machine has no such priors, and starts from a curvature.
    """
    if objective.spec.is_theta:
        return _fit_theta(objective, max_iter, tol, start)
    moving = MovingPart(objective, start)
    part = DividedPart(moving) if is_divided(moving) else moving
    flowed = flow_in_stage(part.evaluate, part.begin, part.curvature_at, max_iter, part.laid)
    damped = part.curvature_at(usable(flowed.progress.point.x))
    ended = minimise_in_stage(part.evaluate, flowed, damped(0.0), max_iter, tol, part.laid)
    return _fit_of(ended, part.whole(whole(ended.found.point.x)))


def _fit_theta(objective: Objective, max_iter: int, tol: float, start: Floats | None) -> Fit:
    """Fit the paper's machine. All of its parameters move."""
    spec, begin = objective.spec, objective.centre if start is None else start
    divide = theta_curvature(objective.blocks, spec, objective.priors[0]).divide
    ended = minimise_in_stage(objective.evaluate, begin.copy(), divide, max_iter, tol)
    return _fit_of(ended, whole(ended.found.point.x))


def _fit_of(ended: Minimised, x: Floats) -> Fit:
    """Return the fit whose search ended at some parameters."""
    found = ended.found
    return Fit(x, -found.point.value, found.converged, found.message, ended.history)
