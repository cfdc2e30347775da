"""Fitting: plain steps choose one of several optima, then larger ones reach it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.claim_information import information_of_block
from veracity.models.grbm.curvature import Curvature, SharedCurvature, SharedSums
from veracity.models.grbm.lbfgs import Solve
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.objective import BlockObjective, Objective
from veracity.models.grbm.observation.confusion import shared_by_items
from veracity.models.grbm.optimise import Minimised, minimise_in_stage
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.vectors import whole

#: Plain steps that come first, and the relative gain below which even these end.
PLAIN, STILL = 40, 2e-9


@dataclass
class Fit:
    """Where a fit ended."""

    x: Floats
    objective: float
    converged: bool
    message: str
    history: list[dict[str, float]] = field(default_factory=list)


def fit(objective: Objective, max_iter: int, tol: float, start: Floats | None = None) -> Fit:
    """Maximise the penalised likelihood by L-BFGS; deterministic.

    There are several optima, and the path to one is a part of the model. Plain steps from a
    cautious start move first what many claims tell of, and sources with few claims follow; where
    these lead, hundreds of them end as well. A rough curvature from the start lets thin sources
    choose, and is worse on the public sets. After some plain steps the choice is made, and with the
    curvature few are left.

    The paper's machine has no such priors, and starts from a curvature.
    """
    if objective.spec.is_theta:
        free = FreePart.of(objective, objective.centre if start is None else start)
        solve = free.solve(objective.theta_curvature().divide)
        ended = minimise_in_stage(free.evaluate, free.begin, solve, max_iter, tol)
        return _fit_of(free, ended)
    part: FreePart | MovingPart
    if objective.is_elsewhere:
        part = MovingPart(objective, start)
    else:
        part = FreePart.of(objective, objective.centre if start is None else start)
    n_plain = min(PLAIN, max_iter)
    ended = minimise_in_stage(part.evaluate, part.begin, None, n_plain, min(tol, STILL))
    if not ended.found.converged and n_plain < max_iter:
        x, before = ended.found.point.x, ended.history
        del ended  # with a gradient, which is as long
        solve = part.solve_at(whole(x))
        ended = minimise_in_stage(part.evaluate, x, solve, max_iter, tol, before)
    return _fit_of(part, ended)


def _fit_of(part: FreePart | MovingPart, ended: Minimised) -> Fit:
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

    def solve_at(self, x: Floats) -> Solve:
        """Return a function that divides a gradient of free parameters by the curvature at `x`."""
        return self.solve(curvature(self.objective, self.whole(x)).divide)

    def solve(self, divide: Solve) -> Solve:
        """Return a function that divides a gradient by a curvature, the others held fixed."""

        def divided(gradient: Floats) -> Floats:
            found = np.zeros_like(self.start)
            found[self.place] = gradient
            return divide(found)[self.place]

        return divided


def curvature(objective: Objective, x: Floats) -> Curvature:
    """Return a rough curvature at some parameters, as if it were known which claims are right."""
    spec = objective.spec
    sums = objective.blocks.total(_information, spec, x)
    of_source = sums["of_source"].everywhere()
    shared = SharedSums(
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
        together.append((place, np.linalg.inv(square)))
    linear = spec.linear_names
    if not spec.reliability.is_linear:
        whole["psi"] += float(of_source.sum())
    if spec.slopes is not None:
        whole["slope"] += float(of_source.sum())
        whole["own_slope"] += of_source[:, None]
    of_claims = SharedCurvature(shared, precision.take(linear), precision["source"])
    rest = whole.take(spec.names.others(linear))
    return Curvature(of_claims, rest, spec.names, linear, together)


def _information(block: BlockObjective, spec: ModelSpec, x: Floats) -> Sums:
    found, sums = information_of_block(block, spec, block.own(x))
    return sums | {"own": Scattered(block.index, found.values, spec.names.size)}
