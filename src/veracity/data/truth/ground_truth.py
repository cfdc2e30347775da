"""GroundTruth: a table of true values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.notes import plural
from veracity.data.read.formats import Location, locate
from veracity.data.read.ingest import label_text
from veracity.data.read.schema import ONLY_ATTRIBUTE, TRUTH_ROLES, find_columns
from veracity.data.read.tables import FileOptions, RawTable, open_frame, open_location
from veracity.data.read.workbench import Workbench, reading
from veracity.data.truth.trust import opinion_columns, with_trust
from veracity.errors import InputError, listing


class GroundTruth:
    """The true values of some items: entity, attribute, value; several rows for several values.

    It is for evaluation: no model reads it while fitting, unless it is given as known truth. For
    this, rows may have a `trust` (and an `assessor`): the chance that the value is right, more than
    0.5, where an empty cell or 1 means that it is certain. When results are measured, all rows
    count as true.

    >>> GroundTruth.from_frame({"entity": ["sky", "grass"], "value": ["blue", "green"]})
    GroundTruth(2 items)
    """

    def __init__(
        self,
        table: pa.Table,
        has_attribute: bool,
        origin: Location | None = None,
        opinions: pa.Table | None = None,
    ) -> None:
        self._table = table
        self._has_attribute = has_attribute
        self._origin = origin
        self._opinions = opinions  # the rows with assessor or trust as text, where there are such

    @classmethod
    def read(
        cls,
        where: str | os.PathLike[str],
        *,
        encoding: str = "utf-8",
        delimiter: str | None = None,
        table: str | None = None,
        query: str | None = None,
        **columns: str,
    ) -> Self:
        """Read a truth table from a file or database; see `Claims.read`.

        `columns` names the columns of entity, attribute and value where they are not found by
        name.
        """
        location = locate(Path(where) if not isinstance(where, str) else where)
        files = FileOptions(encoding, delimiter, "strict", table, query)
        with Workbench() as workbench:
            raw = open_location(workbench, location, files)
            return cls._from_raw(workbench, raw, columns, location)

    @classmethod
    def from_frame(cls, frame: Any, **columns: str) -> Self:
        """Take truth from a frame; see `Claims.from_frame`."""
        with Workbench() as workbench:
            return cls._from_raw(workbench, open_frame(workbench, frame), columns)

    @classmethod
    def of(
        cls, truth: Any, *, encoding: str = "utf-8", familiar: Mapping[str, str] | None = None
    ) -> GroundTruth:
        """Return truth as it is, and make it of a path or frame.

        `familiar` are column names by role that the truth may share with the claims; those that it
        does not have are found by name, as always.
        """
        if isinstance(truth, GroundTruth):
            return truth
        location = locate(truth) if isinstance(truth, str | Path) else None
        with Workbench() as workbench:
            if location is None:
                raw = open_frame(workbench, truth)
            else:
                raw = open_location(workbench, location, FileOptions(encoding))
            shared = {
                role: name
                for role, name in (familiar or {}).items()
                if role in TRUTH_ROLES and name in raw.names
            }
            return cls._from_raw(workbench, raw, shared, location)

    @classmethod
    def beside(cls, truth: Any, options: Mapping[str, Any], called: str = "truth") -> GroundTruth:
        """Read truth that comes with claims: in their encoding, by their columns where it has them.

        `options` are those with which the claims are read; `called` is what errors call it.
        """
        familiar = {role: options[role] for role in TRUTH_ROLES if role in options}
        try:
            return cls.of(truth, encoding=options.get("encoding", "utf-8"), familiar=familiar)
        except InputError as error:
            raise type(error)(f"In the {called}: {error}") from error

    @classmethod
    def _from_raw(
        cls,
        workbench: Workbench,
        raw: RawTable,
        given: dict[str, str],
        origin: Location | None = None,
    ) -> Self:
        columns = find_columns(raw.names, given, TRUTH_ROLES, needed=("entity", "value"))
        opinions = opinion_columns(raw.names, columns.roles.values())
        types = [str(row[1]).split("(")[0] for row in workbench.rows(f"DESCRIBE {raw.relation}")]
        chosen = []
        for role in (*TRUTH_ROLES, *opinions):
            if (name := {**columns.roles, **opinions}.get(role)) is None:
                chosen.append(f"'{ONLY_ATTRIBUTE}' AS {role}")
                continue
            text = label_text(raw.column(name), types[raw.names.index(name)])
            chosen.append(f"nullif({text}, '') AS {role}")
        with reading():
            workbench.step("truth", f"SELECT DISTINCT {', '.join(chosen)} FROM ({raw.relation})")
        raw.check()
        known = " AND ".join(f"{role} IS NOT NULL" for role in TRUTH_ROLES)
        table = workbench.arrow(
            f"SELECT DISTINCT {', '.join(TRUTH_ROLES)} FROM truth WHERE {known} ORDER BY ALL"
        )
        if not table.num_rows:
            empty = workbench.row("SELECT count(*) FROM truth")[0]
            raise InputError(
                f"The truth table has no rows{' that are filled in' if empty else ''}. Expected "
                "entity, attribute and value."
            )
        rows = None
        if opinions:
            rows = workbench.arrow(f"SELECT * FROM truth WHERE {known} ORDER BY ALL")
        return cls(table, "attribute" in columns.roles, origin, rows)

    def for_attributes(self, attributes: list[str]) -> pa.Table:
        """Return the truth under the claims' attribute names.

        Where either table has no attribute column, the only attribute of the one is taken to be
        the only attribute of the other.
        """
        return self._under_names(self._table, attributes)

    def under(self, attributes: list[str]) -> GroundTruth:
        """Return the truth, with all that was given beside it, under the claims' names."""
        opinions = self._opinions
        if opinions is not None:
            opinions = self._under_names(opinions, attributes)
        return GroundTruth(self.for_attributes(attributes), True, self._origin, opinions)

    def certain(self, attributes: list[str]) -> pa.Table:
        """Return the truth that is certain under the claims' attribute names."""
        if self._trusted is None:
            return self.for_attributes(attributes)
        sure = self._trusted.filter(pc.equal(self._trusted["trust"], 1.0))
        order = [(name, "ascending") for name in TRUTH_ROLES]
        distinct = sure.group_by(list(TRUTH_ROLES)).aggregate([]).sort_by(order)
        return self._under_names(distinct, attributes)

    def doubtful(self, attributes: list[str]) -> pa.Table | None:
        """Return the rows with a trust below 1, under the claims' attribute names, if any."""
        if self._trusted is None:
            return None
        unsure = self._trusted.filter(pc.less(self._trusted["trust"], 1.0))
        return self._under_names(unsure, attributes) if unsure.num_rows else None

    @property
    def has_doubts(self) -> bool:
        """Whether a row has a trust below 1."""
        return self._trusted is not None and bool(
            pc.any(pc.less(self._trusted["trust"], 1.0)).as_py()
        )

    def given_rows(self, attributes: list[str]) -> pa.Table:
        """Return all rows under the claims' attribute names, with their trust, if they have one."""
        rows = self._table if self._trusted is None else self._trusted
        return self._under_names(rows, attributes)

    @cached_property
    def _trusted(self) -> pa.Table | None:
        """The rows with assessor and trust, if these were given."""
        return None if self._opinions is None else with_trust(self._opinions)

    def _under_names(self, table: pa.Table, attributes: list[str]) -> pa.Table:
        own = self._table["attribute"].unique().to_pylist()
        if set(own) & set(attributes):
            return table
        if len(own) == len(attributes) == 1 and (
            not self._has_attribute or attributes == [ONLY_ATTRIBUTE]
        ):
            renamed = pa.repeat(pa.scalar(attributes[0]), table.num_rows)
            return table.set_column(1, "attribute", renamed)
        raise InputError(
            f"The truth is about {listing(map(repr, own), 5)}, but the claims are about "
            f"{listing(map(repr, attributes), 5)}. Expected attributes that both tables share."
        )

    def without(self, other: GroundTruth) -> GroundTruth:
        """Return the truth of the items that another table says nothing about."""
        given = other.for_attributes(self._table["attribute"].unique().to_pylist())
        opinions = None if self._opinions is None else _without_items(self._opinions, given)
        left = _without_items(self._table, given)
        return GroundTruth(left, self._has_attribute, self._origin, opinions)

    def describe_origin(self) -> list[dict[str, object]]:
        """List the files or the database that the truth was read from."""
        return [] if self._origin is None else self._origin.describe()

    def to_arrow(self) -> pa.Table:
        """Return the table: entity, attribute, value."""
        return self._table

    def __len__(self) -> int:
        return int(self._table.group_by(["entity", "attribute"]).aggregate([]).num_rows)

    def __repr__(self) -> str:
        return f"GroundTruth({plural(len(self), 'item')})"


def _without_items(rows: pa.Table, items: pa.Table) -> pa.Table:
    """Return the rows that are not about the items of another table, in order."""
    names = rows.column_names
    left = rows.join(items, ["entity", "attribute"], join_type="left anti").select(names)
    return left.sort_by([(name, "ascending") for name in names])
