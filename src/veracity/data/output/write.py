"""Writing tables and folders: whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Literal

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from veracity.data.notes import Note, plural
from veracity.data.output.atomic import on_disk
from veracity.data.output.exchange import PART, recover, take_place
from veracity.data.output.locks import held
from veracity.data.read.scratch import Scratch
from veracity.data.read.workbench import Workbench, quoted
from veracity.errors import InvalidParameter, OutputError, listing, suggestion

TableFormat = Literal["parquet", "csv", "csv.gz", "jsonl"]
TABLE_FORMATS: tuple[TableFormat, ...] = ("parquet", "csv", "csv.gz", "jsonl")
#: Of the files that veracity writes.
OUR_ENDINGS = (*(f".{form}" for form in TABLE_FORMATS), ".json", ".safetensors")
#: What else the folder of a run may hold: its report, and the marks of who reviewed it.
REPORT_FILE, CHARTS_FOLDER, MARKS_FILE = "report.html", "charts", "marks.sqlite"
#: Claims and results by item, of a run that was updated.
HISTORY_FILE = "history.sqlite"
#: The page of a jury.
JURY_FILE = "jury.html"
OUR_NAMES = (
    REPORT_FILE,
    JURY_FILE,
    *(
        f"{name}{end}"
        for name in (MARKS_FILE, HISTORY_FILE)
        for end in ("", "-wal", "-shm", "-journal")
    ),
)
#: How long finished results wait for those who write into the folder that they replace, in seconds.
PATIENCE_OF_RESULTS = 600.0

#: Columns with more labels are written to Parquet files without a dictionary.
MANY_LABELS = 100_000

_COPY_OPTIONS = {
    "csv": "FORMAT csv, HEADER",
    "csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
    "jsonl": "FORMAT json",
}
#: A cell that begins so may be run as a formula by a spreadsheet, unless it is a number.
_FORMULA = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?[0-9.,eE+-]+$"


def check_format(name: str) -> TableFormat:
    """Return the table format of that name, or refuse it."""
    for form in TABLE_FORMATS:
        if form == name:
            return form
    raise InvalidParameter(
        f"format must be one of {', '.join(TABLE_FORMATS)}. Got {name!r} instead."
        f"{suggestion(name, TABLE_FORMATS)}"
    )


def write_table(table: pa.Table, path: Path, form: TableFormat) -> None:
    """Write a table to a file."""
    write_parts(iter([table]), path, form)


def write_parts(parts: Iterator[pa.Table], path: Path, form: TableFormat) -> None:
    """Write a table that comes part by part to a file; no more than a part is held in memory."""
    first = next(parts)
    if form == "parquet":
        _write_parquet(first, parts, path)
        return
    batches = (batch for part in chain([first], parts) for batch in part.to_batches())
    with Workbench(threads=1) as workbench:  # more would gather rows to keep their order
        workbench.register("written", pa.RecordBatchReader.from_batches(first.schema, batches))
        workbench.connection.execute(
            f"COPY (SELECT * FROM written) TO {quoted(str(path))} ({_COPY_OPTIONS[form]})"
        )


def _write_parquet(first: pa.Table, rest: Iterable[pa.Table], path: Path) -> None:
    # Without Arrow's own schema, text is text, however it was held in memory.
    with pq.ParquetWriter(
        path, first.schema, compression="zstd", store_schema=False, use_dictionary=_encoded(first)
    ) as writer:
        for part in chain([first], rest):
            writer.write_table(part)


def _encoded(table: pa.Table) -> bool | list[str]:
    """Return the columns to write with a dictionary; True for all of them.

    Arrow goes through the whole dictionary of a column for every group of rows that it writes.
    """
    few = [
        name
        for name, column in zip(table.column_names, table.columns, strict=True)
        if not pa.types.is_dictionary(column.type)
        or max((len(chunk.dictionary) for chunk in column.chunks), default=0) <= MANY_LABELS
    ]
    return few if len(few) < table.num_columns else True


def table_bytes(table: pa.Table, form: TableFormat) -> bytes:
    """Return the content of the file that `write_table` would write."""
    with Scratch() as place:
        path = place / f"table.{form}"
        try:
            write_table(table, path, form)
            return path.read_bytes()
        except (OSError, duckdb.IOException) as error:
            raise OutputError(_why(path, error)) from error


def formula_cells(table: pa.Table) -> int:
    """Count the text cells that a spreadsheet may take for a formula."""
    total = 0
    for column in table.columns:
        if pa.types.is_string(column.type):
            looks = pc.match_substring_regex(column, _FORMULA)
            number = pc.match_substring_regex(column, _NUMBER)
            total += pc.sum(pc.and_not(looks, number)).as_py() or 0
    return total


def escape_formulas(table: pa.Table) -> pa.Table:
    """Put an apostrophe before cells that a spreadsheet would take for a formula."""
    for index, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_string(column.type):
            looks = pc.and_not(
                pc.match_substring_regex(column, _FORMULA),
                pc.match_substring_regex(column, _NUMBER),
            )
            marked = pc.binary_join_element_wise("'", column, "")
            table = table.set_column(index, name, pc.if_else(looks, marked, column))
    return table


def formula_note(count: int) -> Note:
    """Warn of cells that a spreadsheet may run."""
    cells = plural(count, "cell looks like a formula", "cells look like formulas")
    return Note(
        "output",
        f"In the CSV files, {cells}, which a spreadsheet would run. To open the files in one, "
        "write them with --escape-formulas.",
        count,
    )


def check_folder(target: Path, overwrite: bool, marks: tuple[str, ...]) -> None:
    """Refuse a target that exists, or that may be replaced but is not a folder of ours.

    `marks` are the files by one of which a folder of ours is known.
    """
    if not target.exists() and not target.is_symlink():
        _check_parent(target.absolute())
        return
    if not target.is_dir():
        raise OutputError(f"{target} is a file. Name a folder to write into.")
    if target.is_mount():
        raise OutputError(
            f"{target} is where a disk is mounted, so it cannot be replaced as a whole. Name a "
            "folder inside it."
        )
    if not any(target.iterdir()):
        return
    if not overwrite:
        raise OutputError(
            f"The folder {target} exists already. Name another, or replace it with --overwrite "
            "(in Python: overwrite=True)."
        )
    if not any((target / mark).exists() for mark in marks):
        raise OutputError(
            f"The folder {target} was not written by veracity (it has no {' or '.join(marks)}), "
            "so it is not replaced. Name another folder."
        )
    foreign = sorted(path.name for path in target.iterdir() if not _may_be_ours(path))
    if foreign:
        raise OutputError(
            f"The folder {target} also holds {listing(foreign, 3)}, which veracity did not write, "
            "so it is not replaced. Move that away, or name another folder."
        )


def _may_be_ours(path: Path) -> bool:
    """Whether it is a hidden file, a table, a JSON file or the like, as veracity writes them."""
    if path.name == CHARTS_FOLDER and path.is_dir():
        return all(chart.suffix == ".json" and chart.is_file() for chart in path.iterdir())
    hidden = path.name.startswith("." if path.is_file() else ".veracity-")
    return hidden or path.name in OUR_NAMES or path.name.endswith(OUR_ENDINGS)


def _check_parent(target: Path) -> None:
    """Refuse a target that could not be made, before any work is done for it."""
    nearest = next(parent for parent in target.parents if parent.exists())
    if not nearest.is_dir():
        raise OutputError(f"{target} cannot be written: {nearest} is a file, not a folder.")
    if not os.access(nearest, os.W_OK):
        raise OutputError(f"{target} cannot be written: you may not write to {nearest}.")


@contextmanager
def whole_folder(
    target: Path,
    *,
    overwrite: bool = False,
    marks: tuple[str, ...],
    last: Callable[[Path], None] = lambda scratch: None,
) -> Iterator[Path]:
    """Give a scratch folder that takes the target's place at the end, if all went well.

    Whatever happens on the way, an error, a full disk or an interrupt, leaves the target as it was.
    `last` is called with the scratch folder when nobody can write into the target any more.
    """
    recover(target)
    check_folder(target, overwrite, marks)
    target = target.resolve()  # what a link points at is replaced, not the link
    was_there = target.exists() and any(target.iterdir())
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=PART, dir=target.parent))
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.") from error
    try:
        with held(scratch, alone=True):
            scratch.chmod(0o755)
            yield scratch
            if was_there:
                _replace(scratch, target, marks, last)
            else:
                on_disk(scratch)
                _appear(scratch, target)
    except OutputError:
        raise
    except (OSError, duckdb.IOException) as error:
        raise OutputError(_why(target, error)) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _why(target: Path, error: OSError | duckdb.IOException) -> str:
    if "No space left" in str(error):
        return f"The disk is full, so {target} was not written. Free some space and run it again."
    reason = error.strerror if isinstance(error, OSError) else None
    return f"{target} was not written: {reason or str(error).splitlines()[0]}."


def _replace(
    scratch: Path, target: Path, marks: tuple[str, ...], last: Callable[[Path], None]
) -> None:
    """Put a folder in the place of an earlier one, unless that is not ours alone any more."""
    if not target.exists():
        _appear(scratch, target)
        return
    with held(target, alone=True, patience=PATIENCE_OF_RESULTS):
        check_folder(target, True, marks)
        last(scratch)
        on_disk(scratch)
        take_place(scratch, target)


def _appear(scratch: Path, target: Path) -> None:
    """Put a folder where there was none; what appeared there meanwhile stays."""
    try:
        os.replace(scratch, target)  # never over a file, or over a folder with something in it
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        other = next(
            path
            for path in (target.with_name(f"{target.name}-{n}") for n in count(1))
            if not path.exists()
        )
        os.replace(scratch, other)
        raise OutputError(
            f"{target} appeared while the results were made, so it was left alone. The results "
            f"are in {other}."
        ) from error
