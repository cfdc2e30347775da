"""Open any table a user has, file, database or frame, as numbered columns on the workbench."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from veracity.data.notes import Note
from veracity.data.read.delimited import open_delimited
from veracity.data.read.dictionaries import Cells, no_cells
from veracity.data.read.engine_errors import first_line, unreadable
from veracity.data.read.formats import Location, without_password
from veracity.data.read.frames import arrow_table, cell_text, readable
from veracity.data.read.hive import hive_columns, hive_note
from veracity.data.read.json_layout import json_layout
from veracity.data.read.schema import repeated_names
from veracity.data.read.workbench import Workbench, quoted, quoted_name, quoted_path, reading
from veracity.errors import InputError, InvalidParameter, listing, needs, suggestion

Ragged = Literal["strict", "skip"]
SQLITE_BATCH = 65_536


@dataclass(frozen=True)
class FileOptions:
    """How files and databases are opened.

    Parameters
    ----------
    encoding
        Of text files; anything Python knows.
    delimiter
        Of CSV files; found in the header if it is not given.
    ragged
        Whether a CSV row with too few or too many cells is an error (``strict``) or is counted
        and left out (``skip``).
    table, query
        What to read from a database.
    hive
        Whether folders called ``name=value`` are columns of the Parquet files below them.
    """

    encoding: str = "utf-8"
    delimiter: str | None = None
    ragged: Ragged = "strict"
    table: str | None = None
    query: str | None = None
    hive: bool = False

    def __post_init__(self) -> None:
        if self.ragged not in ("strict", "skip"):
            raise InvalidParameter(f"ragged must be strict or skip. Got {self.ragged!r} instead.")
        if self.table is not None and self.query is not None:
            raise InvalidParameter("Give either a table or a query to read, not both.")


#: JSON rows with more different keys than this are refused.
MAX_KEYS = 20_000
#: How DuckDB calls the commonest types of Arrow.
SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.large_string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
}
#: The names of the options of files and databases.
FILE_OPTIONS = frozenset(FileOptions.__dataclass_fields__)


@dataclass(frozen=True)
class RawTable:
    """A table as the user has it.

    Attributes
    ----------
    names
        The user's column names.
    relation
        SQL for the rows, with columns c0, c1, ...
    check
        To be called once the rows were read: raises, or returns notes on what was left out.
    cells
        Returns columns that are in memory, or are quickly brought there; None of others.
    types
        How DuckDB calls the type of each column, None if it has to be asked.
    """

    names: tuple[str, ...]
    relation: str
    check: Callable[[], list[Note]] = list
    cells: Cells = no_cells
    types: tuple[str, ...] | None = None

    def column(self, name: str) -> str:
        """Return the SQL name of a column."""
        return f"c{self._place[name]}"

    def choosing(self, chosen: Sequence[str]) -> str:
        """Return SQL that chooses from the rows.

        It names the table itself: to choose from a query for all columns takes DuckDB more than
        twice as long where there are twice as many.
        """
        every = "SELECT * FROM "
        rows = self.relation.removeprefix(every)
        rows = rows if rows != self.relation else f"({rows})"
        return f"SELECT {', '.join(chosen)} FROM {rows}"

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}


def open_frame(workbench: Workbench, frame: Any) -> RawTable:
    """Open pandas, polars, Arrow, a DuckDB relation, or whatever speaks the Arrow stream."""
    return _open_arrow(workbench, arrow_table(frame))


def named_table(workbench: Workbench, raw: RawTable) -> tuple[pa.Table, list[Note]]:
    """Return all rows of a raw table under the user's names, and notes on what was left out."""
    with reading():
        table = workbench.arrow(raw.relation).rename_columns(list(raw.names))
    return table, raw.check()


def open_location(
    workbench: Workbench, location: Location, options: FileOptions, lists: bool = False
) -> RawTable:
    """Open the table at a location; with `lists`, those in JSON stay lists and are not text."""
    databases = ("sqlite", "duckdb", "postgres")
    if location.format not in databases and (options.table or options.query):
        raise InvalidParameter(
            f"A table or query can be read from a database only, not from a {location.format} file."
        )
    if options.hive and location.format != "parquet":
        raise InvalidParameter(
            "Hive folders are read with Parquet files only. Leave out --hive (in Python: hive)."
        )
    match location.format:
        case "csv":
            names, relation, check, cells = open_delimited(
                workbench, location.paths, options.encoding, options.delimiter, options.ragged
            )
            return RawTable(names, relation, check, cells, len(names) * ("VARCHAR",))
        case "parquet":
            return _open_parquet(workbench, location.paths, options.hive)
        case "jsonl":
            return _open_json(workbench, location.paths, lists)
        case "arrow":
            return _open_arrow(workbench, _read_arrow_files(location.paths))
        case "sqlite":
            return _open_arrow(workbench, _read_sqlite(location.paths[0], options))
        case "duckdb":
            return _open_duckdb(workbench, location.paths[0], options)
        case "postgres":
            return _open_arrow(workbench, _read_postgres(location.uri or "", options))


def _open_arrow(workbench: Workbench, table: pa.Table) -> RawTable:
    names = checked_names(table.column_names)
    frame = table.rename_columns([f"c{i}" for i in range(len(names))])
    workbench.register("frame", frame)
    types = tuple(SQL_TYPES.get(kind, "") for kind in frame.schema.types)
    known = types if all(types) else None

    def cells(columns: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        return {name: frame[name] for name in columns}

    return RawTable(names, "SELECT * FROM frame", cells=cells, types=known)


def _open_sql(workbench: Workbench, sql: str) -> RawTable:
    with reading():
        described = workbench.rows(f"DESCRIBE {sql}")
    return _numbered([row[0] for row in described], f"({sql})")


def _numbered(names: Sequence[str], rows: str) -> RawTable:
    """Return a table of given names whose columns are called c0, c1, ...

    A function that reads a file is named as it is, without a query for all columns around it:
    DuckDB takes four times as long for such a query where there are twice as many columns.
    """
    aliases = ", ".join(f"c{i}" for i in range(len(names)))
    return RawTable(checked_names(names), f"SELECT * FROM {rows} AS t({aliases})")


def _open_parquet(workbench: Workbench, paths: Sequence[Path], hive: bool) -> RawTable:
    for path in paths:  # one by one, so that a damaged file is named
        with reading(path, "Parquet"):
            workbench.rows(f"SELECT num_rows FROM parquet_file_metadata({quoted_path(path)})")
    files = ", ".join(quoted_path(path) for path in paths)
    # What a folder is called says nothing about the claims in it, unless the user says so.
    layout = "union_by_name = true, hive_partitioning = false"
    read = f"read_parquet([{files}], {layout})"
    if len(paths) == 1:
        own = _numbered(_parquet_names(workbench, paths[0]), read)
    else:
        own = _open_sql(workbench, f"SELECT * FROM {read}")
    if not hive:
        return own
    folders = hive_columns(paths, own.names)
    layout = "union_by_name = true, hive_partitioning = true, hive_types_autocast = false"
    whole = _open_sql(workbench, f"SELECT * FROM read_parquet([{files}], {layout})")
    return replace(whole, check=lambda: [hive_note(folders)])


def _parquet_names(workbench: Workbench, path: Path) -> list[str]:
    """Return the columns of a Parquet file, whose schema lists each with its parts after it."""
    sql = f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({quoted_path(path)})"
    with reading(path, "Parquet"):
        _, *parts = workbench.rows(sql)
    names, n_pending = [], 0
    for name, n_children in parts:
        if not n_pending:
            names.append(str(name))
        n_pending = max(n_pending - 1, 0) + int(n_children)
    return names


def _holds_rows(kind: str) -> bool:
    """Whether a column of this type holds lists of objects."""
    return kind.startswith("STRUCT(") and kind.endswith("[]")


def _open_json(workbench: Workbench, paths: Sequence[Path], lists: bool) -> RawTable:
    files = "[" + ", ".join(quoted_path(path) for path in paths) + "]"
    form = json_layout(paths)
    # Rows that share few keys, or have hundreds, are rows all the same, not maps.
    rows = "map_inference_threshold = -1, field_appearance_threshold = 0"
    layout = f"format = '{form}', hive_partitioning = false"
    kind = "an array of JSON objects" if form == "array" else "JSON lines"
    sniffed = f"SELECT * FROM read_json({files}, {layout}, {rows}, sample_size = -1)"
    with reading(listing(paths), kind):
        _check_number_of_keys(workbench, files, form, paths)
        described = workbench.rows(f"DESCRIBE {sniffed}")
    names = checked_names([row[0] for row in described])
    _check_case(workbench, files, form, names)
    if names == ("json",):
        raise InputError(
            f"{listing(paths)} is not {kind}. Expected an array of objects, or one object per "
            'line, such as {"source": "ann", "entity": "sky", "value": "blue"}.'
        )
    if len(described) == 1 and _holds_rows(str(described[0][1])):
        raise InputError(
            f"{listing(paths)} is one object, with its rows in {names[0]!r}. Expected an array of "
            f"objects, or one object per line: write only what is in {names[0]!r} to the file."
        )
    # Everything as text: a column of true, 1 and "yes" is a column of three values.
    types = [
        "VARCHAR[]" if lists and str(row[1]).endswith("[]") else "VARCHAR" for row in described
    ]
    columns = ", ".join(
        f"{quoted(name)}: '{kind}'" for name, kind in zip(names, types, strict=True)
    )
    return _numbered(names, f"read_json({files}, {layout}, columns={{{columns}}})")


def _check_number_of_keys(
    workbench: Workbench, files: str, form: str, paths: Sequence[Path]
) -> None:
    """Refuse rows with so many different keys that a table of them would fill the memory."""
    objects = f"read_json_objects({files}, format = '{form}', hive_partitioning = false)"
    keys = f"SELECT unnest(json_keys(json)) AS key FROM {objects}"
    ((n_keys,),) = workbench.rows(f"SELECT count(DISTINCT key) FROM ({keys})")
    if n_keys > MAX_KEYS:
        raise InputError(
            f"The rows of {listing(paths)} have {n_keys:,} different keys; at most {MAX_KEYS:,} "
            "are read. Each key is a column. If keys are names of entities or sources, write a "
            "row for each claim, with the name as a value."
        )


def _check_case(workbench: Workbench, files: str, form: str, names: Sequence[str]) -> None:
    """Refuse keys that differ by case alone, which the reader would number and then lose."""
    numbered = {name.casefold() for name in names}
    if not any(
        stem.casefold() in numbered and number.isdigit()
        for stem, _, number in (name.rpartition("_") for name in names)
    ):
        return
    objects = f"read_json_objects({files}, format = '{form}', hive_partitioning = false)"
    found = workbench.rows(f"SELECT DISTINCT unnest(json_keys(json)) FROM {objects}")
    keys = [row[0] for row in found]
    folded = set(repeated_names(key.casefold() for key in keys))
    if folded:
        clashing = sorted(key for key in keys if key.casefold() in folded)
        raise InputError(
            f"Keys differ by upper and lower case alone: {listing(map(repr, clashing))}. Give "
            "each a name of its own, or all the same one."
        )


def _read_arrow_files(paths: Sequence[Path]) -> pa.Table:
    tables = []
    for path in paths:
        try:
            with pa.memory_map(str(path)) as file:
                table = _arrow_reader(file).read_all()
                # Nobody looks at these bytes again: lengths and text have to be right.
                table.validate(full=True)
                checked_names(table.column_names)
                tables.append(table)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise unreadable(error, path, "Arrow") from error
    try:
        return readable(pa.concat_tables(tables, promote_options="permissive"))
    except pa.ArrowException as error:
        raise InputError(
            f"{listing(paths)} do not fit together: {first_line(error)}. Files that are read "
            "together need columns of the same types."
        ) from error


def _arrow_reader(file: Any) -> Any:
    try:
        return pa.ipc.open_file(file)
    except pa.ArrowInvalid:
        file.seek(0)
        return pa.ipc.open_stream(file)


def _read_sqlite(path: Path, options: FileOptions) -> pa.Table:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            tables = database.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
            )
            query = _database_query(str(path), [name for (name,) in tables], options)
            cursor = database.execute(query)
            if cursor.description is None:
                raise InputError(f"The query {query!r} gives no rows. Expected a SELECT.")
            names = [column[0] for column in cursor.description]
            return pa.concat_tables(_text_batches(names, cursor))
    except sqlite3.Error as error:
        raise InputError(f"{path} could not be read as SQLite: {error}.") from error


def _text_batches(names: Sequence[str], cursor: sqlite3.Cursor) -> Iterator[pa.Table]:
    """SQLite types cells, not columns, so every column comes as text."""
    schema = pa.schema([(name, pa.string()) for name in names])
    yield schema.empty_table()
    while rows := cursor.fetchmany(SQLITE_BATCH):
        columns = zip(*rows, strict=True)
        yield pa.table(
            [pa.array(map(_sqlite_text, column), pa.string()) for column in columns], schema
        )


def _sqlite_text(cell: object) -> str | None:
    return cell.decode(errors="replace") if isinstance(cell, bytes) else cell_text(cell)


def _open_duckdb(workbench: Workbench, path: Path, options: FileOptions) -> RawTable:
    with reading(path, "DuckDB"):
        workbench.attach(path, "input")
        found = workbench.rows(
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_catalog = 'input' ORDER BY table_name"
        )
        query = _database_query(str(path), [name for (name,) in found], options)
        (own,) = workbench.row("SELECT current_database()")
        workbench.connection.execute("USE input")
        try:
            workbench.step(f"{workbench.catalog}.input_rows", query)
        finally:
            workbench.connection.execute(f"USE {own}")
    return _open_sql(workbench, "SELECT * FROM input_rows")


def _read_postgres(uri: str, options: FileOptions) -> pa.Table:
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError as error:
        raise needs("adbc-driver-postgresql", "Reading PostgreSQL", "postgres") from error
    shown = without_password(uri)
    try:
        with dbapi.connect(uri) as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = "
                "ANY (current_schemas(false)) ORDER BY table_name"
            )
            tables = [name for (name,) in cursor.fetchall()]
            cursor.execute(_database_query(shown, tables, options))
            return cursor.fetch_arrow_table()
    except dbapi.Error as error:
        raise InputError(f"{shown} could not be read: {first_line(error)}") from error


def _database_query(where: str, tables: Sequence[str], options: FileOptions) -> str:
    """Return the query to run: the user's own, or all of the table that is meant."""
    if options.query is not None:
        return options.query
    if options.table is not None:
        name = options.table
        if name not in tables and "." not in name:
            raise InputError(
                f"{where} has no table {name!r}.{suggestion(name, tables)} "
                f"Its tables are: {listing(tables)}."
            )
        parts = [name] if name in tables else name.split(".")
    elif len(tables) == 1:
        parts = [tables[0]]
    elif "claims" in tables:
        parts = ["claims"]
    else:
        raise InputError(
            f"{where} has {len(tables)} tables ({listing(tables)}). Say which to read with "
            "--table NAME or --query SQL."
        )
    return f"SELECT * FROM {quoted_name(parts)}"


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, unless one comes twice."""
    if repeated := repeated_names(names):
        raise InputError(
            f"Several columns have the same name: {listing(repeated)}. Rename all but one."
        )
    return tuple(names)
