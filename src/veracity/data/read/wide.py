"""Wide tables: of thousands of columns, those that may be used are taken over first."""

from __future__ import annotations

from dataclasses import replace

from veracity.data.read.dictionaries import no_cells
from veracity.data.read.relations import Relations
from veracity.data.read.schema import Columns
from veracity.data.read.tables import RawTable
from veracity.data.read.unused import COLUMNS
from veracity.data.read.workbench import reading

#: A table with more columns is wide: to name all of them in every query would cost more than to
#: copy those that are used.
WIDE = 500


def narrowed(workbench: Relations, raw: RawTable, columns: Columns) -> RawTable:
    """Return a wide table without the columns that nothing looks at, if they are most of it."""
    order = () if columns.order is None else (columns.order,)
    looked_at = (*columns.roles.values(), *columns.features, *order, *columns.ignored[:COLUMNS])
    names = tuple(dict.fromkeys(looked_at))
    if len(raw.names) <= max(WIDE, 2 * len(names)):
        return raw
    carried = workbench.sql.carried
    copied = [f"{raw.column(name)} AS c{place}" for place, name in enumerate(names)]
    with reading():
        workbench.step("narrow", raw.choosing([*carried, *copied]))
    kept = ", ".join([*carried, *(f"c{place}" for place in range(len(names)))])
    rows = f"SELECT {kept} FROM narrow"
    return replace(raw, names=names, relation=rows, cells=no_cells, types=None)
