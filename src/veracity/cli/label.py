"""``veracity label``: the items to mark next, for a guarantee or to repair the table."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.console import Page, print_json
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
from veracity.errors import InvalidParameter

if TYPE_CHECKING:
    import pyarrow as pa

    from veracity.workflow.audits import Audit

ROWS_SHOWN = 10


class Queue(StrEnum):
    """Which items come first."""

    audit = "audit"
    repair = "repair"


def label(
    run: RunFolder,
    n: Annotated[int, typer.Option("--n", help="How many items.", min=1)] = 20,
    queue: Annotated[
        Queue,
        typer.Option(
            help="audit: the next of the random order, for guarantee and model. repair: those most "
            "likely wrong, to fix the table."
        ),
    ] = Queue.audit,
    cost: Annotated[
        str | None,
        typer.Option(
            help="Feature column of numbers that says what an error costs; for --queue repair.",
            metavar="COLUMN",
            show_default=False,
        ),
    ] = None,
    output: Output = None,
    overwrite: Overwrite = False,
    escape: Escape = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """List the items to mark next, to be filled in."""
    from veracity.workflow import open_run
    from veracity.workflow.audits import Audit

    check_table_file(output, overwrite)
    if cost is not None and queue is not Queue.repair:
        raise InvalidParameter("--cost is for --queue repair: audits are drawn at random.")
    audit = Audit(open_run(run))
    table, remark = _audits(audit, n) if queue is Queue.audit else _repairs(audit, n, cost)
    caution = ""
    if output is not None and table.num_rows:
        caution = write_table_file(table, output, escape)
    if as_json:
        print_json({"queue": str(queue), "items": table.to_pylist()})
    elif not quiet:
        show_queue(Page(), run, queue, table, remark, output, caution)


def show_queue(
    page: Page,
    run: Path,
    queue: Queue,
    table: pa.Table,
    remark: str,
    output: Path | None,
    caution: str,
) -> None:
    """Print the first items, and what their marks are good for."""
    if not table.num_rows:
        page.line("No item is left to mark.", style="bold")
        return
    page.line(f"{plural(table.num_rows, 'item')} to {queue}", style="bold")
    shown = table.drop_columns(["value"])
    page.table(shown.column_names, [list(row.values()) for row in shown.to_pylist()[:ROWS_SHOWN]])
    if table.num_rows > ROWS_SHOWN:
        page.line(f"and {table.num_rows - ROWS_SHOWN:,} more")
    page.line()
    page.line(remark)
    if output is not None:
        page.line(f"Written to {output}. {caution}".rstrip())
    page.line(f"Fill in the column value, then: veracity marks {run} --read {output or 'FILE.csv'}")


def _audits(audit: Audit, n: int) -> tuple[pa.Table, str]:
    from veracity.workflow.sheets import sheet

    waiting = audit.draw_open(n)
    table = sheet(audit.matrix, [one.item for one in waiting], [one.number for one in waiting])
    return table, "These are drawn at random: their marks feed the guarantee and the model."


def _repairs(audit: Audit, n: int, cost: str | None) -> tuple[pa.Table, str]:
    from veracity.workflow.repairs import repair_queue
    from veracity.workflow.sheets import sheet

    found = repair_queue(audit, n, cost)
    items = found.items.tolist()
    table = sheet(audit.matrix, items, range(1, len(items) + 1))
    remark = (
        "Repairs correct their items when the run is made again with these marks as known truth. "
        "They stay out of the guarantee: chosen because they look wrong, they say nothing about "
        "the other items."
    )
    if found.n_without_cost:
        remark += f" {plural(found.n_without_cost, 'item has', 'items have')} no {cost!r}, and "
        remark += f"{'comes' if found.n_without_cost == 1 else 'come'} last."
    return table, remark
