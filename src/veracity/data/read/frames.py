"""Frames of other libraries as Arrow tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from veracity.arguments import came
from veracity.errors import InputError


def is_on_spark(table: Any) -> bool:
    """Whether something is a Spark DataFrame; asked without importing Spark."""
    spark = any(kind.__module__.startswith("pyspark.sql") for kind in type(table).mro())
    return spark and hasattr(table, "mapInArrow")


def arrow_table(frame: Any) -> pa.Table:
    """Return any frame as an Arrow table: zero copy where its library allows."""
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatchReader):
        return frame.read_all()
    if isinstance(frame, dict):
        return pa.table({str(name): text_or_typed(column) for name, column in frame.items()})
    if type(frame).__module__.split(".")[0] == "pandas":
        return _from_pandas(frame)
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    raise InputError(
        f"Expected a table: a pandas or polars frame, an Arrow table, a DuckDB relation, a dict of "
        f"columns, or anything with __arrow_c_stream__. Got {came(frame)}, instead."
        f"{_hint(frame)}"
    )


def _hint(frame: object) -> str:
    """Say what to do with rows."""
    if not isinstance(frame, list | tuple) or not frame:
        return ""
    if isinstance(frame[0], dict):
        return " Rows as dictionaries become a table with pyarrow.Table.from_pylist(rows)."
    return " Claims.from_triples reads rows of (source, entity, value)."


def _from_pandas(frame: Any) -> pa.Table:
    if not hasattr(frame, "columns"):
        raise InputError("A pandas Series is not a table of claims: pass a DataFrame.")
    columns = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if str(name) in columns:
            raise InputError(f"Several columns have the name {str(name)!r}. Rename all but one.")
        columns[str(name)] = _pandas_column(column)
    return pa.table(columns)


def _pandas_column(column: Any) -> Any:
    if column.dtype == object:
        return text_or_typed(column.tolist())
    return pa.Array.from_pandas(column)


def text_or_typed(cells: Any) -> Any:
    """Make an Arrow column of Python cells; a mix of types becomes text."""
    if isinstance(cells, pa.Array | pa.ChunkedArray):
        return cells
    if hasattr(cells, "dtype") and cells.dtype != object:
        return pa.array(cells)
    cells = list(cells)
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) <= 1:
        try:
            return pa.array(cells)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            pass
    return text_column(cells)


def text_column(cells: Iterable[object]) -> pa.Array:
    """Write Python cells as text; None and NaN are missing."""
    return pa.array([cell_text(cell) for cell in cells], pa.string())


def cell_text(cell: object) -> str | None:
    """Write one Python cell as text, as the same cell of an Arrow column would be."""
    if isinstance(cell, str):
        return cell
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if str(cell) in ("<NA>", "NaT"):
        return None
    if hasattr(cell, "item"):  # a numpy scalar
        cell = cell.item()
    if isinstance(cell, float) and cell.is_integer():  # 1.0 is 1 here as it is there
        return f"{cell:.0f}" if abs(cell) < 2**53 else str(cell)
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def as_text(column: Any) -> pa.Array:
    """Write an Arrow column as text: whole floats without a point, NaN as missing."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    return column.cast(pa.string())


def plain_text(table: pa.Table) -> pa.Table:
    """Return a table whose dictionaries are text, so that parts of one table fit together."""
    for index, column in enumerate(table.columns):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(index, table.column_names[index], column.cast(pa.string()))
    return table
