"""The tables of a history, and how rows of them become Arrow tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

import pyarrow as pa

#: Rows that are read at once where a whole table is.
ROWS_AT_ONCE = 200_000
#: The columns of claims that are not features, with their types.
CLAIM_COLUMNS = {
    "source": pa.string(),
    "value": pa.string(),
    "asserts": pa.uint8(),
    "time": pa.float64(),
    "weight": pa.float64(),
}
TRUTH_COLUMNS = {
    "value": pa.string(),
    "plausibility": pa.float64(),
    "margin": pa.float64(),
    "n_sources": pa.int64(),
    "n_values": pa.int64(),
    "tie": pa.bool_(),
    "hardness": pa.float64(),
    "further": pa.string(),
}
STATEMENT_COLUMNS = {
    "value": pa.string(),
    "plausibility": pa.float64(),
    "supporters": pa.int64(),
    "deniers": pa.int64(),
}
FEATURE_TYPES = {"number": pa.float64(), "boolean": pa.bool_(), "category": pa.string()}

SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID;
CREATE TABLE items (
    item INTEGER PRIMARY KEY, attribute TEXT NOT NULL, entity TEXT NOT NULL,
    UNIQUE (attribute, entity)
);
CREATE TABLE claims (
    claim INTEGER PRIMARY KEY, item INTEGER NOT NULL, source TEXT NOT NULL, value TEXT NOT NULL,
    asserts INTEGER NOT NULL, time REAL, weight REAL, recorded BLOB NOT NULL
);
CREATE INDEX claims_of_item ON claims (item);
CREATE TABLE truths (
    item INTEGER NOT NULL, place INTEGER NOT NULL, value TEXT, plausibility REAL, margin REAL,
    n_sources INTEGER, n_values INTEGER, tie INTEGER, hardness REAL, further TEXT,
    PRIMARY KEY (item, place)
) WITHOUT ROWID;
CREATE TABLE statements (
    item INTEGER NOT NULL, place INTEGER NOT NULL, value TEXT, plausibility REAL,
    supporters INTEGER, deniers INTEGER, PRIMARY KEY (item, place)
) WITHOUT ROWID
"""

#: From the items touched to what is about them. The word CROSS keeps the order of the tables: else
#: all of a table may be gone through, to have it in the order that is asked for.
LOOKED_UP = "CROSS JOIN {} USING (item) CROSS JOIN items USING (item)"


def table_of(rows: list[tuple[Any, ...]], types: dict[str, pa.DataType]) -> pa.Table:
    columns: Any = zip(*rows, strict=True) if rows else repeat((), len(types))
    made = {}
    for (name, kind), column in zip(types.items(), columns, strict=True):
        cells = (
            [None if cell is None else bool(cell) for cell in column]
            if kind == pa.bool_()
            else column
        )
        made[name] = pa.array(cells, kind)
    return pa.table(made)


def items_in(table: pa.Table) -> Iterator[tuple[str, str]]:
    """Return attribute and entity of each row."""
    return zip(table["attribute"].to_pylist(), table["entity"].to_pylist(), strict=True)


def parts_of(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    """Read rows part by part; the first is there even if it is empty."""
    first = cursor.fetchmany(ROWS_AT_ONCE)
    yield from chain([first], iter(lambda: cursor.fetchmany(ROWS_AT_ONCE), []))
