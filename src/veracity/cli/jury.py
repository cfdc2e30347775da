"""``veracity jury``: what the verdicts of many judges are worth, and which judges are needed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.console import Page, print_json, progress_bar
from veracity.cli.options import AsJson, Quiet
from veracity.errors import ConvergenceWarning, ReportWarning

if TYPE_CHECKING:
    from veracity.workflow.jury import Jury

COLUMNS = "Columns"


def _column(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel=COLUMNS, metavar="COLUMN", show_default=False)


def jury(
    verdicts: Annotated[
        str,
        typer.Argument(
            metavar="VERDICTS",
            help="Table of verdicts, one row each: question, judge, verdict (CSV, TSV, Parquet, "
            "JSON lines, Arrow, SQLite, DuckDB).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write to.", show_default=False)
    ],
    question: Annotated[str | None, _column("What is judged.")] = None,
    judge: Annotated[str | None, _column("Who judges.")] = None,
    verdict: Annotated[str | None, _column("The verdict.")] = None,
    attribute: Annotated[str | None, _column("What a question is judged by, if several.")] = None,
    confidence: Annotated[str | None, _column("How sure the judge says it is; or never.")] = None,
    position: Annotated[
        str | None, _column("Place of the chosen answer, first or second; or never.")
    ] = None,
    swapped: Annotated[
        str | None, _column("Whether the two answers were shown in the other order; or never.")
    ] = None,
    length_a: Annotated[str | None, _column("Length of the first answer; or never.")] = None,
    length_b: Annotated[str | None, _column("Length of the second answer; or never.")] = None,
    cost: Annotated[str | None, _column("Cost of the verdict; or never.")] = None,
    family: Annotated[
        str,
        typer.Option(
            help="Column that says which judges belong together. auto: found by how judges agree; "
            "never: all count in full.",
            rich_help_panel=COLUMNS,
            metavar="COLUMN|auto|never",
        ),
    ] = "auto",
    truth: Annotated[
        str | None, typer.Option(help="True verdicts, used only to measure accuracy.")
    ] = None,
    known_truth: Annotated[
        str | None, typer.Option(help="True verdicts of some questions, to learn from.")
    ] = None,
    error_rate: Annotated[
        float | None,
        typer.Option(
            help="Share of errors to allow among verdicts that are kept; 0.05 if left out."
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Loss of accuracy that counts as none when a judge is dropped.")
    ] = 0.01,
    format: Annotated[
        str, typer.Option(help="Format of the tables.", metavar="parquet|csv|csv.gz|jsonl")
    ] = "parquet",
    encoding: Annotated[str, typer.Option(help="Encoding of text files.")] = "utf-8",
    delimiter: Annotated[
        str | None, typer.Option(help="Separator of CSV cells.", show_default=False)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads to use; by default, one per core.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.", min=0)] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier run.")] = False,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no report.html of the run beside jury.html.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Weigh the verdicts of a jury, such as language models: whom to keep, what to escalate."""
    from veracity.data.output.write import check_folder, check_format
    from veracity.report.page import check_page
    from veracity.workflow import RUN_FILE
    from veracity.workflow.jury import STAGES
    from veracity.workflow.jury import jury as weigh

    warnings.simplefilter("ignore", ConvergenceWarning)  # the notes of the run say it
    warnings.simplefilter("ignore", ReportWarning)
    check_page()
    form = check_format(format)
    check_folder(output, overwrite, (RUN_FILE,))
    with progress_bar(STAGES, quiet or as_json) as progress:
        found = weigh(
            verdicts,
            question=question,
            judge=judge,
            verdict=verdict,
            attribute=attribute,
            confidence=confidence,
            position=position,
            swapped=swapped,
            length_a=length_a,
            length_b=length_b,
            cost=cost,
            family=family,
            truth=truth,
            known_truth=known_truth,
            error_rate=error_rate,
            tolerance=tolerance,
            encoding=encoding,
            delimiter="\t" if delimiter in ("\\t", "tab") else delimiter,
            random_state=seed,
            threads=threads,
            progress=progress,
        )
        progress(STAGES[-1])
        found.save(output, format=form, overwrite=overwrite, report=not no_report)
    if as_json:
        print_json(found.as_dict())
    elif not quiet:
        _show(Page(), found, output)


def _show(page: Page, found: Jury, output: Path) -> None:
    from veracity.data.output.write import JURY_FILE

    for number, sentence in enumerate(found.findings):
        page.line(sentence, style="bold" if number == 0 else None)
    page.line()
    page.line(f"Written to {output}. Findings: {output / JURY_FILE}")
