"""``veracity discover``: from a table of claims to truths, statements and sources."""

from __future__ import annotations

import json
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.console import Page, log_to_terminal, print_json, progress_bar, show_notes
from veracity.cli.model_options import ModelName, fits_model
from veracity.cli.options import (
    AsJson,
    ClaimsPath,
    EscapeFormulas,
    NoReport,
    Quiet,
    Reconcile,
    Seed,
    reads_claims,
)
from veracity.cli.process import collecting_later
from veracity.cli.scoreboard import show_grid
from veracity.data.notes import plural
from veracity.errors import ConvergenceWarning, ReportWarning

if TYPE_CHECKING:
    from veracity.workflow import Run

ITEMS_SHOWN = 5
SOURCES_SHOWN = 5


@reads_claims
@fits_model
def discover(
    claims: ClaimsPath,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Folder to write to.", show_default=False)
    ],
    reading: dict[str, Any],
    settings: dict[str, Any],
    model: ModelName = "default",
    truth: Annotated[
        str | None,
        typer.Option(help="Known truth (entity, attribute, value), used only to measure accuracy."),
    ] = None,
    known_truth: Annotated[
        str | None,
        typer.Option(
            help="True values of some items; the fit keeps to them. With a column trust: answers "
            "of assessors, who can err."
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            help="Table of rules: which values imply or exclude others of the same entity.",
            metavar="FILE",
        ),
    ] = None,
    error_rate: Annotated[
        float | None,
        typer.Option(help="Share of errors to allow among accepted verdicts; 0.05 by default."),
    ] = None,
    reconcile: Reconcile = False,
    format: Annotated[
        str, typer.Option(help="Format of the tables.", metavar="parquet|csv|csv.gz|jsonl")
    ] = "parquet",
    memory: Annotated[
        str | None,
        typer.Option(
            help="Approximate memory to use, such as 2GB; claims that exceed it go to disk.",
            metavar="SIZE",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help="Where to compute.", metavar="local|spark")] = "local",
    master: Annotated[
        str | None,
        typer.Option(
            help="Address of the Spark cluster; by default, that of Spark's settings.",
            metavar="URL",
            show_default=False,
        ),
    ] = None,
    checkpoint_every: Annotated[
        float,
        typer.Option(help="Seconds between checkpoints of a long fit, saved beside the output."),
    ] = 120.0,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Resume the fit of an interrupted run."),
    ] = False,
    seed: Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier run.")] = False,
    escape_formulas: EscapeFormulas = False,
    no_report: NoReport = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say which value to believe for every item, and how reliable every source is."""
    from veracity.data.output.write import check_format
    from veracity.engines.checkpoints import Checkpoints
    from veracity.workflow import STAGES, check_engine
    from veracity.workflow import discover as run_discover

    warnings.simplefilter("ignore", ConvergenceWarning)  # the notes of the run say it
    warnings.simplefilter("ignore", ReportWarning)  # the error at the end says it
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")  # we need little
    if not no_report and memory is None and engine == "local":  # elsewhere there is none
        from veracity.report.page import check_page

        check_page()
    form = check_format(format)
    check_engine(engine, form)
    if rules is not None:
        from veracity.models.base import check_place_of_rules

        check_place_of_rules(engine == "spark")
    _check_output(output, overwrite, engine, master, model, settings)
    checkpoints = Checkpoints(_beside(output, engine), resume=resume, every=checkpoint_every)
    on_cluster = engine == "spark" and not quiet
    with (
        log_to_terminal(on_cluster),
        progress_bar(STAGES, quiet or as_json) as show,
        collecting_later(show) as progress,
    ):
        run = run_discover(
            claims,
            model=model,
            parameters=settings,
            truth=truth,
            known_truth=known_truth,
            rules=rules,
            error_rate=error_rate,
            reconcile=reconcile,
            random_state=seed,
            memory=memory,
            engine=engine,
            master=master,
            threads=settings.pop("threads", None),
            checkpoints=checkpoints,
            progress=progress,
            **reading,
        )
        progress(STAGES[-1])
        run.save(
            output,
            format=form,
            overwrite=overwrite,
            escape=escape_formulas,
            report=not no_report,
        )
        checkpoints.remove()
    if as_json:
        print_json(_described(run, output, engine))
    elif not quiet:
        show_run(Page(), run, output)
    if run.report_error is not None:
        raise RuntimeError(
            f"the report could not be made ({run.report_error!r}). The results in {output} are "
            f"complete; `veracity report {output}` tries again."
        ) from run.report_error


def _beside(output: str, engine: str) -> Path:
    """Return the folder of checkpoints: beside the output, or here if that is on a cluster."""
    place = Path(output.rstrip("/"))
    parent = place.absolute().parent if engine == "local" else Path.cwd()
    return parent / f".{place.name}.checkpoints"


def _described(run: Run, output: str, engine: str) -> Any:
    """Return the description of a run as it was written."""
    from veracity.workflow import RUN_FILE

    if engine == "local":
        return json.loads((Path(output) / RUN_FILE).read_text(encoding="utf-8"))
    return run.describe()


def _check_output(
    output: str,
    overwrite: bool,
    engine: str,
    master: str | None,
    model: str,
    settings: dict[str, Any],
) -> None:
    """Refuse, before the work and not after it, a folder that cannot be written."""
    from veracity.workflow import RUN_FILE

    if engine == "local":
        from veracity.data.output.write import check_folder

        check_folder(Path(output), overwrite, (RUN_FILE,))
        return
    from veracity.engines.spark.session import start
    from veracity.engines.spark.write import check_target
    from veracity.models import AUTO, DEFAULT_ALIAS, make_model

    parameters = {name: value for name, value in settings.items() if name != "threads"}
    name = DEFAULT_ALIAS if model == AUTO else model
    make_model(name, **parameters).check_blocks()  # before a cluster is started
    check_target(start(master), output, overwrite, RUN_FILE)


def show_run(page: Page, run: Run, output: str | Path) -> None:
    """Print what a person wants to know about a run."""
    from veracity.data.output.write import REPORT_FILE

    page.line(run.findings.found, style="bold")
    page.line(run.findings.to_do, style="bold")
    page.line(run.findings.trust)
    _show_sources(page, run)
    _show_contested(page, run)
    _show_hardest(page, run)
    if run.choice is not None:
        show_grid(page, run.choice.grid())
    if run.evaluation is not None:
        _show_evaluation(page, run)
    show_notes(page, run.notes)
    page.line()
    page.line(f"Written to {output} in {sum(run.seconds.values()):.1f} s.")
    report = Path(output) / REPORT_FILE
    if report.exists():
        page.line(f"Report: {report}")


def _show_contested(page: Page, run: Run) -> None:
    import pyarrow as pa

    from veracity.report.charts.numbers import short_value

    columns = ["entity", "attribute", "value", "plausibility", "margin", "n_sources", "tie"]
    parts = run.model.truths_.parts_by(_most_contested)
    rows = _most_contested(pa.concat_tables(parts)).to_pylist()
    if rows:
        page.heading("Most contested")
        shown = [{**row, "value": short_value(row)} for row in rows]
        page.table(columns, [[row[name] for name in columns] for row in shown])


def _most_contested(truths: Any) -> Any:
    """Return the few items of a table of truths that are most contested."""
    import pyarrow.compute as pc

    contested = truths.filter(pc.greater(truths["n_values"], 1))
    order = [("margin", "ascending"), ("n_sources", "descending"), ("entity", "ascending")]
    return contested.sort_by(order).slice(0, ITEMS_SHOWN)


def _show_hardest(page: Page, run: Run) -> None:
    import pyarrow as pa

    from veracity.data.output.hardest import hardest

    columns = ["entity", "attribute", "value", "plausibility", "hardness", "n_sources"]
    parts = run.model.truths_.parts_by(partial(hardest, limit=ITEMS_SHOWN))
    rows = hardest(pa.concat_tables(parts), ITEMS_SHOWN)
    if rows.num_rows:
        page.heading("Hardest items")
        page.table(columns, [list(row.values()) for row in rows.select(columns).to_pylist()])


def _show_sources(page: Page, run: Run) -> None:
    from veracity.models.patterns.naming import spammers_sentence
    from veracity.report.source_columns import telling_rates

    sources = run.model.sources_.to_arrow().sort_by(
        [("reliability", "descending"), ("n_claims", "descending"), ("source", "ascending")]
    )
    columns = ["source", "n_claims", "reliability", *telling_rates(sources), "agreement"]
    rows = [list(row.values()) for row in sources.select(columns).to_pylist()]
    if len(rows) <= 2 * SOURCES_SHOWN:
        page.heading("Sources by reliability")
        page.table(columns, rows)
    else:
        page.heading("Most reliable sources")
        page.table(columns, rows[:SOURCES_SHOWN])
        page.heading("Least reliable sources")
        page.table(columns, rows[-SOURCES_SHOWN:])
    spammers = spammers_sentence(sources)
    if spammers is not None:
        page.line()
        page.line(spammers)


def _show_evaluation(page: Page, run: Run) -> None:
    found = run.evaluation
    assert found is not None
    page.heading("Against known truth")
    if not found.all_numbers:
        page.line(
            f"Accuracy {found.accuracy:.4f}: the believed value is true for {found.n_right:,} of "
            f"the {found.n_items:,} items with known truth and a claim."
        )
    if found.f1 is not None:
        page.line(
            f"Where several values may be true: precision {found.precision:.4f}, recall "
            f"{found.recall:.4f}, F1 {found.f1:.4f}."
        )
    if found.mean_absolute_error is not None:
        page.line(
            f"{plural(found.n_numbers, 'number')}: mean absolute error "
            f"{found.mean_absolute_error:.4g}, root mean squared error "
            f"{found.root_mean_squared_error:.4g}."
        )
    if found.interval_coverage is not None:
        page.line(
            f"{found.interval_coverage:.1%} of the intervals of numbers hold the truth. Unless "
            "labels have calibrated them, they are the spread of the sources: an error that all of "
            "them share shows in no claim."
        )
    if found.n_truth_items > found.n_items:
        left = plural(found.n_truth_items - found.n_items, "truth item has", "truth items have")
        page.line(f"{left} no claim.")
