"""Cells that are lists, for files that only have text."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

#: What stands between the values of a list in a CSV file.
BETWEEN = " | "


def joined_lists(table: pa.Table) -> pa.Table:
    """Return a table whose lists are text, with a bar between their values."""
    for index, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_list(column.type):
            joined = pc.binary_join(column.cast(pa.list_(pa.string())), BETWEEN)
            table = table.set_column(index, name, joined)
    return table
