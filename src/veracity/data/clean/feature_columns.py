"""Feature columns as typed columns: numbers, times, booleans or categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from veracity.data.notes import Note, plural
from veracity.data.read.relations import Dialect, Relations, is_infinite
from veracity.data.read.settings import Settings
from veracity.data.read.tables import RawTable
from veracity.errors import InputError, MissingColumn, listing, suggestion

FeatureType = Literal["number", "time", "boolean", "category"]

TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NS", "TIMESTAMP_MS")
#: Cells that say "not known" in a column of numbers.
MISSING_WORDS = ("na", "n/a", "nan", "null", "none", "unknown", "?", "-", ".")
#: So many columns are counted in one query.
CELLS_AT_ONCE = 25
#: A column of numbers may have this share of stray text before it is taken for categories.
STRAY_SHARE = 0.01


@dataclass(frozen=True)
class TextCounts:
    """Counts of the cells of a text column: filled, numeric, infinite."""

    filled: int
    numbers: int
    infinite: int


def fetch_features(workbench: Relations, names: Sequence[str], queries: Sequence[str]) -> pa.Table:
    """Return the feature columns in input order; categories are Arrow dictionaries."""
    if not queries:
        return pa.table({})
    starts = range(0, len(queries), CELLS_AT_ONCE)  # as in _count_cells
    parts = (queries[start : start + CELLS_AT_ONCE] for start in starts)
    columns = [
        compact(cells)
        for part in parts
        for cells in workbench.arrow(f"SELECT {', '.join(part)} FROM typed").columns
    ]
    return pa.table(dict(zip(names, columns, strict=True)))


def feature_queries(
    workbench: Relations,
    raw: RawTable,
    names: Sequence[str],
    types: dict[str, str],
    settings: Settings,
    notes: list[Note],
) -> list[str]:
    """Settle the type of each feature column; return SQL that reads it from ``typed``.

    Numbers are doubles with NaN left out as null, times are seconds since 1970, categories text.
    """
    for name in (*settings.numbers, *settings.categories):
        if name not in names:
            raise MissingColumn(
                f"There is no feature column {name!r}.{suggestion(name, names)} "
                f"The feature columns are: {listing(names) or 'none'}."
            )
    if not names:
        return []
    counts = _count_cells(workbench, [raw.column(name) for name in names])
    chosen = []
    for name, count in zip(names, counts, strict=True):
        cell = raw.column(name)
        kind = _feature_type(workbench, cell, name, types[name], count, settings, notes)
        if kind == "number" and count.infinite:
            raise _infinite(workbench, cell, name, count.infinite)
        chosen.append(f"{_feature_sql(workbench.sql, cell, kind)} AS {cell}")
    return chosen


def _count_cells(workbench: Relations, cells: Sequence[str]) -> list[TextCounts]:
    """Count the filled cells of each column, and those that are numbers.

    The cost of a query grows faster than the number of columns in it, so some are counted at once.
    """
    starts = range(0, len(cells), CELLS_AT_ONCE)
    parts = (_count_some(workbench, cells[start : start + CELLS_AT_ONCE]) for start in starts)
    return [count for part in parts for count in part]


def _count_some(workbench: Relations, cells: Sequence[str]) -> list[TextCounts]:
    number = workbench.sql.number
    wanted = ", ".join(
        f"count(nullif(CAST({cell} AS STRING), '')), count({number(cell)}), "
        f"count(*) FILTER (WHERE {is_infinite(number(cell))})"
        for cell in cells
    )
    counted = workbench.row(f"SELECT {wanted} FROM typed")
    return [TextCounts(*counted[3 * i : 3 * i + 3]) for i in range(len(cells))]


def compact(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as one array, text as a dictionary."""
    whole = column.combine_chunks()
    return whole.dictionary_encode() if pa.types.is_string(whole.type) else whole


def _feature_type(
    workbench: Relations,
    cell: str,
    name: str,
    sql_type: str,
    count: TextCounts,
    settings: Settings,
    notes: list[Note],
) -> FeatureType:
    if name in settings.categories:
        return "category"
    if sql_type == "VARCHAR":
        return _text_feature_type(workbench, cell, name, count, settings, notes)
    if sql_type == "BOOLEAN":
        return "boolean"
    if sql_type in TIMES:
        return "time"
    if count.numbers == count.filled:
        return "number"
    if name in settings.numbers:
        raise InputError(f"Feature {name!r} is a column of {sql_type}, which are not numbers.")
    return "category"


def _text_feature_type(
    workbench: Relations,
    cell: str,
    name: str,
    count: TextCounts,
    settings: Settings,
    notes: list[Note],
) -> FeatureType:
    if count.numbers == count.filled:
        return "number" if count.filled else "category"
    if count.numbers == 0 and name not in settings.numbers:
        return "time" if _all_times(workbench, cell) else "category"
    known = _known_text(workbench.sql, cell)
    (strays,) = workbench.row(
        f"SELECT count(*) FROM typed WHERE {known} IS NOT NULL "
        f"AND {workbench.sql.number(cell)} IS NULL"
    )
    if not strays:
        return "number"
    if name in settings.numbers:
        raise _text_among_numbers(workbench, cell, name, strays)
    if 2 * count.numbers > count.filled:
        return _mostly_numbers(workbench, cell, name, count.filled, strays, notes)
    return "category"


def _all_times(workbench: Relations, cell: str) -> bool:
    """Whether every filled cell is a time; a few are tried before all."""
    filled = f"FROM typed WHERE nullif({cell}, '') IS NOT NULL"
    for rows in (f"(SELECT {cell} {filled} LIMIT 100)", f"(SELECT {cell} {filled})"):
        total, times = workbench.row(
            f"SELECT count(*), count({workbench.sql.seconds(cell)}) FROM {rows}"
        )
        if times < total:
            return False
    return True


def _mostly_numbers(
    workbench: Relations, cell: str, name: str, filled: int, strays: int, notes: list[Note]
) -> FeatureType:
    """Tell codes such as ``12a`` and ``4+`` from a slip of the pen in a column of numbers."""
    text = _known_text(workbench.sql, cell)
    (with_digit,) = workbench.row(
        f"SELECT count(*) FROM typed WHERE {workbench.sql.number(text)} IS NULL "
        f"AND {text} <> translate({text}, '0123456789', '')"
    )
    if not with_digit and strays <= max(1, STRAY_SHARE * filled):
        raise _text_among_numbers(workbench, cell, name, strays)
    notes.append(
        Note(
            "features",
            f"Feature {name!r} is read as a category, since {strays:,} of its "
            f"{plural(filled, 'cell')} {'is not a number' if strays == 1 else 'are not numbers'}.",
            strays,
        )
    )
    return "category"


def _known_text(sql: Dialect, cell: str) -> str:
    missing = ", ".join(sql.literal(word) for word in MISSING_WORDS)
    return f"CASE WHEN lower(trim({cell})) NOT IN ({missing}) THEN nullif(trim({cell}), '') END"


def _text_among_numbers(workbench: Relations, cell: str, name: str, strays: int) -> InputError:
    text = _known_text(workbench.sql, cell)
    row, found = workbench.row(
        f"SELECT rowid + 1, {cell} FROM typed WHERE {text} IS NOT NULL "
        f"AND {workbench.sql.number(text)} IS NULL ORDER BY rowid LIMIT 1"
    )
    more = f" and {strays - 1:,} more like it" if strays > 1 else ""
    return InputError(
        f"Feature {name!r} is a column of numbers but has {found!r} in row {row:,}{more}. Correct "
        f"or empty the cell, or read the column as a category: --category {name} "
        f'(in Python: categories=["{name}"]).'
    )


def _infinite(workbench: Relations, cell: str, name: str, count: int) -> InputError:
    (row,) = workbench.row(
        f"SELECT min(rowid) + 1 FROM typed WHERE {is_infinite(workbench.sql.number(cell))}"
    )
    return InputError(
        f"Feature {name!r} is infinite in row {row:,}"
        f"{f' and {count - 1:,} more' if count > 1 else ''}. Expected finite numbers; "
        "leave the cell empty if the number is not known."
    )


def _feature_sql(sql: Dialect, cell: str, kind: FeatureType) -> str:
    match kind:
        case "number":
            number = sql.number(cell)
            return f"CASE WHEN NOT isnan({number}) THEN {number} END"
        case "time":
            return sql.seconds(cell)
        case "boolean":
            return cell
        case "category":
            return f"nullif(CAST({cell} AS STRING), '')"
