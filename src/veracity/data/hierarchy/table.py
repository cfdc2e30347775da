"""Reading a table of children and parents from a file or a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from veracity.data.read.formats import locate
from veracity.data.read.ingest import label_text
from veracity.data.read.tables import FileOptions, RawTable, open_frame, open_location
from veracity.data.read.workbench import Workbench
from veracity.errors import InputError, MissingColumn, listing

COLUMNS = ("child", "parent")


def read_pairs(table: Any) -> list[tuple[str, str | None]]:
    """Return the rows of a table, child and parent; a root may have no parent."""
    try:
        with Workbench() as workbench:
            if isinstance(table, str | Path):
                raw = open_location(workbench, locate(table), FileOptions())
            else:
                raw = open_frame(workbench, table)
            pairs = _pairs(workbench, raw)
            raw.check()
    except InputError as error:
        raise type(error)(f"In the hierarchy: {error}") from error
    return pairs


def _pairs(workbench: Workbench, raw: RawTable) -> list[tuple[str, str | None]]:
    types = [str(row[1]).split("(")[0] for row in workbench.rows(f"DESCRIBE {raw.relation}")]
    cells = []
    for role, name in zip(COLUMNS, _columns(raw.names), strict=True):
        text = label_text(raw.column(name), types[raw.names.index(name)])
        cells.append(f"nullif(trim({text}), '') AS {role}")
    rows = workbench.arrow(f"SELECT {', '.join(cells)} FROM ({raw.relation})").to_pylist()
    for number, row in enumerate(rows, start=1):
        if row["child"] is None and row["parent"] is not None:
            raise InputError(
                f"Row {number:,} names the parent {row['parent']!r}, but no child. Fill it in, or "
                "remove the row."
            )
    pairs = [(row["child"], row["parent"]) for row in rows if row["child"] is not None]
    if not any(parent for _, parent in pairs):
        raise InputError("No row names a child and its parent.")
    return pairs


def _columns(names: Sequence[str]) -> tuple[str, str]:
    """Find child and parent by the names of columns, or by their order if there are two."""
    found = {name.strip().casefold(): name for name in names}
    if all(role in found for role in COLUMNS):
        return found["child"], found["parent"]
    if len(names) == 2 and not any(role in found for role in COLUMNS):
        return names[0], names[1]
    missing = next(role for role in COLUMNS if role not in found)
    raise MissingColumn(
        f"There is no column {missing!r}. Expected the columns child and parent, or a table of two "
        f"columns in this order. The table's columns are: {listing(names)}."
    )
