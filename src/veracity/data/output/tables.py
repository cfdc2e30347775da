"""Table: a result as an Arrow table that any frame library can take and a person can read."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from html import escape
from typing import Any, SupportsIndex, overload

import pyarrow as pa

from veracity.errors import InvalidParameter, MissingColumn, listing, needs, suggestion

ROWS_SHOWN = 10
CELL_WIDTH = 40


class Table:
    """A named Arrow table: speaks the Arrow stream protocol and shows itself.

    Columns go by their names, rows by their numbers: ``table["value"]`` is a column, ``table[0]`` a
    row, ``table[:3]`` and ``table.head(3)`` are the first rows. Libraries of frames take it as it
    is: ``pandas.DataFrame(table)``, ``polars.DataFrame(table)``.

    >>> Table("truths", pa.table({"entity": ["sky"], "plausibility": [0.9]}))
    truths: 1 row
    entity  plausibility
    sky           0.9000
    """

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name = name
        self._table = table

    def parts(self) -> Iterator[pa.Table]:
        """Return the table part by part, as it is to be written."""
        yield self._table

    def parts_by(self, function: Callable[[pa.Table], pa.Table]) -> Iterator[pa.Table]:
        """Apply a function to each part."""
        return map(function, self.parts())

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Go through the rows, as dictionaries."""
        for batch in self._table.to_batches():
            yield from batch.to_pylist()

    @overload
    def __getitem__(self, column: str) -> pa.ChunkedArray: ...
    @overload
    def __getitem__(self, column: SupportsIndex) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, column: slice) -> Table: ...

    def __getitem__(
        self, column: str | SupportsIndex | slice
    ) -> pa.ChunkedArray | dict[str, Any] | Table:
        """Return a column by its name, a row by its number, or some rows as a table."""
        if isinstance(column, slice):
            places = range(*column.indices(len(self)))
            return Table(self.name, self._table.take(pa.array(places, pa.int64())))
        if not isinstance(column, str):
            return self._row(column)
        if column not in self._table.column_names:
            raise MissingColumn(
                f"The {self.name} table has no column {column!r}."
                f"{suggestion(column, self.column_names)} It has {listing(self.column_names)}."
            )
        return self._table[column]

    def _row(self, place: Any) -> dict[str, Any]:
        """Return a row; those before the first count from the end."""
        if not hasattr(place, "__index__"):
            raise InvalidParameter(
                f"A {self.name} table has columns by name and rows by number: table['value'], "
                f"table[0], table[:3]. Got {place!r} instead."
            )
        count, row = len(self), operator.index(place)
        if not -count <= row < count:
            raise IndexError(f"The {self.name} table has {count:,} rows. There is no row {row:,}.")
        rows: list[dict[str, Any]] = self._table.slice(row % count, 1).to_pylist()
        return rows[0]

    def head(self, n: int = 5) -> Table:
        """Return the first rows."""
        return self[:n]

    def to_arrow(self) -> pa.Table:
        """Return the table as it is."""
        return self._table

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        try:
            return self._table.to_pandas()
        except ImportError as error:
            raise needs("pandas", "to_pandas()") from error

    def to_polars(self) -> Any:
        """Return the table as a polars frame."""
        try:
            import polars
        except ImportError as error:
            raise needs("polars", "to_polars()") from error
        return polars.from_arrow(self._table)

    def to_spark(self, session: Any) -> Any:
        """Return the table as a DataFrame of a Spark session."""
        return session.createDataFrame(self._table)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return list(self._table.to_pylist())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def _shown(self) -> list[list[str]]:
        rows = self._table.slice(0, ROWS_SHOWN).to_pylist()
        return [[cell_text(row[name]) for name in self.column_names] for row in rows]

    def _title(self) -> str:
        count = len(self)
        cut = f", the first {ROWS_SHOWN} shown" if count > ROWS_SHOWN else ""
        return f"{self.name}: {count:,} row{'s' * (count != 1)}{cut}"

    def __repr__(self) -> str:
        rows = self._shown()
        widths = [
            max([len(name), *(len(row[i]) for row in rows)])
            for i, name in enumerate(self.column_names)
        ]
        right = [_is_number(column.type) for column in self._table.columns]

        def line(cells: list[str]) -> str:
            padded = (
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(cells, widths, right, strict=True)
            )
            return "  ".join(padded).rstrip()

        return "\n".join([self._title(), line(self.column_names), *map(line, rows)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.column_names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._shown()
        )
        return (
            f"<table><caption>{escape(self._title())}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def cell_text(cell: object) -> str:
    """Write a cell for a person: four decimals, no line breaks, cut where it is long."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.4f}"
    text = " ".join(str(cell).split())
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 1] + "…"


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
