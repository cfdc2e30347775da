"""Recentring: parameters fitted to labelled items, held near those of the unlabelled fit.

Labels among many unlabelled items hardly move a fit: the model is partly wrong about the others,
and these outvote the few. So the likelihood of the labelled items alone is maximised, with normal
priors around the parameters of the unlabelled fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.models.grbm.fitted import FittedModel
from veracity.models.grbm.lbfgs import minimise
from veracity.models.grbm.observation.base import FIXED
from veracity.models.grbm.parameters import DOT, ParameterNames, ParameterVector
from veracity.models.grbm.speaking import SPEAKING_NORM
from veracity.models.grbm.speaking_norms import with_speaking_norms
from veracity.models.grbm.vectors import dot, whole

#: How strongly parameters are held, by their names; the precisions of normal priors.
HOLD = {
    "m": 1.0,
    "gamma": 5.0,
    "source": 1.0,
    "psi": 20.0,
    "slope": 20.0,
    "own_slope": 20.0,
    "prior": 3.0,
    "habit": 5.0,
    "source_habit": 2.0,
    "confusion": 1.0,
    "source_confusion": 5.0,
    "hardness": 1.0,
    "log_alpha": 1.0,
    SPEAKING_NORM: FIXED,
}
#: Where eta of sources is held to before labels are looked at. Below, u is flat in eta, and a
#: source that the fit gave up on would never come back; above, one that it trusts would never go.
LEAST_ETA, MOST_ETA = -1.0, 3.5
MAX_ITER, TOLERANCE = 50, 1e-7


@dataclass(frozen=True, eq=False)
class Overlay:
    """Some numbers of a vector of parameters that differ from those of another.

    Attributes
    ----------
    index, values
        The places of the numbers, and the numbers.
    """

    index: Indices
    values: Floats

    def over(self, x: Floats) -> Floats:
        """Return parameters with these in their places."""
        laid = x.copy()
        laid[self.index] = self.values
        return laid


def clipped(fitted: FittedModel) -> Floats:
    """Return the parameters of a fit, with eta of each source within bounds."""
    spec = fitted.spec
    parameters = ParameterVector(spec.names, fitted.x.copy())
    z = spec.log_claim_count if spec.uses_claim_count else 0.0
    shared = parameters["m"] + parameters["gamma"] * z
    least = LEAST_ETA if spec.floor > 0 else -MOST_ETA  # sources may be worse than chance
    eta = np.clip(shared + parameters["source"], least, MOST_ETA)
    parameters["source"] = eta - shared
    return parameters.values


def holds(names: ParameterNames) -> Floats:
    """Return how strongly each parameter is held."""
    hold = names.zeros()
    for name in names.axes:
        hold[name] = HOLD[name.rpartition(DOT)[2]]
    return hold.values


def recentred(fitted: FittedModel, centre: Floats, block: ClaimBlock) -> Overlay:
    """Fit the parameters of a block's sources and attributes to its labels, near a centre."""
    only_labelled = replace(fitted.spec, only_known=True, threads=1)
    bound = replace(fitted, spec=only_labelled).bind_block(block)
    index = bound.places
    ours = index >= 0
    place = np.where(ours, index, 0)
    begin = np.where(ours, centre[place], 0.0)
    hold = holds(bound.names)
    is_free = ours & (hold < FIXED)

    def loss(x: Floats) -> tuple[float, Floats, None]:
        value, _, ascent = bound.log_likelihood(ParameterVector(bound.names, x))
        step = x - begin
        pull = hold * step
        return 0.5 * dot(pull, step) - value, np.where(is_free, pull - ascent, 0.0), None

    found = minimise(loss, begin, None, MAX_ITER, TOLERANCE, record=lambda point: None)
    return Overlay(index[ours], whole(found.point.x)[ours])


def laid_over(fitted: FittedModel, centre: Floats, overlay: Overlay) -> FittedModel:
    """Return the fitted model with parameters that labels have moved."""
    return replace(fitted, x=with_speaking_norms(fitted.spec, overlay.over(centre)))
