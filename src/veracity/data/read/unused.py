"""Columns that play no part but look informative, and what they would be a feature of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from veracity.data.read.relations import Relations
from veracity.data.read.schema import Columns
from veracity.data.read.tables import RawTable

#: As many rows are looked at.
ROWS = 20_000
#: As many columns are looked at, at a time and in all: a table of thousands is not advised about.
COLUMNS_AT_ONCE, COLUMNS = 10, 100
#: Text of which more of the filled cells than this are distinct is free text, or names the row.
MAX_DISTINCT = 0.5
#: The roles to which a column may belong.
OWNERS = ("source", "entity", "value")


class _Cells(NamedTuple):
    """Counts of a column in the rows that are looked at.

    ``with_source`` are the distinct pairs of its cells and a source; with the others likewise.
    """

    filled: int
    distinct: int
    numbers: int
    whole: int
    with_source: int
    with_entity: int
    with_value: int

    def kind(self, n_sources: int, n_entities: int, n_values: int) -> str | None:
        """Return what the column would be a feature of; None if it looks uninformative."""
        if self.distinct < 2 or self._is_unique():
            return None
        if self.with_value <= n_values:  # another form of the value
            return None
        if self.with_source <= n_sources:
            return "source" if self.distinct < n_sources else None  # or another name of it
        if self.with_entity <= n_entities:
            return "entity" if self.distinct < n_entities else None
        return "claim"

    def _is_unique(self) -> bool:
        """Whether almost each row has a cell of its own, numbers that are measured aside."""
        measured = self.numbers == self.filled and self.whole < self.filled
        return not measured and self.distinct > MAX_DISTINCT * self.filled


def informative(workbench: Relations, raw: RawTable, columns: Columns) -> dict[str, str]:
    """Look at the first rows of unused columns; return those that look informative, and the kind.

    A column is not that if it has one value only, or one for each row, or is just another form of
    the value, or another name of the source or the entity.
    """
    looked_at, kinds = columns.ignored[:COLUMNS], dict[str, str]()
    used = {raw.column(name) for name in (*looked_at, *columns.roles.values())}
    sample = f"SELECT {', '.join(sorted(used))} FROM ({raw.relation}) LIMIT {ROWS}"
    if len(looked_at) > COLUMNS_AT_ONCE:  # opening a table of many columns takes long
        workbench.step("sampled", sample)
        sample = "SELECT * FROM sampled"
    for first in range(0, len(looked_at), COLUMNS_AT_ONCE):
        some = looked_at[first : first + COLUMNS_AT_ONCE]
        kinds |= _informative(workbench, raw, columns, some, sample)
    return kinds


def _informative(
    workbench: Relations, raw: RawTable, columns: Columns, names: Sequence[str], sample: str
) -> dict[str, str]:
    """Look at some columns in one query, whose cost grows with the square of their number."""
    owners = {role: _text(raw.column(columns.roles[role])) for role in OWNERS}
    wanted = [f"count(DISTINCT {cell})" for cell in owners.values()]
    for name in names:
        wanted += _counts(workbench, _text(raw.column(name)), list(owners.values()))
    found = workbench.row(f"SELECT {', '.join(wanted)} FROM ({sample})")
    sizes, rest = found[: len(OWNERS)], found[len(OWNERS) :]
    width = len(_Cells._fields)
    kinds = {}
    for place, name in enumerate(names):
        kind = _Cells(*rest[width * place : width * (place + 1)]).kind(*sizes)
        if kind is not None:
            kinds[name] = kind
    return kinds


def _counts(workbench: Relations, cell: str, owners: list[str]) -> list[str]:
    number = workbench.sql.number(cell)
    return [
        f"count({cell})",
        f"count(DISTINCT {cell})",
        f"count({number})",
        f"count(CASE WHEN {number} = floor({number}) THEN 1 END)",
        # A character that no cell holds keeps pairs apart.
        *(f"count(DISTINCT {cell} || chr(1) || {owner})" for owner in owners),
    ]


def _text(column: str) -> str:
    return f"nullif(CAST({column} AS STRING), '')"
