"""Frames of other libraries as Arrow tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from veracity.arguments import came
from veracity.errors import InputError, listing

#: How much of a text is shown in a message.
TEXT_SHOWN = 40
#: How many of each unit of time a second has.
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
#: The farthest time that the engine can write, in seconds from 1970: 290,000 years.
FARTHEST = 9_150_000_000_000
SECONDS_OF_DAY = 86_400


def is_on_spark(table: Any) -> bool:
    """Whether something is a Spark DataFrame; asked without importing Spark."""
    spark = any(kind.__module__.startswith("pyspark.sql") for kind in type(table).mro())
    return spark and hasattr(table, "mapInArrow")


def arrow_table(frame: Any) -> pa.Table:
    """Return any frame as an Arrow table: zero copy where its library allows."""
    return readable(_as_arrow(frame))


def _as_arrow(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatchReader):
        return frame.read_all()
    if isinstance(frame, dict):
        return _table_of({str(name): _dict_column(name, frame[name]) for name in frame})
    library = type(frame).__module__.split(".")[0]
    if library == "pandas":
        return _from_pandas(frame)
    if library == "polars" and hasattr(frame, "get_columns"):
        return _from_polars(frame)
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


def readable(table: pa.Table) -> pa.Table:
    """Return a table with columns that every reader knows; others become text or wider numbers."""
    if not table.num_columns:
        raise InputError("The table has no columns. Expected one row per claim, with a header.")
    for index, field in enumerate(table.schema):
        _check_calendar(field.name, table.column(index))
        kind: pa.DataType | None = None
        if pa.types.is_float16(field.type):
            kind = pa.float32()
        elif pa.types.is_decimal256(field.type):
            kind = pa.string()
        if kind is not None:
            column = table.column(index).cast(kind)
            table = table.set_column(index, field.name, column)
    return table


def _check_calendar(name: str, column: pa.ChunkedArray) -> None:
    """Refuse times that the engine cannot write."""
    kind = column.type
    if not (pa.types.is_timestamp(kind) or pa.types.is_time(kind)):
        return
    per_second = PER_SECOND[kind.unit]
    least, most = -FARTHEST * per_second, FARTHEST * per_second
    if pa.types.is_time(kind):
        least, most = 0, SECONDS_OF_DAY * per_second
    whole = column.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
    found = pc.min_max(whole).as_py()
    if found["min"] is not None and not least <= found["min"] <= found["max"] <= most:
        raise InputError(
            f"Column {name!r} holds times that no calendar has: the numbers behind them go from "
            f"{found['min']} to {found['max']}, in {kind}. Perhaps their unit is wrong."
        )


def _table_of(columns: dict[str, Any]) -> pa.Table:
    """Put columns side by side, unless they differ in length."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = [f"{name} has {length:,}" for name, length in lengths.items()]
        raise InputError(f"The columns differ in length: {listing(shown)} cells. Fill them up.")
    try:
        return pa.table(columns)
    except UnicodeEncodeError as error:
        raise _no_text(str(error.object)) from error


def _dict_column(name: object, cells: Any) -> Any:
    """Return a column of a dict, which has to be a sequence of cells."""
    if isinstance(cells, str | bytes) or not hasattr(cells, "__iter__"):
        raise InputError(f"Column {str(name)!r} is no list of cells. Got {came(cells)}, instead.")
    return text_or_typed(cells)


def _from_polars(frame: Any) -> pa.Table:
    """Return a polars frame; its columns of Python objects would come as pointers."""
    plain = [column.name for column in frame.get_columns() if str(column.dtype) != "Object"]
    if len(plain) == frame.width:
        return pa.table(frame)
    typed = pa.table(frame.select(plain))
    columns = {
        name: typed[name] if name in plain else text_column(frame[name].to_list())
        for name in frame.columns
    }
    return pa.table(columns)


def _from_pandas(frame: Any) -> pa.Table:
    if not hasattr(frame, "columns"):
        raise InputError("A pandas Series is not a table of claims: pass a DataFrame.")
    columns = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if str(name) in columns:
            raise InputError(f"Several columns have the name {str(name)!r}. Rename all but one.")
        columns[str(name)] = _pandas_column(column)
    return _table_of(columns)


def _pandas_column(column: Any) -> Any:
    kind = type(column.dtype).__name__
    if kind in ("PeriodDtype", "IntervalDtype"):  # Arrow knows the numbers behind them only
        return text_column(column.tolist())
    if kind == "SparseDtype":
        column = column.sparse.to_dense()
    if column.dtype == object or column.dtype.kind == "c":
        return text_or_typed(column.tolist())
    return pa.Array.from_pandas(column)


def text_or_typed(cells: Any) -> Any:
    """Make an Arrow column of Python cells; a mix of types becomes text."""
    if isinstance(cells, pa.Array | pa.ChunkedArray):
        return cells
    if hasattr(cells, "dtype") and cells.dtype != object and cells.dtype.kind != "c":
        return pa.array(cells)
    cells = list(cells)
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) <= 1:
        try:
            return pa.array(cells)
        except (pa.ArrowException, ArithmeticError, TypeError, ValueError):
            pass
    return text_column(cells)


def text_column(cells: Iterable[object]) -> pa.Array:
    """Write Python cells as text; None and NaN are missing."""
    texts = [cell_text(cell) for cell in cells]
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError as error:
        raise _no_text(str(error.object)) from error


def _no_text(text: str) -> InputError:
    """Say that a text cannot be written, and so cannot be kept."""
    shown = ascii(text if len(text) <= TEXT_SHOWN else text[:TEXT_SHOWN] + "...")
    return InputError(
        f"{shown} is no whole text: it has half of a surrogate pair, which stands for no "
        "character. Mend it where it was decoded, or write it as "
        "text.encode(errors='replace').decode()."
    )


def cell_text(cell: object) -> str | None:
    """Write one Python cell as text, as the same cell of an Arrow column would be."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bytes):
        return cell.decode(errors="backslashreplace")
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
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # bytes, and cells made of cells
        return text_column(column.to_pylist())


def plain_text(table: pa.Table) -> pa.Table:
    """Return a table whose dictionaries are text, so that parts of one table fit together."""
    for index, column in enumerate(table.columns):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(index, table.column_names[index], column.cast(pa.string()))
    return table
