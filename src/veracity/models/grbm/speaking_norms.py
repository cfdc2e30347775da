"""The norms of speaking, worked out from all parameters; see `veracity.models.grbm.speaking`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.parameters import DOT, ParameterVector
from veracity.models.grbm.speaking import SPEAKING_NORM


def norm_places(spec: ModelSpec) -> Indices:
    """Return the places of the norms among all parameters; none if the fit has no norms."""
    if not spec.fits_speaking:
        return np.empty(0, np.int64)
    groups = (group for group, _ in _with_one_sided(spec))
    return spec.names.where(*(f"{group}{DOT}{SPEAKING_NORM}" for group in groups))


def with_speaking_norms(spec: ModelSpec, x: Floats) -> Floats:
    """Return the parameters with the norms of speaking filled in, as judging claims needs."""
    if not any(_with_one_sided(spec)):
        return x
    found = ParameterVector(spec.names, x.copy())
    for group, attribute in _with_one_sided(spec):
        u, _ = _strength(found, attribute, spec.floor)
        norms = attribute.one_sided.norms(u, attribute.range.n_classes)
        found.group(group)[SPEAKING_NORM] = norms
    return found.values


def through_norms(spec: ModelSpec, x: Floats, ascent: Floats) -> Floats:
    """Add the gradient in the norms, by the chain rule, to that in m and in deviations of sources.

    The norms are a part of `x`.
    """
    given, gradient = ParameterVector(spec.names, x), ParameterVector(spec.names, ascent.copy())
    for group, attribute in _with_one_sided(spec):
        of_norms = gradient.group(group)[SPEAKING_NORM]
        u, slope = _strength(given, attribute, spec.floor)
        norms = given.group(group)[SPEAKING_NORM]
        delta = attribute.one_sided.gradient(u, slope, norms, of_norms)
        gradient["m"] = gradient["m"] + delta.sum()
        gradient["source"][attribute.one_sided.source] += delta
        of_norms[:] = 0.0
    return gradient.values


def _with_one_sided(spec: ModelSpec) -> Iterator[tuple[str, AttributeParameters]]:
    """Yield the attributes with one-sided sources, by their number."""
    for number, attribute in enumerate(spec.attributes):
        if len(attribute.one_sided):
            yield str(number), attribute


def _strength(
    parameters: ParameterVector, attribute: AttributeParameters, floor: float
) -> tuple[Floats, Floats]:
    """Return u of each one-sided source of an attribute, and du/deta."""
    eta = parameters["m"] + parameters["source"][attribute.one_sided.source]
    return attribute.one_sided.strength(eta, attribute.range.n_classes, floor)
