"""Summary of a scoreboard: means, ranks, wins, and the worst loss to the vote."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from veracity.evaluation.significance import critical_difference
from veracity.scoreboard.cells import Cell

VOTE = "vote"
#: Accuracies this close are equal: means over seeds differ by rounding alone.
SAME = 1e-12


@dataclass(frozen=True)
class ModelSummary:
    """A model over all data sets; means are over those that it finished.

    Attributes
    ----------
    n_sets
        Data sets that it finished.
    accuracy, f1, log_loss, brier, ece, seconds, peak_mb
        Means over data sets, of means over seeds.
    rank
        Mean rank by accuracy, or by error where the truth is numbers, 1 the best. Equals share
        their ranks, and a model comes last, with others like it, where it did not finish. None for
        a model that finished nothing.
    wins
        Data sets on which no other model is better.
    worst, worst_set
        The least of the differences to the accuracy of the vote, and where that was.
    """

    model: str
    n_sets: int
    accuracy: float | None
    rank: float | None
    wins: int
    worst: float | None
    worst_set: str | None
    f1: float | None
    log_loss: float | None
    brier: float | None
    ece: float | None
    seconds: float | None
    peak_mb: float | None


@dataclass(frozen=True)
class SetSummary:
    """A data set: its size, the vote, the best model, and what could be reached at most.

    Where its truth is `numeric`, `vote` and `best` are mean absolute errors, else accuracies.
    """

    dataset: str
    n_claims: int | None
    n_items: int | None
    vote: float | None
    best: float | None
    best_models: tuple[str, ...]
    ceiling: float | None
    oracle: float | None
    numeric: bool = False


@dataclass(frozen=True)
class Summary:
    """All models, the best mean rank first, all data sets, and Nemenyi's critical difference."""

    models: tuple[ModelSummary, ...]
    sets: tuple[SetSummary, ...]
    critical_difference: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        return asdict(self)


class Figures:
    """Cells by data set and model, with the mean of each figure over the seeds."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.sets = list(dict.fromkeys(cell.dataset for cell in cells))
        self.models = list(dict.fromkeys(cell.model for cell in cells))
        self._cells: dict[tuple[str, str], list[Cell]] = {}
        for cell in cells:
            self._cells.setdefault((cell.dataset, cell.model), []).append(cell)

    def cells(self, dataset: str, model: str) -> list[Cell]:
        """Return the cells of all seeds."""
        return self._cells.get((dataset, model), [])

    def values(self, dataset: str, model: str, figure: str) -> list[float]:
        """Return a figure for each seed that has it."""
        values = (getattr(cell, figure) for cell in self.cells(dataset, model))
        return [value for value in values if value is not None]

    def mean(self, dataset: str, model: str, figure: str) -> float | None:
        """Return the mean of a figure over the seeds, None if there is none."""
        return mean(self.values(dataset, model, figure))

    def spread(self, dataset: str, model: str, figure: str) -> float:
        """Return the standard deviation of a figure over the seeds."""
        values = self.values(dataset, model, figure)
        return statistics.stdev(values) if len(values) > 1 else 0.0

    def is_numeric(self, dataset: str) -> bool:
        """Whether the truth of a data set is numbers, of which errors are compared."""
        return any(self.values(dataset, model, "absolute_error") for model in self.models)

    def score(self, dataset: str, model: str) -> float | None:
        """Return what models are ranked by, more is better: accuracy, or an error with a minus."""
        if not self.is_numeric(dataset):
            return self.mean(dataset, model, "accuracy")
        error = self.mean(dataset, model, "absolute_error")
        return None if error is None else -error

    def over_sets(self, model: str, figure: str) -> float | None:
        """Return the mean of a figure over the data sets that have it."""
        means = (self.mean(dataset, model, figure) for dataset in self.sets)
        return mean([value for value in means if value is not None])

    def one(self, dataset: str, figure: str) -> Any:
        """Return a figure that all cells of a data set share."""
        cells = [cell for model in self.models for cell in self.cells(dataset, model)]
        found = (getattr(cell, figure) for cell in cells)
        return next((value for value in found if value is not None), None)


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return statistics.fmean(values) if values else None


def summarise(cells: Sequence[Cell]) -> Summary:
    """Sum up cells, over seeds and over data sets."""
    figures = Figures(cells)
    ranked = [
        model
        for model in figures.models
        if any(figures.score(dataset, model) is not None for dataset in figures.sets)
    ]
    sets = [
        dataset
        for dataset in figures.sets
        if any(figures.score(dataset, model) is not None for model in ranked)
    ]
    ranks = {dataset: _ranks(figures, dataset, ranked) for dataset in sets}
    models = [_model(figures, model, ranks) for model in figures.models]
    models.sort(key=lambda found: (found.rank is None, found.rank or 0.0, found.model))
    enough = len(ranked) > 1 and sets
    return Summary(
        tuple(models),
        tuple(_set(figures, dataset) for dataset in figures.sets),
        critical_difference(len(ranked), len(sets)) if enough else None,
    )


def _ranks(figures: Figures, dataset: str, models: Sequence[str]) -> dict[str, float]:
    """Return the rank of each model on a data set: 1 for the best, the mean rank for equals."""
    found = {model: figures.score(dataset, model) for model in models}
    # Those that did not finish come last, as equals.
    finished = [value for value in found.values() if value is not None]
    last = min(finished, default=0.0) - 1.0
    scores = {model: last if value is None else value for model, value in found.items()}
    return {
        model: 1
        + sum(other > score + SAME for other in scores.values())
        + (sum(abs(other - score) <= SAME for other in scores.values()) - 1) / 2
        for model, score in scores.items()
    }


def _model(figures: Figures, model: str, ranks: dict[str, dict[str, float]]) -> ModelSummary:
    finished = [dataset for dataset in ranks if figures.score(dataset, model) is not None]
    losses = {
        dataset: ours - votes
        for dataset in finished
        if (ours := figures.mean(dataset, model, "accuracy")) is not None
        and (votes := figures.mean(dataset, VOTE, "accuracy")) is not None
    }
    worst = min(losses, key=lambda dataset: losses[dataset]) if losses else None
    return ModelSummary(
        model=model,
        n_sets=len(finished),
        rank=mean([of_set[model] for of_set in ranks.values()]) if finished else None,
        wins=sum(model in _best(figures, dataset)[1] for dataset in finished),
        worst=None if worst is None else losses[worst],
        worst_set=worst,
        **{
            figure: figures.over_sets(model, figure)
            for figure in ("accuracy", "f1", "log_loss", "brier", "ece", "seconds", "peak_mb")
        },
    )


def _best(figures: Figures, dataset: str) -> tuple[float | None, tuple[str, ...]]:
    """Return the best score on a data set, and the models that have it."""
    found = {model: figures.score(dataset, model) for model in figures.models}
    best = max((value for value in found.values() if value is not None), default=None)
    if best is None:
        return None, ()
    winners = (m for m, value in found.items() if value is not None and value >= best - SAME)
    return best, tuple(winners)


def _set(figures: Figures, dataset: str) -> SetSummary:
    best, winners = _best(figures, dataset)
    numeric = figures.is_numeric(dataset)
    return SetSummary(
        dataset=dataset,
        vote=figures.mean(dataset, VOTE, "absolute_error" if numeric else "accuracy"),
        best=-best if numeric and best is not None else best,
        best_models=winners,
        numeric=numeric,
        **{
            name: figures.one(dataset, name)
            for name in ("n_claims", "n_items", "ceiling", "oracle")
        },
    )
