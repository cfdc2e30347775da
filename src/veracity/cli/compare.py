"""``veracity compare``: several models on one table of claims, measured against known truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from veracity.cli.console import Page, counting_bar
from veracity.cli.evaluation_options import (
    Jobs,
    Markdown,
    Models,
    Peers,
    Picture,
    Seeds,
    TimeLimit,
    check_outputs,
    names,
)
from veracity.cli.options import ClaimsPath, Quiet, reads_claims
from veracity.cli.scoreboard import show_grid, show_remarks


@reads_claims
def compare(
    claims: ClaimsPath,
    reading: dict[str, Any],
    truth: Annotated[
        str,
        typer.Option(help="Known truth (entity, attribute, value).", show_default=False),
    ],
    models: Models = "all",
    seeds: Seeds = 5,
    peers: Peers = False,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
    json: Annotated[Path | None, typer.Option(help="Write the rows.", metavar="FILE")] = None,
    markdown: Markdown = None,
    picture: Picture = None,
    quiet: Quiet = False,
) -> None:
    """Measure models on one table of claims, and test whether they differ from the vote."""
    from veracity.data.output.atomic import write_whole
    from veracity.scoreboard.comparison import compare as run_comparison
    from veracity.scoreboard.report import Reasons

    check_outputs(markdown, picture)
    with counting_bar("reading", quiet) as progress:
        found = run_comparison(
            claims,
            truth,
            models=names(models),
            seeds=seeds,
            peers=peers,
            jobs=jobs,
            time_limit=time_limit,
            json=json,
            progress=progress,
            **reading,
        )
    if markdown is not None:
        write_whole(markdown, found.to_markdown())
    if picture is not None:
        write_whole(picture, found.to_svg())
    if not quiet:
        page, reasons = Page(), Reasons()
        grid = found.grid(reasons)
        page.line(found.headline(), style="bold")
        show_grid(page, grid)
        show_remarks(page, [*found.notes, *reasons.lines()])
