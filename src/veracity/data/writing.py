"""Writing tables and folders: whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.engine import Workbench, quoted
from veracity.data.notes import Note, plural
from veracity.errors import InvalidParameter, OutputError

TableFormat = Literal["parquet", "csv", "csv.gz", "jsonl"]
TABLE_FORMATS: tuple[TableFormat, ...] = ("parquet", "csv", "csv.gz", "jsonl")

_COPY_OPTIONS = {
    "parquet": "FORMAT parquet, COMPRESSION zstd",
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
    raise InvalidParameter(f"format must be one of {', '.join(TABLE_FORMATS)}. Got {name!r}.")


def write_table(table: pa.Table, path: Path, form: TableFormat) -> None:
    """Write a table to a file."""
    with Workbench() as workbench:
        workbench.register("written", table)
        workbench.connection.execute(
            f"COPY (SELECT * FROM written) TO {quoted(str(path))} ({_COPY_OPTIONS[form]})"
        )


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
    return Note(
        "output",
        f"{plural(count, 'cell')} in the CSV files look like spreadsheet formulas and are written "
        "as they are; use --escape-formulas if the files are to be opened in a spreadsheet.",
        count,
    )


def check_folder(target: Path, overwrite: bool, marks: tuple[str, ...]) -> None:
    """Refuse a target that exists, or that may be replaced but is not a folder of ours.

    `marks` are the files by one of which a folder of ours is known.
    """
    if not target.exists() and not target.is_symlink():
        return
    if not target.is_dir():
        raise OutputError(f"{target} is a file. Name a folder to write into.")
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


@contextmanager
def whole_folder(
    target: Path, *, overwrite: bool = False, marks: tuple[str, ...]
) -> Iterator[Path]:
    """Give a scratch folder that takes the target's place at the end, if all went well.

    Whatever happens on the way, an error, a full disk or an interrupt, leaves the target as it was.
    """
    check_folder(target, overwrite, marks)
    target = target.absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(
            tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        )
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.") from error
    try:
        scratch.chmod(0o755)
        yield scratch
        _take_place(scratch, target)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(_why(target, error)) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _why(target: Path, error: OSError) -> str:
    if error.errno == errno.ENOSPC or "No space left" in str(error):
        return f"The disk is full, so {target} was not written. Free some space and run it again."
    return f"{target} was not written: {error.strerror or error}."


def _take_place(scratch: Path, target: Path) -> None:
    if not target.exists():
        os.replace(scratch, target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    os.replace(target, old / "replaced")
    try:
        os.replace(scratch, target)
    except BaseException:
        os.replace(old / "replaced", target)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
