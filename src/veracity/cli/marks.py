"""``veracity marks``: the true values that people marked, and those of a sheet to be taken."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.console import Page, print_json, show_notes
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson, Quiet
from veracity.cli.table_files import (
    Escape,
    Output,
    Overwrite,
    check_table_file,
    write_table_file,
)
from veracity.data.notes import plural
from veracity.errors import InputError

if TYPE_CHECKING:
    from veracity.data.notes import Note
    from veracity.workflow.marks import MarkBook

ROWS_SHOWN = 10
#: Marks of items that were drawn at random, and of others.
AUDIT, REPAIR = "audit", "repair"


def marks(
    run: RunFolder,
    read: Annotated[
        Path | None,
        typer.Option(
            "--read",
            help="Take the marks of a sheet that was filled in: of audit, label or disagreements.",
            metavar="SHEET",
            show_default=False,
        ),
    ] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    escape: Escape = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show or write what was marked as true, for --known-truth or --truth of discover."""
    from veracity.workflow import check_run_folder
    from veracity.workflow.marks import MarkBook, marks_table

    check_run_folder(run)
    check_table_file(output, overwrite)
    book = MarkBook(run)
    taken, notes = ("", []) if read is None else _take(run, book, read)
    if output is not None:
        found = book.read()
        if not found:
            raise InputError(
                f"No item of {run} is marked yet. Mark items in `veracity serve`, or fill in a "
                "sheet of `veracity audit`."
            )
        write_table_file(marks_table(found), output, escape)
    if as_json:
        print_json(_plain(book) | {"notes": [note.as_dict() for note in notes]})
    elif not quiet:
        page = Page()
        if taken:
            page.line(taken)
        show_marks(page, book)
        show_notes(page, notes)


def show_marks(page: Page, book: MarkBook) -> None:
    """Print the latest marks, and which of them are audits."""
    from veracity.workflow.sheets import CANNOT_TELL

    found = _plain(book)
    marked, skipped = found["marks"], found["skips"]
    title = plural(len(marked), "mark")
    if any(row["queue"] == AUDIT for row in (*marked, *skipped)):
        n_audits = sum(row["queue"] == AUDIT for row in marked)
        title += f": {plural(n_audits, 'audit')} and {plural(len(marked) - n_audits, 'repair')}"
    page.line(title + (f"; {plural(len(skipped), 'skip')}" if skipped else ""), style="bold")
    both = [*marked, *(row | {"values": (CANNOT_TELL,)} for row in skipped)]
    both.sort(key=lambda row: row["updated"], reverse=True)
    rows = [
        [row["entity"], row["attribute"], ", ".join(row["values"]), row["queue"], row["updated"]]
        for row in both
    ]
    if rows:
        page.table(["entity", "attribute", "true", "queue", "when"], rows[:ROWS_SHOWN])
    if len(rows) > ROWS_SHOWN:
        page.line(f"and {len(rows) - ROWS_SHOWN:,} more")


def _plain(book: MarkBook) -> dict[str, Any]:
    """Return marks and skips as plain data, each with the queue that it belongs to."""
    drawn = book.draw().numbers

    def queue(entity: str, attribute: str) -> dict[str, str]:
        return {"queue": AUDIT if (entity, attribute) in drawn else REPAIR}

    return {
        "marks": [asdict(mark) | queue(mark.entity, mark.attribute) for mark in book.read()],
        "skips": [
            {"entity": entity, "attribute": attribute, "updated": updated}
            | queue(entity, attribute)
            for (entity, attribute), updated in book.skipped().items()
        ],
    }


def _take(run: Path, book: MarkBook, path: Path) -> tuple[str, list[Note]]:
    """Take the marks of a sheet, all or none; say how many they are."""
    from veracity.workflow import open_run
    from veracity.workflow.sheets import read_sheet

    found = read_sheet(path, open_run(run).claims)
    book.put_all(found.marks, found.skips)
    skips = f" and {plural(len(found.skips), 'skip')}" if found.skips else ""
    return f"{plural(len(found.marks), 'mark')}{skips} taken from {path}.", found.notes
