"""Columns of truths that only some forms of attributes have, kept as one column of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from veracity.streaming.history_rows import TRUTH_COLUMNS

#: The column that holds them.
FURTHER = "further"
#: What is worked out for all truths together, and not kept.
_NOT_KEPT = ("entity", "attribute", "decision")


def with_further(truths: pa.Table) -> pa.Table:
    """Gather the columns that the history has no place for in one."""
    names = [
        name for name in truths.column_names if name not in TRUTH_COLUMNS and name not in _NOT_KEPT
    ]
    cells = [
        json.dumps({name: _plain(cell) for name, cell in row.items() if cell is not None}) or None
        for row in truths.select(names).to_pylist()
    ]
    kept = truths.drop_columns(names)
    return kept.append_column(FURTHER, pa.array(cells or [None] * len(kept), pa.string()))


def without_further(truths: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Take them out again."""
    cells = [json.loads(cell or "{}") for cell in truths[FURTHER].to_pylist()]
    shown = truths.drop_columns([FURTHER])
    for name, kind in types.items():
        column = pa.array([cell.get(name) for cell in cells])
        shown = shown.append_column(name, column.cast(kind))
    return shown


def _plain(cell: Any) -> Any:
    """Return a cell as JSON has it; times as text."""
    return cell.isoformat() if hasattr(cell, "isoformat") else cell
