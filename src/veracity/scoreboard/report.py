"""The tables of a scoreboard, as text."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.evaluation.significance import LEVEL
from veracity.evaluation.text_grid import Grid
from veracity.models import DEFAULT_ALIAS, DEFAULT_MODEL
from veracity.scoreboard.cells import Cell
from veracity.scoreboard.published import DIFFERENCES, PAPER
from veracity.scoreboard.summary import Figures, Summary, summarise

#: Title, explanation and decimals of each figure that has a table of its own.
TABLES = {
    "accuracy": (
        "Accuracy",
        "Share of the truth items with a claim whose believed value is a true one; mean ± standard "
        "deviation over seeds, where there is any.",
        3,
    ),
    "absolute_error": (
        "Mean absolute error",
        "Of believed numbers, for data sets whose truth is numbers.",
        4,
    ),
    "against_best_source": (
        "Error against the best source in hindsight",
        "Of believed numbers, as a multiple of the error of the source that comes off best; below "
        "1, no source is closer to the truth.",
        3,
    ),
    "coverage": (
        "Coverage",
        "Share of the intervals of believed numbers that hold the truth. Without labels they are "
        "the spread of the sources, which knows nothing of an error that all of them share.",
        3,
    ),
    "f1": ("F1", "Of the believed values of items with several true values.", 3),
    "precision": ("Precision", "Of the believed values of items with several true values.", 3),
    "recall": ("Recall", "Of the believed values of items with several true values.", 3),
    "log_loss": ("Log loss", "Of the plausibility of the believed value, in nats.", 3),
    "brier": ("Brier score", "Of the plausibility of the believed value.", 3),
    "ece": (
        "Expected calibration error",
        "Of the plausibility of the believed value, over 15 bins of equal width.",
        3,
    ),
    "seconds": (
        "CPU seconds",
        "Of the fit, summed over threads; neither reading nor compiling is counted.",
        2,
    ),
    "peak_mb": (
        "Peak memory in MB",
        "Of the whole process that fits, Python and its libraries included.",
        0,
    ),
}
SPREAD_SHOWN = 0.0005
#: Shown for a figure that a model does not have.
NONE = "\N{EN DASH}"
#: Figures of which a table has a column for every data set with values, finished or not.
ALWAYS_SHOWN = ("accuracy", "log_loss", "brier", "ece", "seconds", "peak_mb")


class Reasons:
    """Why cells have no figures, numbered as they are met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, cells: Sequence[Cell]) -> str:
        """Return the text shown instead of a figure."""
        failed = [cell for cell in cells if cell.error is not None]
        if not failed:
            return NONE if cells else "not run"  # it has no such figure
        cell = failed[0]
        if cell.outcome == "timeout":
            return f"> {cell.time_limit:g} s"
        number = self._numbers.setdefault(cell.error or "", len(self._numbers) + 1)
        return f"{'n/a' if cell.outcome == 'refused' else 'failed'} [{number}]"

    def lines(self) -> list[str]:
        """Return the reasons, one a line."""
        return [f"[{number}] {error}" for error, number in self._numbers.items()]


def figure_grid(figures: Figures, models: Sequence[str], figure: str, reasons: Reasons) -> Grid:
    """Return one figure of all models on all data sets."""
    title, text, decimals = TABLES[figure]
    sets = [
        dataset
        for dataset in figures.sets
        if any(figures.values(dataset, model, figure) for model in models)
        or (figure in ALWAYS_SHOWN and not figures.is_numeric(dataset))
    ]
    rows = [
        [model, *(_cell(figures, dataset, model, figure, decimals, reasons) for dataset in sets)]
        for model in models
    ]
    return Grid(title, ["model", *sets], rows, text)


def _cell(
    figures: Figures, dataset: str, model: str, figure: str, decimals: int, reasons: Reasons
) -> str:
    found = figures.mean(dataset, model, figure)
    if found is None:
        return reasons.mark(figures.cells(dataset, model))
    is_amount = figure == "absolute_error"
    shown = f"{found:,.{decimals}g}" if is_amount else f"{found:,.{decimals}f}"
    spread = figures.spread(dataset, model, figure)
    if figure not in ("seconds", "peak_mb") and spread >= SPREAD_SHOWN:
        shown += f" ±{spread:.{decimals}f}"
    n_finished, n_seeds = (
        len(figures.values(dataset, model, figure)),
        len(figures.cells(dataset, model)),
    )
    return shown if n_finished == n_seeds else f"{shown} ({n_finished} of {n_seeds} seeds)"


def summary_grid(summary: Summary) -> Grid:
    """Return all models over all data sets, the best mean rank first."""
    text = (
        "Means over the data sets that a model finished. Rank is by accuracy, or by error where "
        "the truth is numbers, 1 the best; a model comes last where it did not finish. Wins: data "
        "sets on which no other model is better. Worst: the least difference to the accuracy of "
        "the vote."
    )
    if summary.critical_difference is not None and len(summary.sets) > 1:
        text += (
            f" Mean ranks less than {summary.critical_difference:.2f} apart may differ by luck "
            f"alone (Nemenyi, {LEVEL:.0%})."
        )
    several = any(model.f1 is not None for model in summary.models)
    header = ["model", "sets", "accuracy", "rank", "wins", "worst vs vote", *["F1"] * several]
    header += ["log loss", "Brier", "ECE", "CPU s", "MB"]
    rows = []
    for found in summary.models:
        worst = "" if found.worst is None else f"{found.worst:+.3f} {found.worst_set}"
        rows.append(
            [
                *(found.model, str(found.n_sets), _number(found.accuracy), _number(found.rank, 2)),
                *(str(found.wins), worst, *[_number(found.f1)] * several),
                *(_number(found.log_loss), _number(found.brier), _number(found.ece)),
                *(_number(found.seconds, 2), _number(found.peak_mb, 0)),
            ]
        )
    return Grid("Summary", header, rows, text)


def sets_grid(summary: Summary) -> Grid:
    """Return what could be reached on each data set, and what was."""
    text = (
        "Ceiling: share of the truth items with a claim whose true value is claimed at all. "
        "Oracle: of drawn data, the accuracy of whoever knew all rates; counted over all items."
    )
    rows = []
    for found in summary.sets:
        best = ", ".join(found.best_models[:2])
        if len(found.best_models) > 2:
            best += f" +{len(found.best_models) - 2}"
        shown = _error if found.numeric else _number
        ceiling = "" if found.numeric else _number(found.ceiling)
        rows.append(
            [
                *(found.dataset, _count(found.n_claims), _count(found.n_items)),
                *(shown(found.vote), shown(found.best), best),
                *(ceiling, _number(found.oracle)),
            ]
        )
    header = ["data set", "claims", "truth items", "vote", "best", "by", "ceiling", "oracle"]
    return Grid("Data sets", header, rows, text)


def paper_grid(figures: Figures) -> Grid | None:
    """Return the paper's figures beside ours, where there are data sets of these names."""
    sets = [dataset for dataset in PAPER if dataset in figures.sets]
    if not sets:
        return None
    rows, ran = [], figures.models
    for model in next(iter(PAPER.values())):
        row = [model]
        for dataset in sets:
            name = DEFAULT_ALIAS if model == DEFAULT_MODEL and model not in ran else model
            ours = figures.mean(dataset, name, "accuracy")
            row += [_number(PAPER[dataset][model], 4), _number(ours, 4) or "not run"]
        rows.append(row)
    text = (
        "Accuracy in Table 1 (b) of Broelemann and Kasneci (2018) beside ours. The data differ: "
        + " ".join(DIFFERENCES[dataset] for dataset in sets)
    )
    header = ["model", *(f"{dataset}, {who}" for dataset in sets for who in ("paper", "ours"))]
    return Grid("Beside the paper", header, rows, text)


def grids(cells: Sequence[Cell], reasons: Reasons) -> list[Grid]:
    """Return every table there is, the summary first."""
    figures, summary = Figures(cells), summarise(cells)
    models = [found.model for found in summary.models]
    tables = [summary_grid(summary), sets_grid(summary)]
    tables += [figure_grid(figures, models, figure, reasons) for figure in TABLES]
    paper = paper_grid(figures)
    return [grid for grid in [*tables, paper] if grid is not None and len(grid.header) > 1]


def _number(value: float | None, decimals: int = 3) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"


def _error(value: float | None) -> str:
    return "" if value is None else f"error {value:,.4g}"


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
