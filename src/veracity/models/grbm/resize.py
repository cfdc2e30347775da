"""Room for sources and classes that a fitted model did not know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange, same_forms
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.parameters import DOT, ParameterVector


def resized_attributes(
    attributes: Sequence[AttributeParameters], block: ClaimBlock
) -> tuple[AttributeParameters, ...]:
    """Return the attributes of a model with all sources and classes that a block has of them.

    An attribute that is new gets a form that needs no classes.
    """
    matrix = block.matrix
    known = {attribute.range.name: place for place, attribute in enumerate(attributes)}
    profiles = {profile.name: profile for profile in matrix.profiles}
    grown = list(attributes)
    for own in same_forms(matrix, [attribute.range for attribute in attributes]):
        if own.name not in known:
            known[own.name] = len(grown)
            grown.append(AttributeParameters(replace(own, first=0, last=0)))
        place = known[own.name]
        attribute = _with_classes(grown[place], matrix, own, profiles.get(own.name))
        if own.form in ("confusion", "per-statement"):
            claims = slice(int(matrix.claim_start[own.first]), int(matrix.claim_start[own.last]))
            speaking = distinct(block.place[matrix.source_index[claims]])
            attribute = _with_sources(attribute, np.union1d(attribute.sources, speaking))
        grown[place] = attribute
    return tuple(grown)


def resized_parameters(x: Floats, before: ModelSpec, after: ModelSpec) -> Floats:
    """Return the parameters of a model that has grown; new ones are 0.

    A class that nobody claimed before is taken to be rarer than all others.
    """
    along: dict[str, Indices] = {}
    for number, attribute in enumerate(after.attributes):
        if number >= len(before.attributes):
            continue
        old = before.attributes[number]
        for axis, entries in old.along(attribute.sources, attribute.has_confusion).items():
            along[f"{number}{DOT}{axis}"] = entries
    grown = ParameterVector(before.names, x).resized(after.names, along)
    for number, old in enumerate(before.attributes):
        n_old = old.range.n_classes
        if old.range.form == "confusion" and after.attributes[number].range.n_classes > n_old:
            prior = grown.group(str(number))["prior"]
            prior[n_old:] = prior[:n_old].min(initial=0.0) - 1.0
    return grown.values


def _with_sources(attribute: AttributeParameters, sources: Indices) -> AttributeParameters:
    """Return an attribute with these sources, its own among them."""
    if len(sources) == len(attribute.sources):
        return attribute
    at = np.searchsorted(sources, attribute.sources)
    return replace(
        attribute,
        sources=sources,
        has_confusion=at[attribute.has_confusion],
        has_habit=at[attribute.has_habit],
    )


def _with_classes(
    attribute: AttributeParameters,
    matrix: ClaimMatrix,
    items: AttributeRange,
    profile: AttributeProfile | None,
) -> AttributeParameters:
    """Return an attribute with the classes that are claimed for a range of items, too."""
    own = attribute.range
    if own.form == "one-coin" and own.n_classes and profile is not None:
        n_classes = max(own.n_classes, profile.n_values)
        return replace(attribute, range=replace(own, n_classes=n_classes))
    if own.form != "confusion":
        return attribute
    start = matrix.statement_start
    values = distinct(matrix.value_index[int(start[items.first]) : int(start[items.last])])
    labels = take_labels(matrix.values, values).to_pylist()
    known = attribute.classes
    classes = (*known, *(label for label in labels if label not in known))
    if len(classes) == len(known):
        return attribute
    return replace(attribute, range=replace(own, n_classes=len(classes)), classes=classes)
