"""``veracity report``: the page of a run, made again from its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from veracity.cli.console import Page
from veracity.cli.explain import RunFolder
from veracity.cli.options import Quiet


def report(
    run: RunFolder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write the page to; by default, page and charts go to OUT.",
            show_default=False,
        ),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(help="Known truth to measure against, instead of the run's own."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make the report of a run again: one page that opens in any browser."""
    from veracity.data.output.atomic import check_target
    from veracity.data.output.write import REPORT_FILE
    from veracity.report.files import Report
    from veracity.report.page import check_page
    from veracity.workflow import open_run
    from veracity.workflow.report_again import put_report

    check_page()
    target = run / REPORT_FILE if output is None else output
    saved = open_run(run)
    check_target(target)  # before the work, not after it
    made = Report(saved.subject(truth))
    if output is None:
        put_report(run, made, saved.description)
    else:
        made.write_page(output)
    if not quiet:
        Page().line(f"Report: {target}")
