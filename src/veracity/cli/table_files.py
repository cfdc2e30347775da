"""Tables that commands write to a file that the user names: the options, and the writing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from veracity.errors import InvalidParameter, OutputError, listing

if TYPE_CHECKING:
    import pyarrow as pa

#: As in `veracity.data.output.write`, which is not imported until a command runs.
TableFormat = Literal["parquet", "csv", "csv.gz", "jsonl"]
TABLE_FORMATS: tuple[TableFormat, ...] = ("csv", "csv.gz", "parquet", "jsonl")

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="File to write to; .csv, .csv.gz, .parquet or .jsonl.",
        show_default=False,
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file.")]
Escape = Annotated[
    bool,
    typer.Option(
        "--escape-formulas", help="Escape CSV cells that a spreadsheet would run as formulas."
    ),
]


def check_table_file(path: Path | None, overwrite: bool) -> None:
    """Refuse a file that cannot be written, or is there already; before the work, not after it."""
    from veracity.data.output.atomic import check_target

    if path is None:
        return
    format_of(path)
    if path.exists() and not overwrite:
        raise OutputError(f"{path} exists already. Name another, or replace it with --overwrite.")
    check_target(path)


def write_table_file(table: pa.Table, path: Path, escape: bool) -> str:
    """Write a table, whole or not at all; return a caution about formulas, if there is one."""
    from veracity.data.output.atomic import write_whole
    from veracity.data.output.write import (
        escape_formulas,
        formula_cells,
        formula_note,
        table_bytes,
    )

    form = format_of(path)
    caution = ""
    if form.startswith("csv"):
        table = escape_formulas(table) if escape else table
        count = 0 if escape else formula_cells(table)
        caution = str(formula_note(count)) if count else ""
    write_whole(path, table_bytes(table, form))
    return caution


def format_of(path: Path) -> TableFormat:
    """Return the format that a file's name asks for."""
    for form in TABLE_FORMATS:
        if path.name.lower().endswith(f".{form}"):
            return form
    raise InvalidParameter(
        f"The format of {path.name!r} is not known. Expected a name that ends in "
        f"{listing(f'.{form}' for form in TABLE_FORMATS)}."
    )
