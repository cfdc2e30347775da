"""Tables that Spark reads, opened as numbered columns: files wherever they are, and DataFrames."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from veracity.data.notes import Note, plural
from veracity.data.read.delimited import read_header
from veracity.data.read.formats import SUFFIXES, Format
from veracity.data.read.tables import FileOptions, RawTable, checked_names
from veracity.engines.spark.failures import clear_errors
from veracity.engines.spark.relations import SparkRelations
from veracity.errors import InputError, InvalidParameter, listing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMATS: tuple[Format, ...] = ("csv", "parquet")
#: Where a CSV row stands that does not have a cell for every column.
RAGGED = "_ragged"
ROWS_SHOWN = 3


@dataclass(frozen=True)
class FilesOnCluster:
    """Files that executors read, with their sizes."""

    sizes: dict[str, int]

    @classmethod
    def at(cls, relations: SparkRelations, where: str) -> FilesOnCluster:
        """Find the files of a path: a file, a folder or a pattern."""
        reader = relations.session.read.format("binaryFile").option("recursiveFileLookup", "true")
        with clear_errors(reading=True):
            if not _is_there(relations, where):
                raise InputError(f"The driver finds nothing at {where}.")
            rows = reader.load(where).select("path", "length").orderBy("path").collect()
        sizes = {row.path: row.length for row in rows if _is_table(row.path)}
        if not sizes:
            raise InputError(f"There is no table at {where}.")
        return cls(sizes)

    def describe(self) -> list[dict[str, object]]:
        """List the files, for ``run.json``; what they hold is too much to be hashed here."""
        return [{"path": path, "bytes": size} for path, size in self.sizes.items()]


def _is_there(relations: SparkRelations, where: str) -> bool:
    """Whether a path or pattern leads anywhere. Spark would find out, but with a long trace."""
    context: Any = relations.session.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(where)
    found = path.getFileSystem(context._jsc.hadoopConfiguration()).globStatus(path)
    return found is not None and len(found) > 0


def _is_table(path: str) -> bool:
    return not PurePosixPath(path).name.startswith((".", "_"))


def open_path(relations: SparkRelations, files: FilesOnCluster, options: FileOptions) -> RawTable:
    """Open CSV or Parquet files as a table, its rows numbered in the order of the files."""
    if options.table or options.query:
        raise InvalidParameter(
            "The Spark engine reads files. Leave out the table or query, or pass what "
            "spark.read.jdbc returns to fit()."
        )
    if options.hive:
        raise InvalidParameter(
            "The Spark engine does not take columns from folders. Leave out --hive, or pass what "
            "spark.read.parquet returns to fit()."
        )
    paths = list(files.sizes)
    form = _format_of(paths)
    if form == "csv":
        return _open_csv(relations, paths, options)
    with clear_errors(reading=True):
        # As of DuckDB: a column that some files lack is empty there.
        frame = relations.session.read.option("mergeSchema", "true").parquet(*paths)
    return _numbered(relations, frame, checked_names(frame.columns), in_files=True)


def _format_of(paths: list[str]) -> Format:
    found: set[Format | None] = set()
    for path in paths:
        suffixes = [suffix.lower() for suffix in PurePosixPath(path).suffixes]
        known = [SUFFIXES[suffix] for suffix in suffixes if suffix in SUFFIXES]
        found.add(known[-1] if known else None)
    form = found.pop() if len(found) == 1 else None
    if form not in FORMATS:
        raise InputError(
            f"The Spark engine reads CSV and Parquet files, and of one kind at a time. Got "
            f"{listing(paths, 3)}. Name files that end in .csv or .parquet, or pass a DataFrame "
            "to fit()."
        )
    return form


def _open_csv(relations: SparkRelations, paths: list[str], options: FileOptions) -> RawTable:
    from pyspark.sql.types import StringType, StructField, StructType

    reader = relations.session.read.option("encoding", options.encoding)
    with clear_errors(reading=True):
        # A line as it is: one cell, whatever it holds.
        first = reader.option("sep", "\x01").option("quote", "").csv(paths[0]).first()
    line = "" if first is None else str(first[0])
    names, separator = read_header(line.encode(), options.delimiter, PurePosixPath(paths[0]))
    columns = [StructField(name, StringType()) for name in (*names, RAGGED)]
    frame = (
        relations.session.read.schema(StructType(columns))
        .option("columnNameOfCorruptRecord", RAGGED)
        .option("header", "true")
        .option("enforceSchema", "false")  # the header of every file is compared
        .option("sep", separator)
        .option("escape", '"')
        .option("encoding", options.encoding)
        .csv(paths)
    )
    _numbered(relations, frame, (*names, RAGGED), in_files=True)
    ragged = f"c{len(names)}"
    return RawTable(
        names,
        f"SELECT rowid, {', '.join(f'c{i}' for i in range(len(names)))} FROM raw "
        f"WHERE {ragged} IS NULL",
        lambda: _check_ragged(relations, ragged, len(names), options.ragged),
    )


def _check_ragged(
    relations: SparkRelations, column: str, n_columns: int, ragged: str
) -> list[Note]:
    (count,) = relations.row(f"SELECT count({column}) FROM raw")
    if not count:
        return []
    rows = relations.rows(
        f"SELECT rowid + 1, {column} FROM raw WHERE {column} IS NOT NULL ORDER BY rowid "
        f"LIMIT {ROWS_SHOWN}"
    )
    shown = "; ".join(f"row {row}: {str(text)[:80]!r}" for row, text in rows)
    what = f"{plural(count, 'row')} without exactly {n_columns} cells ({shown})"
    if ragged == "skip":
        return [Note("ragged", f"Left out {what}.", count)]
    raise InputError(
        f"{what[0].upper()}{what[1:]}. Correct them, quote cells that contain the delimiter, or "
        'leave such rows out with --ragged skip (in Python: ragged="skip"). Cells with line '
        "breaks can be read from Parquet."
    )


def open_frame(relations: SparkRelations, frame: DataFrame) -> RawTable:
    """Open a DataFrame of the user's session in ours."""
    names = checked_names(frame.columns)
    name = f"veracity_{uuid.uuid4().hex}"
    frame.createGlobalTempView(name)
    try:
        ours = relations.session.table(f"global_temp.{name}")
    finally:
        frame.sparkSession.catalog.dropGlobalTempView(name)
    return _numbered(relations, ours, names, in_files=False)


def _numbered(
    relations: SparkRelations, frame: DataFrame, names: tuple[str, ...], in_files: bool
) -> RawTable:
    """Name the columns of a table by number, and number its rows."""
    places = ["_metadata.file_path", "_metadata.file_block_start"] if in_files else []
    quoted = ["`" + name.replace("`", "``") + "`" for name in names]
    chosen = [f"{name} AS c{i}" for i, name in enumerate(quoted)]
    chosen += [f"{place} AS place{i}" for i, place in enumerate(places)]
    ours = relations.numbered(
        frame.selectExpr(*chosen), "rowid", [f"place{i}" for i in range(len(places))]
    )
    ours.createOrReplaceTempView("raw")
    columns = ", ".join(f"c{i}" for i in range(len(names)))
    return RawTable(names, f"SELECT rowid, {columns} FROM raw")
