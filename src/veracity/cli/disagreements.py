"""``veracity disagreements``: the items on which a run and a majority vote disagree most."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.console import Page, print_json
from veracity.cli.explain import RunFolder
from veracity.cli.options import AsJson
from veracity.data.notes import plural

if TYPE_CHECKING:
    from veracity.data.output.tables import Table
    from veracity.workflow import SavedRun

SHOWN = ("entity", "attribute", "believed", "plausibility", "voted", "share", "n_sources")


def disagreements(
    run: RunFolder,
    limit: Annotated[int, typer.Option(help="Largest number of items.", min=1)] = 20,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the list to a file, to fill in the truth.",
            metavar="FILE.csv",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier list.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the items on which a run and a majority vote disagree most: those worth labelling."""
    from veracity.data.output.tables import Table
    from veracity.evaluation.disagreements import check_list_file, write_list
    from veracity.evaluation.disagreements import disagreements as find
    from veracity.workflow import open_run

    if output is not None:
        check_list_file(output, overwrite=overwrite)  # before the work, not after it
    saved = open_run(run)
    found = find(saved.model, saved.claims, None, known_truth=saved.known_truth)
    listed = Table(found.name, found.to_arrow().slice(0, limit))
    if output is not None and len(listed):
        write_list(listed, output, overwrite=overwrite)
    if as_json:
        print_json({"n_disagreements": len(found), "disagreements": listed.to_pylist()})
    else:
        show_list(Page(), saved, listed, len(found), output)


def show_list(
    page: Page, saved: SavedRun, listed: Table, n_found: int, output: Path | None
) -> None:
    """Print the list, and what to do with it."""
    name, n_items = saved.description["model"]["name"], saved.claims.matrix.n_items
    if not n_found:
        page.line(
            f"{name} and a majority vote agree on every item without known truth, so labels cannot "
            f"tell them apart.{' No file was written.' if output else ''}"
        )
        return
    page.line(
        f"{name} and a majority vote disagree on {n_found:,} of {plural(n_items, 'item')}; "
        f"{'all' if len(listed) == n_found else f'the {len(listed):,} clearest'} are:",
        style="bold",
    )
    rows = listed.to_arrow().select(list(SHOWN)).to_pylist()
    page.table(SHOWN, [list(row.values()) for row in rows])
    page.line()
    if output is None:
        page.line("To label them, write the list to a file with --output FILE.csv.")
    else:
        page.line(f"Written to {output}. {_formulas(listed)}".rstrip())
    page.line(
        "Fill in the column value. If several values are true, add a row for each. Empty rows do "
        "not count."
    )
    file = output or "FILE.csv"
    page.line(
        f"Then measure with it (veracity tune CLAIMS --truth {file}), or give it to the model "
        f"(veracity discover CLAIMS --known-truth {file}). Never do both with the same labels."
    )
    page.line(
        "Labels on these items show which of the two is right more often, not how accurate "
        "either is elsewhere."
    )


def _formulas(listed: Table) -> str:
    from veracity.data.output.write import formula_cells

    count = formula_cells(listed.to_arrow())
    return f"Caution: a spreadsheet may run {plural(count, 'cell')} as formulas." if count else ""
