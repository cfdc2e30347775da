"""Known truth that nobody claims, as states of items: rules act on it like on claimed values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from veracity.data.clean.values import ValueForms
from veracity.data.rules.consistency import Literal
from veracity.models.rules.bound_rules import BoundRules
from veracity.models.rules.components import Premise
from veracity.models.rules.item_states import UNCLAIMED, ItemStates, Shape

#: Statements of rules that are known to be true, by entity and attribute.
Told = dict[tuple[str, str], list[Premise]]


def told_by(certain: pa.Table | None, rules: BoundRules, forms: ValueForms) -> Told:
    """Return the statements of rules that rows of known truth (entity, attribute, value) give."""
    told: Told = {}
    for row in [] if certain is None else certain.to_pylist():
        name = row["attribute"]
        premise = rules.premises.get(Literal(name, forms.key(name, row["value"])))
        if premise is not None:
            told.setdefault((row["entity"], name), []).append(premise)
    return told


def with_told(items: Sequence[ItemStates], told: Told, rules: BoundRules) -> list[ItemStates]:
    """Add what is known to be true and nobody claims, and items that nobody speaks about."""
    found = {(item.entity, item.shape.attribute): item for item in items}
    for (entity, attribute), premises in told.items():
        item = found.get((entity, attribute))
        if item is None:
            one_value = attribute in rules.with_one_value
            item = ItemStates(entity, Shape(attribute, (), one_value), np.empty(0), True)
        missing = [one for one in premises if one.number not in item.shape.states]
        if missing:
            found[entity, attribute] = _extended(item, missing)
    return list(found.values())


def _extended(item: ItemStates, premises: Iterable[Premise]) -> ItemStates:
    """Return an item with statements that are known to be true, or false if they say no."""
    shape = item.shape
    states = (*shape.states, *(one.number for one in premises))
    true = [float(not one.says_no) for one in premises]
    before = item.probability
    if shape.one_value:  # which held what nobody claims, until now
        before = (
            np.where(np.array(shape.states) == UNCLAIMED, 0.0, before) if len(before) else before
        )
    shape = replace(shape, states=states)
    return replace(item, shape=shape, probability=np.append(before, true))
