"""The known truth of a stream: of claims that came, and of those that may come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.claims import Claims
from veracity.data.read.schema import TRUTH_ROLES
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import KnownTruth
from veracity.errors import InvalidParameter


@dataclass(frozen=True, eq=False)
class StreamLabels:
    """Known truth by item: entity, attribute and value."""

    table: pa.Table

    @classmethod
    def none(cls) -> StreamLabels:
        """Return no labels."""
        return cls(pa.table({role: pa.array([], pa.string()) for role in TRUTH_ROLES}))

    @classmethod
    def of(cls, truth: GroundTruth | None, attributes: list[str]) -> StreamLabels:
        """Take over the known truth of a fit, under the names of the claims' attributes."""
        if truth is None:
            return cls.none()
        if truth.has_doubts:
            raise InvalidParameter(
                "Known truth with a trust below 1 does not work in a stream. Make the run again "
                "with all claims."
            )
        return cls(_in_order(truth.certain(attributes).select(list(TRUTH_ROLES))))

    def with_more(self, more: StreamLabels) -> StreamLabels:
        """Return these and others; of an item that both know, the others say what is true."""
        item = ["entity", "attribute"]
        kept = self.table.join(more.table.select(item), item, join_type="left anti")
        return StreamLabels(
            _in_order(pa.concat_tables([kept.select(list(TRUTH_ROLES)), more.table]))
        )

    def __len__(self) -> int:
        return int(self.table.group_by(["entity", "attribute"]).aggregate([]).num_rows)

    @property
    def items(self) -> tuple[list[str], list[str]]:
        """The attributes and entities of the labelled items."""
        distinct = self.table.group_by(["attribute", "entity"]).aggregate([])
        return distinct["attribute"].to_pylist(), distinct["entity"].to_pylist()

    @property
    def truth(self) -> GroundTruth | None:
        """The labels as known truth of a fit; None if there are none."""
        return GroundTruth(self.table, has_attribute=True) if self.table.num_rows else None

    def of_claims(self, claims: Claims) -> KnownTruth | None:
        """Return what is known about the items of claims; None if nothing is."""
        about = pc.is_in(self.table["attribute"], claims.matrix.attributes)
        table = self.table.filter(about)
        if not table.num_rows:
            return None
        known = KnownTruth.of(GroundTruth(table, has_attribute=True), claims, agrees=True)
        if not known.settled.any():
            return None
        is_own = pc.greater_equal(known.unclaimed["item"], 0)  # labels of other items are not ours
        return replace(known, unclaimed=known.unclaimed.filter(is_own))

    def about(self, table: pa.Table) -> pa.Table:
        """Return the rows of a table of claims that are about labelled items."""
        item = ["entity", "attribute"]
        row = pa.array(range(table.num_rows), pa.int64())
        keys = table.select(item).append_column("row", row)
        found = keys.join(self.table.select(item), item, join_type="left semi")
        return table.take(found["row"].combine_chunks().sort())

    def as_rows(self) -> list[list[Any]]:
        """Return them as plain data."""
        return [list(row.values()) for row in self.table.to_pylist()]

    @classmethod
    def of_rows(cls, rows: list[list[Any]]) -> StreamLabels:
        """Restore what `as_rows` returned."""
        columns = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(
            pa.table(
                {
                    role: pa.array(column, pa.string())
                    for role, column in zip(TRUTH_ROLES, columns, strict=True)
                }
            )
        )


def _in_order(table: pa.Table) -> pa.Table:
    return table.sort_by([(role, "ascending") for role in TRUTH_ROLES])
