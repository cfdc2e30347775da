"""The embedded engine: a DuckDB connection on which relational work runs as named SQL steps."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
import pyarrow as pa

from veracity.data.buffers import to_arrow
from veracity.data.read.coding import count_labels
from veracity.data.read.dictionaries import Cells, LabelSql, as_dictionary, no_cells, read_labels
from veracity.data.read.engine_errors import FATAL, is_of_the_data, unreadable
from veracity.data.read.relations import ROWS_SQL, counts_sql, filled_sql
from veracity.data.read.scratch import DISK_IS_FULL, Scratch

#: What DuckDB says when Ctrl-C stops a query.
INTERRUPTED = "Query interrupted"
#: After so many rows the shared database is closed: it would hold on to the memory they took.
MANY_ROWS = 1_000_000


def quoted(text: str) -> str:
    """Write text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted_name(parts: Sequence[str]) -> str:
    """Write the name of a table, with or without a schema before it, as SQL identifiers."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def quoted_path(path: Path) -> str:
    """Write a path for DuckDB's readers, which would take brackets and stars for a pattern."""
    return quoted("".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path)))


@contextmanager
def reading(what: object = "The table", kind: str = "") -> Iterator[None]:
    """While the user's table is read, raise errors of DuckDB as `InputError`."""
    try:
        yield
    except duckdb.Error as error:
        if isinstance(error, FATAL):
            close_shared()
        if DISK_IS_FULL in str(error):  # not the table's fault
            raise
        raise unreadable(error, what, kind) from error


def _view_sql(name: str, sql: str) -> str:
    return f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}"


class DuckDialect:
    """SQL as DuckDB writes it."""

    carried: tuple[str, ...] = ()  # tables have a rowid of themselves
    tiny = "UTINYINT"

    def literal(self, text: str) -> str:
        """Write text as a literal."""
        return quoted(text)

    def constant(self, text: str) -> str:
        """Return a label that all rows have; as an enumeration, it takes a byte."""
        return f"CAST({quoted(text)} AS ENUM ({quoted(text)}))"

    def number(self, cell: str) -> str:
        """Return a cell as a double, null where it is no number."""
        return f"TRY_CAST({cell} AS DOUBLE)"

    def matches(self, cell: str, pattern: str) -> str:
        """Return the condition that a text matches a regular expression."""
        return f"regexp_matches({cell}, {quoted(pattern)})"

    def seconds(self, cell: str) -> str:
        """Return the seconds since 1970 of a time in ISO 8601, null where it is none."""
        moment = f"TRY_CAST(CAST({cell} AS STRING) AS TIMESTAMPTZ)"
        return f"CAST(epoch_us({moment}) AS DOUBLE) / 1e6"

    def seconds_as(self, cell: str, form: str) -> str:
        """Return the seconds since 1970 of a time written in the form that the user gave."""
        moment = f"try_strptime(CAST({cell} AS STRING), {quoted(form)})"
        return f"CAST(epoch_us({moment}) AS DOUBLE) / 1e6"


def _open(where: str, spill: Path, threads: int | None = None) -> duckdb.DuckDBPyConnection:
    """Open a database that spills to a folder, which nobody else may write to."""
    connection = duckdb.connect(where)
    connection.execute("SET TimeZone = 'UTC'")
    # Nothing is ever fetched from a network behind the user's back.
    connection.execute("SET autoinstall_known_extensions = false")
    # Every row finds its partner in our joins, so filtering rows before a join only costs time.
    connection.execute("SET disabled_optimizers = 'join_filter_pushdown'")
    # A file may be written anew between two readings.
    connection.execute("SET enable_external_file_cache = false")
    # What does not fit in memory goes where temporary files go, not to the user's folder.
    connection.execute(f"SET temp_directory = {quoted(str(spill))}")
    if threads is not None:
        connection.execute(f"SET threads = {threads}")
    return connection


@cache
def _shared_database(threads: int | None) -> duckdb.DuckDBPyConnection:
    """Open the database in memory that workbenches share.

    Opening a database takes 20 ms, and a cursor next to nothing. Temporary tables and views
    belong to their cursor, and go with it.
    """
    spill = Scratch()
    connection = _open(":memory:", spill.folder, threads)
    _shared.append((connection, spill))
    return connection


_shared: list[tuple[duckdb.DuckDBPyConnection, Scratch]] = []


def close_shared() -> None:
    """Close the shared databases; who needs one later opens it again."""
    _shared_database.cache_clear()
    while _shared:
        connection, spill = _shared.pop()
        connection.close()
        spill.close()


atexit.register(close_shared)
# A database has threads, which a forked process would lack.
os.register_at_fork(before=close_shared)


class Workbench:
    """Runs named SQL steps; each leaves a table of that name to be looked at.

    Column names of users never become SQL identifiers: readers number the columns of their table
    (``c0``, ``c1``, ...), and every step after them uses names of our own.
    """

    sql = DuckDialect()

    def __init__(
        self, folder: Path | None = None, memory: int | None = None, threads: int | None = None
    ) -> None:
        """Open a workbench in memory, or in a folder where tables take no more memory than said."""
        self._folder = folder
        self._memory = memory
        self._threads = threads
        self._n_rows = 0
        self._labels: dict[str, pa.DictionaryArray] = {}
        self._kept = "TEMP" if folder is None else ""
        self.catalog = "temp" if folder is None else "workbench"  # where steps leave their tables
        self._tables: dict[str, pa.Table | pa.RecordBatchReader] = {}
        self._views: dict[str, str] = {}
        self._scratch: Scratch | None = None
        self._spill: Scratch | None = None

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The connection, opened when SQL is first run: plain claims are read without any."""
        folder = self._folder
        if folder is None:
            connection = _shared_database(self._threads).cursor()
        else:
            connection = _open(
                str(folder / "workbench.duckdb"), folder / "veracity-spill", self._threads
            )
        if self._memory is not None:
            connection.execute(f"SET memory_limit = '{self._memory // 1024}KiB'")
        return self._furnished(connection)

    def _furnished(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        """Give a new connection the tables and views that there are already."""
        connection.execute("SET enable_progress_bar = false")
        if self._labels:
            connection.register("typed", self._typed())
        for name, table in self._tables.items():
            connection.register(name, table)
        for name, sql in self._views.items():
            connection.execute(_view_sql(name, sql))
        return connection

    @property
    def _is_open(self) -> bool:
        return "connection" in vars(self)

    def attach(self, path: Path, name: str) -> None:
        """Make a DuckDB file visible under a name; to be called before the first step.

        Files are attached to a database, not to a cursor, so it must not be the shared one.
        """
        if self._folder is None:
            if self._is_open:
                self.connection.close()
            self._spill = Scratch()
            self.connection = self._furnished(_open(":memory:", self._spill.folder))
        self.connection.execute(f"ATTACH {quoted(str(path))} AS {name} (READ_ONLY)")

    def scratch(self) -> Path:
        """Return a folder for temporary files, which goes when the workbench is closed."""
        if self._scratch is None:
            self._scratch = Scratch()
        return self._scratch.folder

    def step(self, name: str, sql: str) -> None:
        """Run a query and keep its result as the table ``name``."""
        self._keep(name, sql)

    def _keep(self, name: str, sql: str) -> int:
        """Run a step; return how many rows it leaves."""
        ((n_rows,),) = self.rows(f"CREATE OR REPLACE {self._kept} TABLE {name} AS {sql}")
        self._n_rows += n_rows
        return int(n_rows)

    def keep_claims(
        self,
        labels: Mapping[str, LabelSql],
        others: Sequence[str],
        relation: str,
        cells: Cells = no_cells,
    ) -> None:
        """Keep the labels of claims, and other columns, as the table ``typed``.

        In memory, labels without other columns are kept as dictionaries.
        """
        if self._folder is not None or others:
            chosen = [*(f"{label.text} AS {role}" for role, label in labels.items()), *others]
            self.step("typed", f"SELECT {', '.join(chosen)} FROM ({relation})")
            return
        self._labels = read_labels(labels, relation, cells, self._query)
        if self._is_open:
            self.register("typed", self._typed())

    def _typed(self) -> pa.Table:
        """Return the table ``typed`` where labels are kept as dictionaries."""
        row = to_arrow(np.arange(len(self._labels["source"])))
        return pa.table({"rowid": row, **self._labels})

    def _query(self, sql: str, cells: pa.Table | None) -> pa.Table:
        """Run a query, on a table that it knows as ``cells``."""
        if cells is not None:
            self.register("cells", cells)
        return self.arrow(sql)

    def labels(self, role: str) -> pa.DictionaryArray:
        """Return the labels of the rows of ``typed``."""
        if self._labels:
            return self._labels[role]
        return as_dictionary(self.arrow(f"SELECT {role} FROM typed")[role])

    def n_rows(self) -> int:
        """Return how many rows ``typed`` has."""
        if self._labels:
            return len(self._labels["source"])
        return int(self.row(ROWS_SQL)[0])

    def n_filled(self, roles: Sequence[str]) -> tuple[int, ...]:
        """Return how many rows of ``typed`` have a label of each role."""
        if self._labels:
            return tuple(len(self._labels[role]) - self._labels[role].null_count for role in roles)
        return self.row(filled_sql(roles))

    def count_claims(self, name: str, roles: Sequence[str]) -> int:
        """Keep how many claims have the same labels of some roles, as ``n_claims`` of a step."""
        if not self._labels:
            return self._keep(name, counts_sql(roles))
        counts = count_labels(self._labels, roles)
        self.register(name, counts)
        return int(counts.num_rows)

    def view(self, name: str, sql: str) -> None:
        """Give a query a name without running it."""
        if self._is_open:
            self.connection.execute(_view_sql(name, sql))
        else:
            self._views[name] = sql

    def number(self, name: str, column: str, labels: str) -> None:
        """Number the rows of a query by the order of a column: ``column`` and ``column_index``."""
        index = f"CAST(row_number() OVER (ORDER BY {column}) - 1 AS INTEGER)"
        self.step(name, f"SELECT {column}, {index} AS {column}_index FROM ({labels})")

    def transform(
        self,
        name: str,
        sql: str,
        function: Callable[[pa.RecordBatch], pa.RecordBatch],
        schema: pa.Schema,
    ) -> None:
        """Apply a function to the rows of a query in batches; keep the result under a name."""
        made = pa.Table.from_batches(map(function, self.arrow(sql).to_batches()), schema)
        self.register("transformed", made)
        self.step(name, "SELECT * FROM transformed")

    def types(self, relation: str) -> list[str]:
        """Return the type of each column of a query, without its parameters."""
        return [str(row[1]).split("(")[0] for row in self.rows(f"DESCRIBE {relation}")]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small query."""
        return self.connection.execute(sql).fetchall()

    def row(self, sql: str) -> tuple[Any, ...]:
        """Return the only row of a query."""
        return self.rows(sql)[0]

    def arrow(self, sql: str) -> pa.Table:
        """Return the result of a query as an Arrow table."""
        return self.connection.sql(sql).to_arrow_table()

    def register(self, name: str, table: pa.Table | pa.RecordBatchReader) -> None:
        """Make an Arrow table visible to SQL without copying it."""
        if self._is_open:
            self.connection.register(name, table)
        else:
            self._tables[name] = table

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_open:
            self.connection.close()
        if self._n_rows > MANY_ROWS or isinstance(error, FATAL):
            close_shared()
        for folder in (self._scratch, self._spill):
            if folder is not None:
                folder.close()
        if isinstance(error, RuntimeError) and str(error) == INTERRUPTED:
            raise KeyboardInterrupt from error
        if isinstance(error, duckdb.Error) and is_of_the_data(error):
            raise unreadable(error) from error
