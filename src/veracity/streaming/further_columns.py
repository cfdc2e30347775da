"""Columns of the truths that only some forms have, stored together as JSON."""

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
    if not names:
        return truths.append_column(FURTHER, pa.nulls(len(truths), pa.string()))
    cells = [
        json.dumps({name: _plain(cell) for name, cell in row.items() if cell is not None})
        for row in truths.select(names).to_pylist()
    ]
    return truths.drop_columns(names).append_column(FURTHER, pa.array(cells, pa.string()))


def without_further(truths: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Take them out again."""
    shown = truths.drop_columns([FURTHER])
    if not types:
        return shown
    cells = [json.loads(cell or "{}") for cell in truths[FURTHER].to_pylist()]
    for name, kind in types.items():
        column = pa.array([cell.get(name) for cell in cells])
        shown = shown.append_column(name, column.cast(kind))
    return shown


def _plain(cell: Any) -> Any:
    """Return a cell as JSON has it; times as text."""
    return cell.isoformat() if hasattr(cell, "isoformat") else cell
