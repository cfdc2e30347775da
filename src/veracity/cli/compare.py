"""``veracity compare``: several models on one table of claims, measured by truth or labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from veracity.cli.by_labels import FOLDS, Folds, KnownTruth, check_options, show_by_labels
from veracity.cli.console import Page, counting_bar
from veracity.cli.evaluation_options import (
    Jobs,
    Markdown,
    Models,
    Peers,
    Picture,
    TimeLimit,
    check_outputs,
    names,
)
from veracity.cli.options import ClaimsPath, Quiet, reads_claims
from veracity.cli.scoreboard import show_grid, show_remarks
from veracity.errors import InvalidParameter

#: How many seeds truth that no model sees is measured with.
SEEDS = 5


@reads_claims
def compare(
    claims: ClaimsPath,
    reading: dict[str, Any],
    truth: Annotated[
        str | None,
        typer.Option(
            help="True values (entity, attribute, value), used only to measure.", metavar="TABLE"
        ),
    ] = None,
    known_truth: KnownTruth = None,
    folds: Folds = None,
    models: Models = "all",
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Number of seeds, for ties and random starts; 5 by default, 1 with --known-truth.",
            min=1,
        ),
    ] = None,
    peers: Peers = False,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
    json: Annotated[Path | None, typer.Option(help="Write the rows.", metavar="FILE")] = None,
    markdown: Markdown = None,
    picture: Picture = None,
    quiet: Quiet = False,
) -> None:
    """Measure models on one table of claims, and test whether they differ."""
    from veracity.data.output.atomic import write_whole
    from veracity.scoreboard.comparison import compare as run_comparison
    from veracity.scoreboard.report import Reasons

    slow = {"--peers": peers, "--time-limit": time_limit, "--jobs": jobs > 1, "--picture": picture}
    check_options(truth, known_truth, with_truth=slow, with_labels={"--folds": folds})
    check_outputs(markdown, picture)
    if known_truth is not None:
        shared = {"models": names(models), "seeds": seeds or 1, "json": json, **reading}
        _compare_by_labels(claims, known_truth, folds or FOLDS, markdown, quiet, shared)
        return
    if truth is None:
        raise InvalidParameter(
            "Models are compared by true values. Give them with --truth, which no model sees, or "
            "with --known-truth, which models may learn from."
        )
    with counting_bar("reading", quiet) as progress:
        found = run_comparison(
            claims,
            truth,
            models=names(models),
            seeds=seeds or SEEDS,
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


def _compare_by_labels(
    claims: str,
    known_truth: str,
    folds: int,
    markdown: Path | None,
    quiet: bool,
    options: dict[str, Any],
) -> None:
    from veracity.data.output.atomic import write_whole
    from veracity.scoreboard.label_comparison import compare_by_labels

    with counting_bar("reading", quiet) as progress:
        found = compare_by_labels(claims, known_truth, folds=folds, progress=progress, **options)
    if markdown is not None:
        write_whole(markdown, found.to_markdown())
    if not quiet:
        show_by_labels(Page(), found)
