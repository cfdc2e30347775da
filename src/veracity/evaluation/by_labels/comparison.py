"""LabelComparison: models side by side on held-out labels, and which of them to use."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.notes import plural
from veracity.evaluation.by_labels.judge import FLOOR, LabelScores
from veracity.evaluation.text_grid import Grid

#: Fewer labels choose nothing: a mean of so few losses, most of them small, is not near normal.
MIN_LABELS = 20
#: How often a rival that is no better may be chosen, whichever of them it is.
LEVEL = 0.05
#: Says in the JSON file what it is.
JUDGE = "held-out labels"


@dataclass(frozen=True)
class Mean:
    """A mean over labels, and its standard error."""

    value: float
    standard_error: float

    @classmethod
    def of(cls, figures: Floats, cluster: Indices) -> Mean:
        """Return the mean of figures that may err together within a cluster.

        With g the sum of the deviations in each of m clusters, the standard error of the mean of n
        is sqrt(m / (m - 1) sum g²) / n.
        """
        value = float(figures.mean())
        sums = np.bincount(cluster, figures - value)
        sums = sums[np.bincount(cluster) > 0]
        m = len(sums)
        return cls(value, math.sqrt(m / (m - 1) * float(sums @ sums)) / len(figures))

    def __str__(self) -> str:
        return f"{self.value:.3f} ±{self.standard_error:.3f}"


@dataclass(frozen=True)
class LabelComparison:
    """Models judged by labels that they have not seen.

    Another model than the incumbent is chosen only if its log loss is lower by more than luck
    explains: on 20 labels or more, by a one-sided t test of the paired differences at 5 % divided
    by the number of rivals (Bonferroni). To the labels one more is added, on which the rival is
    wrong and as sure as it ever was: a model that is too sure of itself looks good until its first
    mistake, which few labels may not show.

    Attributes
    ----------
    scores
        Of each model that was judged, by its name.
    cluster
        The entity of each label: labels of one entity may err together; (n_labels,).
    incumbent
        The model that is kept unless another is clearly better.
    folds
        How many parts the labels were split into.
    left_out
        Why other models were not judged, by their names.
    """

    scores: dict[str, LabelScores]
    cluster: Indices
    incumbent: str
    folds: int
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def n_labels(self) -> int:
        """How many labelled items the models are judged by."""
        return len(self.cluster)

    @property
    def rivals(self) -> list[str]:
        """All judged models but the incumbent, the best first."""
        return [name for name in self._ranked if name != self.incumbent]

    @property
    def best(self) -> str:
        """The model with the lowest log loss, the incumbent if it is one of several."""
        return self._ranked[0]

    @property
    def chosen(self) -> str:
        """The model to use."""
        return next(filter(self.tells, self.rivals), self.incumbent)

    @property
    def _ranked(self) -> list[str]:
        names = sorted(self.scores, key=lambda name: name != self.incumbent)
        return sorted(names, key=lambda name: float(self.scores[name].log_loss.mean()))

    def gain(self, rival: str, over: str | None = None) -> Mean:
        """Return by how much the log loss of a model is lower than that of another."""
        reference = self.scores[over or self.incumbent].log_loss
        return Mean.of(reference - self.scores[rival].log_loss, self.cluster)

    @property
    def needed(self) -> float:
        """How many standard errors better than the incumbent a rival has to be."""
        from scipy.stats import t as student

        level = LEVEL / max(len(self.scores) - 1, 1)
        return float(student.ppf(1 - level, len(np.unique(self.cluster)) - 1))

    def tells(self, rival: str) -> bool:
        """Whether the labels show that a rival is better, even if one more went against it."""
        if self.n_labels < MIN_LABELS:
            return False
        before = self.scores[self.incumbent].log_loss
        against = before.mean() - self.scores[rival].if_wrong.max()
        gains = np.append(before - self.scores[rival].log_loss, against)
        found = Mean.of(gains, np.append(self.cluster, self.cluster.max() + 1))
        return found.value > self.needed * found.standard_error

    # In words and tables

    def reason(self) -> str:
        """Say in one sentence which model is chosen, and why."""
        on = f"on {plural(self.n_labels, 'label')}"
        if not self.rivals:
            return f"Kept {self.incumbent}: there is no other model to choose from."
        if self.chosen != self.incumbent:
            return (
                f"Chose {self.chosen}: its log loss is lower than that of {self.incumbent} by "
                f"{self.gain(self.chosen)} {on}, which is more than luck explains."
            )
        rival = self.rivals[0]
        gain = self.gain(rival)
        if self.best == self.incumbent:
            return (
                f"Kept {self.incumbent}: no other model has a lower log loss {on}; the nearest, "
                f"{rival}, is worse by {Mean(-gain.value, gain.standard_error)}."
            )
        begun = f"Kept {self.incumbent}: the best rival, {rival}, is better by {gain} {on}, "
        if self.n_labels < MIN_LABELS:
            return f"{begun}but fewer than {MIN_LABELS} labels are too few to choose by."
        if gain.value > self.needed * gain.standard_error:
            return f"{begun}but a single label on which it is surely wrong could undo that."
        return f"{begun}which does not tell."

    def grid(self) -> Grid:
        """Return the table for a person, the best model first."""
        header = ["model", "log loss", "accuracy", "behind the best", "chosen"]
        rows = []
        for row in self.rows:
            behind = Mean(row["difference"], row["difference_se"])
            rows.append(
                [
                    row["model"],
                    str(Mean(row["log_loss"], row["log_loss_se"])),
                    str(Mean(row["accuracy"], row["accuracy_se"])),
                    "" if row["model"] == self.best else str(behind),
                    "yes" if row["chosen"] else "",
                ]
            )
        text = (
            f"{plural(self.n_labels, 'label')} in {self.folds} folds, each judged by a fit that "
            "has not seen it; ± standard errors. Log loss is -log of the plausibility of the true "
            f"value, of {FLOOR} if it is less."
        )
        return Grid("By labels", header, rows, text)

    @property
    def notes(self) -> list[str]:
        """Say which models were left out."""
        return [f"{name} is left out: {reason}." for name, reason in self.left_out.items()]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The figures of each model, the best first.

        ``difference`` is the log loss less that of the best, ``gain`` that of the incumbent less
        this one.
        """
        return [self._row(name) for name in self._ranked]

    def _row(self, name: str) -> dict[str, Any]:
        scores = self.scores[name]
        figures = {
            "log_loss": Mean.of(scores.log_loss, self.cluster),
            "accuracy": Mean.of(scores.right, self.cluster),
            "difference": self.gain(self.best, over=name),
            "gain": self.gain(name),
        }
        row: dict[str, Any] = {"model": name}
        for figure, mean in figures.items():
            row |= {figure: mean.value, f"{figure}_se": mean.standard_error}
        return row | {"chosen": name == self.chosen}

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "judged_by": JUDGE,
            "n_labels": self.n_labels,
            "folds": self.folds,
            "floor": FLOOR,
            "incumbent": self.incumbent,
            "chosen": self.chosen,
            "reason": self.reason(),
            "standard_errors_needed": self.needed,
            "models": self.rows,
            "left_out": [
                {"model": name, "reason": reason} for name, reason in self.left_out.items()
            ],
        }

    def to_json(self) -> str:
        """Return it as JSON."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """Return the table as Markdown, with the sentences that belong to it."""
        parts = ["# Comparison", self.grid().markdown(), self.reason()]
        parts += ["\n".join(f"- {note}" for note in self.notes)] if self.notes else []
        return "\n\n".join(parts) + "\n"
