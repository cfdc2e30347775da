"""Tables and notes about the levels of hierarchies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.notes import Note, plural
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Sums, Together

if TYPE_CHECKING:
    from veracity.models.forms.hierarchy.model import HierarchyModel

#: Values unknown to the table that a note names.
SHOWN = 3


def levels_of(block: ClaimBlock, model: HierarchyModel) -> pa.Table:
    """Return the values of each item and those above them, from the top, with plausibilities."""
    trees, found = model.beliefs(block)
    matrix, lineages = trees.matrix, trees.matrix.lineages
    assert lineages is not None
    item = trees.item
    order = np.lexsort((trees.name, -found.inside, trees.depth, item))
    item, parent = item[order], trees.parent[order]
    labels = pa.array(lineages.labels, pa.string())
    within = take_labels(labels, np.maximum(trees.name[np.maximum(parent, 0)], 0))
    mask = pa.array(parent < 0)
    return pa.table(
        {
            "entity": take_labels(matrix.entities, matrix.entity_index[item]),
            "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
            "level": to_arrow(trees.depth[order]),
            "value": take_labels(labels, trees.name[order]),
            "within": pa.compute.if_else(mask, None, within),
            "claimed": to_arrow(trees.statement[order] >= 0),
            "plausibility": to_arrow(np.minimum(found.inside[order], 1.0)),
        }
    )


def unknown_values(claims: ClaimsInBlocks) -> list[Note]:
    """Say how many values the tables of hierarchies do not have."""
    tables = [p for p in claims.attributes if p.hierarchy is not None and p.hierarchy.pairs]
    if not tables:
        return []
    found = claims.blocks.total(_unknown)["unknown"].members
    notes = []
    for profile in tables:
        values = sorted(value for name, value in found if name == profile.name)
        if values:
            shown = ", ".join(map(repr, values[:SHOWN]))
            text = (
                f"The hierarchy of {profile.name!r} does not have {plural(len(values), 'value')} "
                f"of {profile.n_values:,}, such as {shown}; each lies within no other."
            )
            notes.append(Note("hierarchy", text, len(values)))
    return notes


def _unknown(block: ClaimBlock) -> Sums:
    matrix = block.matrix
    attribute = matrix.attribute_index[matrix.item_of_statement]
    unknown = set()
    for index, profile in enumerate(matrix.profiles):
        if profile.hierarchy is None or not profile.hierarchy.pairs:
            continue
        own = np.unique(matrix.value_index[attribute == index])
        for label in take_labels(matrix.values, own).to_pylist():
            if not profile.hierarchy.knows(label):
                unknown.add((profile.name, label))
    return {"unknown": Together(frozenset(unknown))}
