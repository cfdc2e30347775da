"""``veracity update``: new claims for a run that was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.console import Page, print_json, show_notes
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson, Quiet, reads_claims
from veracity.errors import InvalidParameter

if TYPE_CHECKING:
    from pathlib import Path

    from veracity.workflow import Updated

VERDICTS_SHOWN = 10


@reads_claims
def update(
    run: RunFolder,
    reading: dict[str, Any],
    claims: Annotated[
        str | None,
        typer.Argument(
            metavar="NEW_CLAIMS",
            help="File, folder, pattern or database of new claims, as for `discover`.",
            show_default=False,
        ),
    ] = None,
    known_truth: Annotated[
        str | None,
        typer.Option(
            "--known-truth",
            metavar="FILE",
            help="True values of further items, such as marks. The model learns from them without "
            "a new fit; what is known already stays.",
            show_default=False,
        ),
    ] = None,
    no_refit: Annotated[
        bool,
        typer.Option(
            "--no-refit",
            help="Never refit to all claims, even if they are few or have doubled since the last "
            "full fit.",
        ),
    ] = False,
    write_tables: Annotated[
        bool,
        typer.Option(
            "--write-tables",
            help="Write the tables even if they are large and changed little.",
        ),
    ] = False,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use; by default, one per core.", min=1)
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Let a run learn from new claims or labels without a new fit to all claims."""
    from veracity.workflow import update as run_update

    if claims is None and known_truth is None and not write_tables:
        raise InvalidParameter(
            "There is nothing to do: give a table of new claims, --known-truth, or --write-tables."
        )
    updated = run_update(
        run,
        claims,
        known_truth=known_truth,
        refit=not no_refit,
        write_tables=write_tables,
        threads=threads,
        **reading,
    )
    if as_json:
        print_json(updated.as_dict())
    elif not quiet:
        show_update(Page(), updated, run)


def show_update(page: Page, updated: Updated, run: Path) -> None:
    """Print what a person wants to know about an update."""
    from veracity.workflow import summary_line

    page.line(summary_line(updated), style="bold")
    changed = updated.found.changed
    if changed:
        page.heading("Changed verdicts")
        rows = [list(row.values()) for row in changed[:VERDICTS_SHOWN]]
        page.table(list(changed[0]), rows)
        if len(changed) > VERDICTS_SHOWN:
            page.line(f"and {len(changed) - VERDICTS_SHOWN:,} more")
    show_notes(page, updated.found.notes)
    page.line()
    if updated.found.refitted:
        page.line(f"The model was refitted to all {updated.n_claims:,} claims.")
    if updated.written:
        page.line(f"Update {updated.number:,} of {run}, in {updated.seconds:.1f} s.")
    else:
        page.line(
            f"Update {updated.number:,} of {run} is saved, in {updated.seconds:.1f} s. Its tables "
            f"are not written yet: `veracity update {run} --write-tables` does it."
        )
