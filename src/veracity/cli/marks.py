"""``veracity marks``: the true values that people marked, as a truth table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from veracity.cli.console import Page, print_json
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson, Quiet
from veracity.data.notes import plural
from veracity.errors import InputError, InvalidParameter, OutputError, listing

ROWS_SHOWN = 10
#: As in `veracity.data.output.write`, which is not imported until a command runs.
TableFormat = Literal["parquet", "csv", "csv.gz", "jsonl"]
TABLE_FORMATS: tuple[TableFormat, ...] = ("csv", "csv.gz", "parquet", "jsonl")


def marks(
    run: RunFolder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write to; .csv, .csv.gz, .parquet or .jsonl.",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    escape: Annotated[
        bool,
        typer.Option(
            "--escape-formulas", help=("Escape CSV cells that a spreadsheet would run as formulas.")
        ),
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show or write what was marked as true, for --known-truth or --truth of discover."""
    from veracity.data.output.atomic import check_target, write_whole
    from veracity.data.output.write import escape_formulas, table_bytes
    from veracity.workflow import check_run_folder
    from veracity.workflow.marks import MarkBook, marks_table

    check_run_folder(run)
    found = MarkBook(run).read()
    table = marks_table(found)
    if output is not None:
        form = _format_of(output)
        if not found:
            raise InputError(f"No item of {run} is marked yet. Mark items in `veracity serve`.")
        if output.exists() and not overwrite:
            raise OutputError(
                f"{output} exists already. Name another, or replace it with --overwrite."
            )
        check_target(output)
        if form.startswith("csv") and escape:
            table = escape_formulas(table)
        write_whole(output, table_bytes(table, form))
    if as_json:
        print_json({"marks": [asdict(mark) for mark in found]})
    elif not quiet:
        page = Page()
        page.line(plural(len(found), "mark"), style="bold")
        rows = [
            [mark.entity, mark.attribute, ", ".join(mark.values), mark.updated] for mark in found
        ]
        if rows:
            page.table(["entity", "attribute", "true", "when"], rows[:ROWS_SHOWN])
        if len(rows) > ROWS_SHOWN:
            page.line(f"and {len(rows) - ROWS_SHOWN:,} more")


def _format_of(path: Path) -> TableFormat:
    """Return the format that a file's name asks for."""
    for form in TABLE_FORMATS:
        if path.name.lower().endswith(f".{form}"):
            return form
    raise InvalidParameter(
        f"The format of {path.name!r} is not known. Expected a name that ends in "
        f"{listing(f'.{form}' for form in TABLE_FORMATS)}."
    )
