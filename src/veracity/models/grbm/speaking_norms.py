"""The norms of speaking, worked out from all parameters; see `veracity.models.grbm.speaking`."""

from __future__ import annotations

from veracity.data.arrays import Floats
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.speaking import SPEAKING_NORM


def speaking_norms(spec: ModelSpec, x: Floats) -> dict[str, Floats]:
    """Return the norms of attributes with one-sided sources, by the number of the attribute."""
    return {
        str(number): attribute.one_sided.norms(
            _speaking_strength(spec, x, attribute)[0], attribute.range.n_classes
        )
        for number, attribute in enumerate(spec.attributes)
        if len(attribute.one_sided)
    }


def through_norms(spec: ModelSpec, x: Floats, ascent: Floats) -> Floats:
    """Carry the gradient in the norms of speaking over to m and the deviations of sources."""
    gradient = ParameterVector(spec.names, ascent.copy())
    for group, norms in speaking_norms(spec, x).items():
        attribute, of_norms = spec.attributes[int(group)], gradient.group(group)[SPEAKING_NORM]
        u, slope = _speaking_strength(spec, x, attribute)
        delta = attribute.one_sided.gradient(u, slope, norms, of_norms)
        gradient["m"] = gradient["m"] + delta.sum()
        gradient["source"][attribute.one_sided.source] += delta
        gradient.group(group)[SPEAKING_NORM] = 0.0
    return gradient.values


def with_speaking_norms(spec: ModelSpec, x: Floats) -> Floats:
    """Return parameters of which the norms of speaking are a part, to judge other claims by."""
    found = speaking_norms(spec, x)
    if not found:
        return x
    kept = ParameterVector(spec.names, x.copy())
    for group, norms in found.items():
        kept.group(group)[SPEAKING_NORM] = norms
    return kept.values


def _speaking_strength(
    spec: ModelSpec, x: Floats, attribute: AttributeParameters
) -> tuple[Floats, Floats]:
    parameters = ParameterVector(spec.names, x)
    eta = parameters["m"] + parameters["source"][attribute.one_sided.source]
    return attribute.one_sided.strength(eta, attribute.range.n_classes, spec.floor)
