"""``veracity golden``: from linked records to one row per entity."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.console import Page, print_json, progress_bar, show_notes
from veracity.cli.model_options import ModelName
from veracity.cli.options import (
    AsJson,
    EscapeFormulas,
    NoReport,
    Quiet,
    Reconcile,
    Seed,
    reads_records,
)
from veracity.data.notes import plural
from veracity.errors import ConvergenceWarning, ReportWarning

if TYPE_CHECKING:
    from veracity.workflow import Golden

PAIRS_SHOWN = 5
#: A source is named only if it is believed less often than this.
MOSTLY_BELIEVED = 0.8


@reads_records
def golden(
    records: Annotated[
        str,
        typer.Argument(
            metavar="RECORDS",
            help="Linked records: file, folder or pattern (CSV, TSV, Parquet, JSON, Arrow, SQLite, "
            "DuckDB), or a database such as postgresql://user@host/name.",
            show_default=False,
        ),
    ],
    reading: dict[str, Any],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Folder to write to.", show_default=False),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help="Database to write to: postgresql://user@host/name, or a file such as "
            "golden.duckdb.",
            metavar="DATABASE",
            show_default=False,
        ),
    ] = None,
    to_table: Annotated[
        str,
        typer.Option(
            help="Name of the golden table there; the lineage ends in _lineage.",
            metavar="[SCHEMA.]TABLE",
        ),
    ] = "golden",
    values_only: Annotated[
        bool,
        typer.Option("--values-only", help="Leave out plausibilities and decisions."),
    ] = False,
    model: ModelName = "default",
    truth: Annotated[
        str | None,
        typer.Option(help="Known truth (entity, attribute, value), used only to measure accuracy."),
    ] = None,
    known_truth: Annotated[
        str | None, typer.Option(help="True values of some cells; the fit keeps to them.")
    ] = None,
    error_rate: Annotated[
        float | None,
        typer.Option(help="Share of errors to allow among accepted cells; 0.05 by default."),
    ] = None,
    reconcile: Reconcile = False,
    format: Annotated[
        str, typer.Option(help="Format of the tables.", metavar="parquet|csv|csv.gz|jsonl")
    ] = "csv",
    seed: Seed = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier run, and tables of the names.")
    ] = False,
    escape_formulas: EscapeFormulas = False,
    no_report: NoReport = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Make one golden record per entity from linked records, with the lineage of each cell."""
    from veracity.data.output.write import check_format
    from veracity.workflow import STAGES
    from veracity.workflow import golden as make_golden
    from veracity.workflow.golden_records import check_place

    warnings.simplefilter("ignore", ConvergenceWarning)  # the notes of the run say it
    warnings.simplefilter("ignore", ReportWarning)  # the error at the end says it
    form = check_format(format)
    check_place(output, to, to_table, form, overwrite)
    with progress_bar(STAGES, quiet or as_json) as progress:
        made = make_golden(
            records,
            values_only=values_only,
            model=model,
            truth=truth,
            known_truth=known_truth,
            reconcile=reconcile,
            error_rate=error_rate,
            random_state=seed,
            progress=progress,
            **reading,
        )
        progress(STAGES[-1])
        made.save(
            output,
            to=to,
            table=to_table,
            format=form,
            overwrite=overwrite,
            escape=escape_formulas,
            report=not no_report,
        )
    if as_json:
        print_json(_described(made, output))
    elif not quiet:
        show_golden(Page(), made, output, to, to_table)
    if made.run.report_error is not None:
        raise RuntimeError(
            f"the report could not be made ({made.run.report_error!r}). The results in {output} "
            f"are complete; `veracity report {output}` tries again."
        ) from made.run.report_error


def _described(made: Golden, output: str | None) -> Any:
    """Return the description of the run as it was written."""
    from veracity.workflow import RUN_FILE

    if output is None:
        return made.run.describe()
    return json.loads((Path(output) / RUN_FILE).read_text(encoding="utf-8"))


def show_golden(page: Page, made: Golden, output: str | None, to: str | None, table: str) -> None:
    """Print what a person wants to know about golden records."""
    counts = made.counts()
    page.line(
        f"{plural(counts['records'], 'record')} of {plural(made.run.summary.n_sources, 'source')} "
        f"made {plural(counts['entities'], 'golden record')}.",
        style="bold",
    )
    page.line(
        f"{counts['filled']:,} of {plural(counts['cells'], 'cell')} "
        f"{'has' if counts['filled'] == 1 else 'have'} a value: "
        f"{counts['accept']:,} accepted, {counts['review']:,} for review, "
        f"{counts['undecided']:,} undecided."
    )
    page.line(made.run.findings.trust)
    _show_first_rows(page, made)
    _show_least_believed(page, made)
    show_notes(page, made.run.notes)
    page.line()
    _show_places(page, made, output, to, table)


def _show_first_rows(page: Page, made: Golden) -> None:
    from veracity.data.output.list_cells import joined_lists

    table = joined_lists(made.golden.to_arrow().slice(0, PAIRS_SHOWN))
    names = [made.key, *made.attributes]
    page.heading("First records")
    page.table(names, [list(row.values()) for row in table.select(names).to_pylist()])


def _show_least_believed(page: Page, made: Golden) -> None:
    """Name the sources that are often not believed about an attribute."""
    rows = [row for row in made.agreement.to_pylist() if row["agreement"] < MOSTLY_BELIEVED]
    if rows:
        page.heading("Least believed, by source and attribute")
        shown = [list(row.values()) for row in rows[:PAIRS_SHOWN]]
        page.table(["source", "attribute", "claims", "agreement"], shown)


def _show_places(page: Page, made: Golden, output: str | None, to: str | None, table: str) -> None:
    from veracity.data.output.write import REPORT_FILE
    from veracity.data.read.formats import without_password
    from veracity.workflow.golden_records import named_tables

    seconds = sum(made.run.seconds.values())
    places = [] if output is None else [output]
    if to is not None:
        places.append(f"{' and '.join(named_tables(table))} in {without_password(to)}")
    page.line(f"Written to {' and to '.join(places)} in {seconds:.1f} s.")
    if output is not None:
        report = Path(output) / REPORT_FILE
        if report.exists():
            page.line(f"Report: {report}")
        page.line(f"To review the uncertain cells: veracity serve {output}")
