"""``veracity score``: judge new claims by the model of an earlier run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from veracity.cli.console import Page, print_json
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson, ClaimsPath, Quiet, reads_claims
from veracity.data.notes import plural

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
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Give plausibilities for new claims, also of sources and items never seen before."""
    from veracity.data.output.write import check_folder, check_format
    from veracity.datasets.folder import save
    from veracity.models.persistence import load
    from veracity.workflow import bring_up_to_date
    from veracity.workflow.new_claims import read_like_run

    form = check_format(format)
    if output is not None:
        check_folder(output, overwrite, (f"truths.{form}",))
    bring_up_to_date(run)
    model = load(run)
    table = read_like_run(run, claims, reading)
    truths, statements = model.predict(table), model.predict_plausibility(table)
    if output is not None:
        tables = {"truths": truths, "statements": statements}
        save(tables, output, form, overwrite=overwrite, marks=(f"truths.{form}",))
    if as_json:
        print_json({"truths": truths.to_pylist(), "statements": statements.to_pylist()})
    elif not quiet:
        page = Page()
        page.line(f"{plural(len(truths), 'verdict')} on {table!r}", style="bold")
        rows = truths.to_arrow().slice(0, ROWS_SHOWN).to_pylist()
        page.table(truths.column_names, [list(row.values()) for row in rows])
        if len(truths) > ROWS_SHOWN:
            page.line(f"and {len(truths) - ROWS_SHOWN:,} more")
        family = getattr(model, "family", None)
        if family is not None and family not in table.feature_types:
            page.line()
            page.line(
                f"There is no column {family!r}, so families are not known: all claims count."
            )
