"""Room for what the parameters of a fitted attribute did not know: other sources, other classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from veracity.data.arrays import Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.forms import same_forms
from veracity.models.grbm.observation.confusion import ClassParameters


def with_room(shapes: Sequence[FittedBlock], block: ClaimBlock) -> list[FittedBlock]:
    """Return the attributes of a fit with room for all that a block says of them.

    New parameters are 0. An attribute that is new gets a form that needs no classes.
    """
    matrix = block.matrix
    known = {shape.block.name: place for place, shape in enumerate(shapes)}
    profiles = {profile.name: profile for profile in matrix.profiles}
    grown = list(shapes)
    nobody = np.empty(0, np.int64)
    for form in same_forms(matrix, [shape.block for shape in shapes]):
        if form.name not in known:
            n_classes = 2 if form.form == "binary" else 0
            own = np.zeros(2 if form.form == "binary" else 0)
            new = replace(form, first=0, last=0, n_classes=n_classes)
            known[form.name] = len(grown)
            grown.append(FittedBlock(new, (), nobody, nobody, own))
        place = known[form.name]
        claims = slice(int(matrix.claim_start[form.first]), int(matrix.claim_start[form.last]))
        shape = _with_classes(grown[place], matrix, form.first, form.last, profiles[form.name])
        if form.form != "coin":
            speaking = distinct(block.place[matrix.source_index[claims]])
            shape = _with_sources(shape, np.union1d(shape.sources, speaking))
        grown[place] = shape
    return grown


def _with_sources(shape: FittedBlock, sources: Indices) -> FittedBlock:
    """Return an attribute with the parameters of these sources, its own among them."""
    if len(sources) == len(shape.sources):
        return shape
    at = np.searchsorted(sources, shape.sources)
    if shape.block.form == "binary":
        own = np.zeros(2 + len(sources))
        own[:2] = shape.own[:2]
        own[2:][at] = shape.own[2:]
        return replace(shape, sources=sources, own=own)
    k, n_heavy = shape.block.n_classes, len(shape.heavy)
    there = ClassParameters.of(shape.own, k, len(shape.sources), n_heavy)
    own = np.zeros(k * (2 + k + len(sources) + n_heavy * k))
    here = ClassParameters.of(own, k, len(sources), n_heavy)
    here.prior[:], here.said[:], here.confused[:] = there.prior, there.said, there.confused
    here.source_said[at], here.source_confused[:] = there.source_said, there.source_confused
    return replace(shape, sources=sources, heavy=at[shape.heavy], own=own)


def _with_classes(
    shape: FittedBlock, matrix: ClaimMatrix, first: int, last: int, profile: AttributeProfile
) -> FittedBlock:
    """Return an attribute with the classes that are claimed for a range of items, too."""
    block = shape.block
    if block.form == "coin" and block.n_classes:
        n_classes = max(block.n_classes, profile.n_values)
        return replace(shape, block=replace(block, n_classes=n_classes))
    if block.form != "classes":
        return shape
    start = matrix.statement_start
    values = distinct(matrix.value_index[int(start[first]) : int(start[last])])
    labels = take_labels(matrix.values, values).to_pylist()
    classes = (*shape.classes, *(label for label in labels if label not in shape.classes))
    if len(classes) == len(shape.classes):
        return shape
    k, before = len(classes), block.n_classes
    n_sources, n_heavy = len(shape.sources), len(shape.heavy)
    there = ClassParameters.of(shape.own, before, n_sources, n_heavy)
    own = np.zeros(k * (2 + k + n_sources + n_heavy * k))
    here = ClassParameters.of(own, k, n_sources, n_heavy)
    old = slice(0, before)
    here.prior[old], here.said[old] = there.prior, there.said
    # A class that nobody claimed is taken to be rarer than all others.
    here.prior[before:] = there.prior.min(initial=0.0) - 1.0
    here.confused[old, old], here.source_said[:, old] = there.confused, there.source_said
    here.source_confused[:, old, old] = there.source_confused
    return replace(shape, block=replace(block, n_classes=k), classes=classes, own=own)
