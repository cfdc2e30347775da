"""Fitting: plain steps choose one of several optima, then larger ones reach it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veracity.data.arrays import Floats
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.curvature import Curvature, SharedCurvature, SharedSums
from veracity.models.grbm.objective import BlockObjective, Objective
from veracity.models.grbm.optimise import minimise_in_stage
from veracity.models.grbm.parameters import ParameterVector

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
    curvature fewer are left than without.

    The paper's machine has no such priors, and starts from a curvature.
    """
    begin = objective.centre if start is None else start
    if objective.spec.is_theta:
        solve = objective.theta_curvature().divide
        ended = minimise_in_stage(objective.evaluate, begin, solve, max_iter, tol)
    else:
        n_plain = min(PLAIN, max_iter)
        ended = minimise_in_stage(objective.evaluate, begin, None, n_plain, min(tol, STILL))
        if not ended.found.converged and n_plain < max_iter:
            ended = minimise_in_stage(
                objective.evaluate,
                ended.found.point.x,
                curvature(objective).divide,
                max_iter,
                tol,
                ended.history,
            )
    found = ended.found
    return Fit(found.point.x, -found.point.value, found.converged, found.message, ended.history)


def curvature(objective: Objective) -> Curvature:
    """Return a rough curvature, as if it were known which claims are right."""
    spec = objective.spec
    sums = objective.blocks.total(_shared_sums, spec.n_sources)
    of_source = sums["of_source"].everywhere()
    shared = SharedSums(
        sums["square"], np.ascontiguousarray(sums["cross"].everywhere().T), of_source
    )
    precision = ParameterVector(spec.names, objective.precision)
    whole = ParameterVector(spec.names, objective.precision.copy())
    for number, prior in enumerate(objective.priors):
        whole.group(str(number)).values[:] = prior.curvature
    linear = spec.linear_names
    if not spec.reliability.is_linear:
        whole["psi"] += float(of_source.sum())
    if spec.slopes is not None:
        whole["slope"] += float(of_source.sum())
        whole["own_slope"] += of_source[:, None]
    own = SharedCurvature(shared, precision.take(linear), precision["source"])
    return Curvature(own, whole.take(spec.names.others(linear)), spec.names, linear)


def _shared_sums(block: BlockObjective, n_sources: int) -> Sums:
    found = block.shared_sums()
    return {
        "square": found.square,
        "cross": Scattered(block.place, np.ascontiguousarray(found.cross.T), n_sources),
        "of_source": Scattered(block.place, found.of_source, n_sources),
    }
