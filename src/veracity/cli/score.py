"""``veracity score``: judge new claims by the model of an earlier run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.console import Page, print_json, show_notes
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson, ClaimsPath, Quiet, reads_claims
from veracity.data.notes import Note, plural

if TYPE_CHECKING:
    from veracity.workflow.scoring import Scored

ROWS_SHOWN = 10


@reads_claims
def score(
    run: RunFolder,
    claims: ClaimsPath,
    reading: dict[str, Any],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder to write the tables to.", show_default=False),
    ] = None,
    format: Annotated[
        str, typer.Option(help="Format of the tables.", metavar="parquet|csv|csv.gz|jsonl")
    ] = "parquet",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier result.")
    ] = False,
    alone: Annotated[
        bool,
        typer.Option(
            "--alone", help="Judge the new claims by themselves, without the claims of the run."
        ),
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Judge new claims together with what the run knows, also of unseen sources and items."""
    from veracity.data.output.write import check_folder, check_format
    from veracity.datasets.folder import save
    from veracity.workflow import open_run

    form = check_format(format)
    if output is not None:
        check_folder(output, overwrite, (f"truths.{form}",))
    saved = open_run(run)
    scored = saved.score(claims, alone=alone, **reading)
    if output is not None:
        tables = {"truths": scored.truths, "statements": scored.statements}
        save(tables, output, form, overwrite=overwrite, marks=(f"truths.{form}",))
    if as_json:
        print_json(scored.as_dict())
    elif not quiet:
        show_scored(Page(), scored)
        family = getattr(saved.model, "family", None)
        if family is not None and family not in scored.claims.feature_types:
            text = f"There is no column {family!r}, so families are not known: all claims count."
            show_notes(Page(), [Note("score", text)])


def show_scored(page: Page, scored: Scored) -> None:
    """Print what a person wants to know about new claims."""
    truths, counted = scored.truths, plural(scored.n_claims, "new claim")
    with_run = ""
    if scored.n_combined:
        with_run = f", with {plural(scored.n_combined, 'claim')} that the run has"
    page.line(f"{plural(len(truths), 'verdict')} on {counted}{with_run}", style="bold")
    rows = truths.to_arrow().slice(0, ROWS_SHOWN).to_pylist()
    page.table(truths.column_names, [list(row.values()) for row in rows])
    if len(truths) > ROWS_SHOWN:
        page.line(f"and {len(truths) - ROWS_SHOWN:,} more")
    show_notes(page, [note for note in scored.notes if note.subject == "score"])
