"""``veracity scoreboard``: every model on every data set with known truth, side by side."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from veracity.cli.options import Quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veracity.evaluation.text_grid import Grid
    from veracity.scoreboard.scoreboard import Scoreboard

WIDTH = 100
#: The tables a person sees; the others are in the Markdown file.
SHOWN = ("Accuracy", "F1", "Beside the paper", "Data sets", "Summary")


def scoreboard(
    data: Annotated[
        Path,
        typer.Option(
            help="Folder with a folder for each data set, or a data set itself.",
            metavar="FOLDER",
            show_default=False,
        ),
    ],
    models: Models = "all",
    sets: Annotated[
        str | None,
        typer.Option(
            help="Names of data sets; by default, all with known truth.", metavar="A,B,..."
        ),
    ] = None,
    seeds: Seeds = 5,
    peers: Peers = False,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
    json: Annotated[
        Path | None,
        typer.Option(help="Write the rows to a file, after those it already has.", metavar="FILE"),
    ] = None,
    markdown: Markdown = None,
    picture: Picture = None,
    quiet: Quiet = False,
) -> None:
    """Measure models on data sets with known truth, and sum up who does best."""
    from veracity.data.output.atomic import write_whole
    from veracity.scoreboard.scoreboard import run_scoreboard

    check_outputs(markdown, picture)
    with counting_bar("reading", quiet) as progress:
        board = run_scoreboard(
            data,
            models=names(models),
            sets=names(sets),
            seeds=seeds,
            peers=peers,
            jobs=jobs,
            time_limit=time_limit,
            json=json,
            progress=progress,
        )
    if markdown is not None:
        write_whole(markdown, board.to_markdown())
    if picture is not None:
        write_whole(picture, board.to_svg())
    if not quiet:
        show_board(Page(), board)


def show_board(page: Page, board: Scoreboard) -> None:
    """Print accuracies, and what they come to."""
    from veracity.scoreboard.report import Reasons, grids

    reasons = Reasons()
    tables = {grid.title: grid for grid in grids(board.cells, reasons)}
    for title in SHOWN:
        if title in tables:
            show_grid(page, tables[title])
    show_remarks(page, [*reasons.lines(), *board.notes])


def show_grid(page: Page, grid: Grid) -> None:
    """Print a table under its title, and what it means."""
    page.heading(grid.title)
    for line in grid.lines(WIDTH):
        page.line(line)
    for line in textwrap.wrap(grid.text, WIDTH):
        page.line(line, style="dim")


def show_remarks(page: Page, remarks: Sequence[str]) -> None:
    """Print why figures are missing, and what was left out."""
    if remarks:
        page.heading("Notes")
    for remark in remarks:
        for line in textwrap.wrap(remark, WIDTH, subsequent_indent="    "):
            page.line(line)
