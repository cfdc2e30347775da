"""Models judged by held-out labels: the options for it, and the table that it prints."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.console import Page
from veracity.cli.scoreboard import WIDTH, show_grid, show_remarks
from veracity.errors import InvalidParameter, listing

if TYPE_CHECKING:
    from veracity.evaluation.by_labels import LabelComparison

#: In so many parts labels are split unless told otherwise.
FOLDS = 5

KnownTruth = Annotated[
    str | None,
    typer.Option(
        help="True values of some items; judge each model by those that it was not given.",
        metavar="TABLE",
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        help="Number of parts of --known-truth, each held out once; 5 by default.",
        min=2,
        metavar="K",
    ),
]


def check_options(
    truth: str | None,
    known_truth: str | None,
    with_truth: Mapping[str, object],
    with_labels: Mapping[str, object],
) -> None:
    """Refuse both kinds of truth at a time, and options that go with the other kind."""
    if truth is not None and known_truth is not None:
        raise InvalidParameter(
            "Give either --truth or --known-truth, not both. No model sees the first; the second "
            "is given to the models, but for the part that judges them."
        )
    given = with_labels if known_truth is None else with_truth
    stray = listing(option for option, value in given.items() if value)
    if stray and known_truth is None:
        raise InvalidParameter(f"{stray} needs --known-truth. Give that too, or leave it out.")
    if stray:
        raise InvalidParameter(f"--known-truth does not go with {stray}. Leave one of them out.")


def show_by_labels(page: Page, found: LabelComparison) -> None:
    """Print the models, which of them is chosen, and why."""
    show_grid(page, found.grid())
    page.line()
    for line in textwrap.wrap(found.reason(), WIDTH):
        page.line(line)
    show_remarks(page, found.notes)
