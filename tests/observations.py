"""Claims judged in given forms at given parameters, for tests of observation models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.objectives import block_of, objective_of

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.truth.known import KnownTruth
from veracity.models.grbm.attributes import AttributeRange, Form
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.parameters import ParameterVector

CLOSED, OPEN = Attribute("single", "closed"), Attribute("single", "open")
BOOLEAN, SEVERAL = Attribute("boolean", positive="yes"), Attribute("multiple")


@dataclass(frozen=True)
class Told:
    """How an attribute is judged: kind, form, classes, and whether these are confused."""

    attribute: Attribute
    form: Form
    classes: tuple[str, ...] = ()
    confuses: bool = False


THREE, TWO = ("a", "b", "c"), ("a", "b")
#: An attribute of every form.
EVERY_FORM = {
    "coin": Told(CLOSED, "one-coin", THREE),
    "open": Told(OPEN, "lures", THREE),
    "several": Told(SEVERAL, "per-statement", THREE),
    "sure": Told(BOOLEAN, "confusion", ("no", "yes")),
    "three": Told(CLOSED, "confusion", THREE, confuses=True),
    "two": Told(CLOSED, "confusion", TWO),
}


@dataclass(frozen=True)
class Row:
    """One claim."""

    source: str
    entity: str
    attribute: str
    value: str
    asserts: int = 1
    weight: float = 1.0


def drawn_rows(
    attributes: Iterable[str],
    *,
    n_sources: int = 6,
    n_items: int = 12,
    share: float = 0.6,
    denials: float = 0.15,
    weighted: bool = True,
    seed: int = 0,
) -> list[Row]:
    """Draw claims about attributes of `EVERY_FORM`, at random."""
    rng = np.random.default_rng(seed)
    rows = []
    for name in attributes:
        told = EVERY_FORM[name]
        for item in range(n_items):
            for source in np.flatnonzero(rng.random(n_sources) < share):
                value = str(rng.choice(told.classes))
                asserts = int(rng.random() >= denials)
                weight = float(rng.choice([0.5, 1.0, 2.0])) if weighted else 1.0
                rows.append(Row(f"s{source}", f"e{item:02d}", name, value, asserts, weight))
        # So that every class occurs, and is a value that somebody claims.
        for value in told.classes:
            rows.append(Row("s0", f"only {value}", name, value))
    return rows


def read(rows: list[Row]) -> Claims:
    """Read claims, and keep all of them."""
    names = ("source", "entity", "attribute", "value", "asserts", "weight")
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in names}
    kinds = {name: EVERY_FORM[name].attribute for name in dict.fromkeys(columns["attribute"])}
    return Claims.from_frame(columns, attributes=kinds, duplicates="all")


def ranges_of(claims: Claims, hardness: float) -> list[AttributeRange]:
    """Return the forms of `EVERY_FORM`, for the attributes that occur."""
    ranges, first = [], 0
    for profile in claims.matrix.profiles:
        told, last = EVERY_FORM[profile.name], first + profile.n_items
        n_classes = {"lures": 0, "per-statement": 2}.get(told.form, len(told.classes))
        tau = 0.0 if told.form == "per-statement" else hardness
        learns = told.form == "confusion" and tau > 0.0
        ranges.append(
            AttributeRange(
                profile.name, told.form, first, last, n_classes, tau, told.confuses, learns
            )
        )
        first = last
    return ranges


def judged(
    claims: Claims,
    *,
    hardness: float = 0.5,
    floor: float = 1.0,
    known: KnownTruth | None = None,
    size: float = 0.5,
    seed: int = 0,
    moved: Mapping[str, float] | None = None,
) -> tuple[BlockObjective, ParameterVector]:
    """Return the block of claims in the forms of `EVERY_FORM`, and parameters near their centre."""
    z = np.linspace(-1.0, 1.0, claims.matrix.n_sources)
    objective = objective_of(
        claims, 2, ranges=ranges_of(claims, hardness), known=known, floor=floor, log_claim_count=z
    )
    block = block_of(objective)
    noise = np.random.default_rng(seed).normal(size=len(objective.centre))
    own = ParameterVector(block.names, objective.centre + size * noise)
    for name, value in (moved or {}).items():
        own[name] = value
    return block, own


def item_of(claims: Claims, entity: str, attribute: str) -> int:
    """Return the item of an entity and an attribute."""
    matrix = claims.matrix
    entities, attributes = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    for item in range(matrix.n_items):
        is_entity = entities[matrix.entity_index[item]] == entity
        if is_entity and attributes[matrix.attribute_index[item]] == attribute:
            return item
    raise KeyError((entity, attribute))


def by_differences(function: Any, x: Floats, step: float = 1e-5) -> Floats:
    """Return the gradient of a function, by central differences."""
    slope = np.empty(len(x))
    for place in range(len(x)):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        slope[place] = (function(up) - function(down)) / (2 * step)
    return slope
