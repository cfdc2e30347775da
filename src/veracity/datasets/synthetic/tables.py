"""Arrow tables of what was drawn: claims, truth, and the oracle's knowledge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Array, Floats, Indices
from veracity.datasets.synthetic.claims import Block
from veracity.datasets.synthetic.features import index_of
from veracity.datasets.synthetic.rates import Rates
from veracity.datasets.synthetic.roles import NOBODY, ROLES, Roles
from veracity.datasets.synthetic.specs import AttributeSpec
from veracity.datasets.synthetic.visits import Visits


@dataclass(frozen=True)
class Labels:
    """Names for the dense indices of sources and entities."""

    sources: pa.Array
    entities: pa.Array
    attributes: tuple[AttributeSpec, ...]

    @classmethod
    def numbered(
        cls, n_sources: int, n_entities: int, attributes: Sequence[AttributeSpec]
    ) -> Labels:
        """Call sources s0, s1, ... and entities e0, e1, ..., with leading zeros."""
        return cls(_numbered("s", n_sources), _numbered("e", n_entities), tuple(attributes))

    def values(self, attribute: int, entity: Indices, value: Indices) -> pa.Array:
        """Name values: by the domain if it is closed, else by a number particular to the item."""
        spec = self.attributes[attribute]
        if spec.is_closed:
            return take(pa.array(spec.values), value)
        item = entity * len(self.attributes) + attribute
        number = item * max(other.size for other in self.attributes) + value
        return _joined("v", pa.array(number).cast(pa.string()))


def claims_table(
    labels: Labels,
    visits: Visits,
    blocks: Sequence[Block],
    columns: Mapping[str, Array],
    days: Array | None,
    with_asserts: bool,
) -> tuple[pa.Table, Indices]:
    """Return the claims, ordered by source, and the visit that each stems from."""
    visit = np.concatenate([block.visit for block in blocks])
    order = np.argsort(visit, kind="stable")
    value = [
        labels.values(number, visits.entity[block.visit], block.value)
        for number, block in enumerate(blocks)
    ]
    visit = visit[order]
    names = pa.array([spec.name for spec in labels.attributes])
    table = {
        "source": take(labels.sources, visits.source[visit]),
        "entity": take(labels.entities, visits.entity[visit]),
        "attribute": take(names, visits.attribute[visit]),
        "value": take(pa.chunked_array(value), order),
    }
    if with_asserts:
        asserts = np.concatenate([block.asserts for block in blocks])
        table["asserts"] = pa.array(asserts[order].astype(np.int8))
    if days is not None:
        table["time"] = pa.array(days[visit])
    for name, column in columns.items():
        index = index_of(name, visits)
        table[name] = take(pa.array(column), visit if index is None else index[visit])
    return pa.table(table), visit


def truth_table(labels: Labels, blocks: Sequence[Block]) -> pa.Table:
    """Return what is true, attribute by attribute."""
    parts = []
    for number, block in enumerate(blocks):
        name = pa.scalar(labels.attributes[number].name)
        columns = {
            "entity": take(labels.entities, block.true_entity),
            "attribute": pa.repeat(name, len(block.true_entity)),
            "value": labels.values(number, block.true_entity, block.true_value),
        }
        parts.append(pa.table(columns))
    return pa.concat_tables(parts)


def sources_table(
    labels: Labels, visits: Visits, rates: Rates, reliability: Floats, roles: Roles
) -> pa.Table:
    """Return the role and the mean rates of each source."""
    n_visits = np.bincount(visits.source, minlength=len(roles.role))

    def mean(rate: Floats) -> Floats:
        return np.bincount(visits.source, rate, len(roles.role)) / np.maximum(n_visits, 1)

    copies = pa.array(roles.copies, mask=roles.copies == NOBODY)
    return pa.table(
        {
            "source": labels.sources,
            "role": take(pa.array(ROLES), roles.role),
            "reliability": mean(reliability),
            "tpr": mean(rates.tpr),
            "fpr": mean(rates.fpr),
            "copies": labels.sources.take(copies),
        }
    )


def decisions_table(attributes: Sequence[AttributeSpec], blocks: Sequence[Block]) -> pa.Table:
    """Return how well the best decision does on each attribute."""
    made = [block.decisions for block in blocks]
    return pa.table(
        {
            "attribute": pa.array([spec.name for spec in attributes]),
            "n_decisions": pa.array([each.n_decisions for each in made]),
            "accuracy": pa.array([each.n_right / max(1, each.n_decisions) for each in made]),
            "expected_accuracy": pa.array(
                [each.n_expected / max(1, each.n_decisions) for each in made]
            ),
        }
    )


def take(labels: pa.Array | pa.ChunkedArray, index: Indices) -> pa.Array:
    """Return the labels of dense indices."""
    return labels.take(pa.array(index))


def _numbered(prefix: str, n: int) -> pa.Array:
    digits = pa.array(np.arange(n)).cast(pa.string())
    return _joined(prefix, pc.utf8_lpad(digits, width=len(str(n - 1)), padding="0"))


def _joined(prefix: str, numbers: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(pa.scalar(prefix), numbers, "")
