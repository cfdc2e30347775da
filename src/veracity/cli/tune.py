"""``veracity tune``: settings of the default model side by side, measured by labels if any."""

from __future__ import annotations

import textwrap
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.by_labels import FOLDS, Folds, KnownTruth, check_options, show_by_labels
from veracity.cli.console import Page, counting_bar, print_json
from veracity.cli.evaluation_options import names
from veracity.cli.options import AsJson, ClaimsPath, reads_claims
from veracity.cli.scoreboard import WIDTH, show_grid, show_remarks
from veracity.errors import ConvergenceWarning

if TYPE_CHECKING:
    from veracity.evaluation.hyperparameters import Tuning


@reads_claims
def tune(
    claims: ClaimsPath,
    reading: dict[str, Any],
    truth: Annotated[
        str | None,
        typer.Option(
            help="Truth of some items (entity, attribute, value), used only to measure accuracy.",
            metavar="TABLE",
        ),
    ] = None,
    known_truth: KnownTruth = None,
    folds: Folds = None,
    models: Annotated[
        str | None,
        typer.Option(
            help="Other models to measure, given true values; by default "
            "vote,one-coin,dawid-skene.",
            metavar="A,B,...",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed, for held-out claims, folds and ties.", min=0)
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Compare settings of the default model, by held-out claims or by labels."""
    from veracity.evaluation.hyperparameters import tune as run_tuning

    check_options(truth, known_truth, with_truth={}, with_labels={"--folds": folds})
    if known_truth is not None:
        options = {"models": names(models), "random_state": seed, **reading}
        _tune_by_labels(claims, known_truth, folds or FOLDS, as_json, options)
        return
    warnings.simplefilter("ignore", ConvergenceWarning)  # not about the settings that are compared
    with counting_bar("reading", as_json) as progress:
        found = run_tuning(
            claims,
            truth=truth,
            models=names(models),
            random_state=seed,
            progress=progress,
            **reading,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        show_tuning(Page(), found)


def _tune_by_labels(
    claims: str, known_truth: str, folds: int, as_json: bool, options: dict[str, Any]
) -> None:
    from veracity.evaluation.by_labels.tuning import tune_by_labels

    with counting_bar("reading", as_json) as progress:
        found = tune_by_labels(claims, known_truth, folds=folds, progress=progress, **options)
    if as_json:
        print_json(found.as_dict())
    else:
        show_by_labels(Page(), found)


def show_tuning(page: Page, found: Tuning) -> None:
    """Print the settings, and what follows."""
    show_grid(page, found.grid())
    page.line()
    for text in found.lines():
        for line in textwrap.wrap(text, WIDTH):
            page.line(line)
    show_remarks(page, found.notes)
