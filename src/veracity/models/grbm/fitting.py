"""Fitting: the gradient flow chooses one of several optima, and L-BFGS reaches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.claim_information import information_of_block
from veracity.models.grbm.curvature import Curvature, Placed, SharedCurvature, SharedSums
from veracity.models.grbm.divided_part import DividedPart, is_divided
from veracity.models.grbm.lbfgs import Divide
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.confusion import shared_by_items
from veracity.models.grbm.optimise import Minimised, flow_in_stage, minimise_in_stage
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta_curvature import theta_curvature
from veracity.models.grbm.vectors import Vector, stored, usable, whole


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
        free = FreePart.of(objective, objective.centre if start is None else start)
        curvature = theta_curvature(objective.blocks, objective.spec, objective.priors[0])
        solve = free.solve(curvature.divide)
        ended = minimise_in_stage(free.evaluate, free.begin, solve, max_iter, tol)
        return _fit_of(free, ended)
    part = _part_of(objective, start)
    flowed = flow_in_stage(part.evaluate, part.begin, part.curvature_at, max_iter, part.laid)
    damped = part.curvature_at(usable(flowed.progress.point.x))
    ended = minimise_in_stage(part.evaluate, flowed, damped(0.0), max_iter, tol, part.laid)
    return _fit_of(part, ended)


def _part_of(objective: Objective, start: Floats | None) -> Part:
    """Return the objective as a function of the parameters that move, wherever these are."""
    if not objective.sees_own_sources:
        return FreePart.of(objective, objective.centre if start is None else start)
    part = MovingPart(objective, start)
    return DividedPart(part) if is_divided(part) else part


def _fit_of(part: Part, ended: Minimised) -> Fit:
    """Return where a fit of all parameters ended."""
    point, found = ended.found.point, ended.found
    x = part.whole(whole(point.x))
    return Fit(x, -point.value, found.converged, found.message, ended.history)


@dataclass(frozen=True, eq=False)
class FreePart:
    """The parameters that move. Of most sources, which say little, none does.

    Attributes
    ----------
    objective
        The function of all parameters.
    start
        All parameters at the start.
    place
        Where those that move are among all.
    room
        All parameters, to be set anew for each evaluation.
    """

    objective: Objective
    start: Floats
    place: Indices
    room: Floats

    @classmethod
    def of(cls, objective: Objective, start: Floats) -> FreePart:
        """Find the parameters that move from a start."""
        return cls(objective, start, np.flatnonzero(objective.is_free), start.copy())

    @property
    def begin(self) -> Floats:
        """The start of those that move."""
        return self.start[self.place]

    @staticmethod
    def laid(numbers: Floats) -> Vector:
        """Store a vector the way the search stores its own."""
        return stored(numbers)

    def whole(self, x: Floats) -> Floats:
        """Return all parameters, given those that move."""
        found = self.start.copy()
        found[self.place] = x
        return found

    def evaluate(self, x: Floats) -> tuple[float, Floats, float]:
        """Return the objective, its gradient and the log-likelihood; see `Objective.evaluate`."""
        self.room[self.place] = x
        value, gradient, likelihood = self.objective.evaluate(self.room)
        return value, gradient[self.place], likelihood

    def curvature_at(self, x: Floats) -> Callable[[float], Divide]:
        """Return what divides a gradient of free parameters by the curvature at `x`, damped."""
        found = curvature(self.objective, self.whole(x))
        return lambda damping: self.solve(found.damped(damping).divide)

    def solve(self, divide: Divide) -> Divide:
        """Return a function that divides a gradient by a curvature, the others held fixed."""

        def divided(gradient: Floats) -> Floats:
            found = np.zeros_like(self.start)
            found[self.place] = gradient
            return divide(found)[self.place]

        return divided


Part = FreePart | MovingPart | DividedPart


def curvature(objective: Objective, x: Floats) -> Curvature:
    """Return a rough curvature at some parameters, as if it were known which claims are right."""
    spec = objective.spec
    sums = objective.blocks.total(_information, spec, x)
    of_source = sums["of_source"].everywhere()
    claims = SharedSums(
        sums["square"], np.ascontiguousarray(sums["cross"].everywhere().T), of_source
    )
    precision = ParameterVector(spec.names, objective.precision)
    own = ParameterVector(spec.names, sums["own"].everywhere())
    whole = ParameterVector(spec.names, objective.precision.copy())
    together = []
    for number, (attribute, prior) in enumerate(
        zip(spec.attributes, objective.priors, strict=True)
    ):
        group = str(number)
        if attribute.range.form != "confusion":
            whole.group(group).values[:] = prior.curvature
            continue
        whole.group(group).values[:] += own.group(group).values
        place = spec.names.group_slice(group).start + shared_by_items(attribute.names)
        square = sums[group] + np.diag(objective.precision[place])
        together.append((Placed.all(place), square))
    linear = spec.linear_names
    if not spec.reliability.is_linear:
        whole["psi"] += float(of_source.sum())
    if spec.slopes is not None:
        whole["slope"] += float(of_source.sum())
        whole["own_slope"] += of_source[:, None]
    of_claims = SharedCurvature.of(claims, precision.take(linear), precision["source"])
    where, source = spec.names.where(*linear), spec.names.where("source")
    return Curvature(of_claims, whole.values, Placed.all(where), Placed.all(source), together)


def _information(block: BlockObjective, spec: ModelSpec, x: Floats) -> Sums:
    found, sums = information_of_block(block, spec, block.own(x))
    return sums | {"own": Scattered(block.index, found.values, spec.names.size)}
