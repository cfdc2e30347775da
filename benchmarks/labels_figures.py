"""The figures of the benchmark of labels: one table, in a file that is committed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from statistics import fmean
from typing import Any

#: The methods, as tables call them.
LABELLED, UNLABELLED, VOTE, PEER = (
    "default with labels",
    "default without",
    "label-weighted vote",
    "crowd-kit's DawidSkene",
)
#: How labels were chosen: at random, the least plausible verdicts, or those with the least margin.
AUDIT, REPAIR, UNCERTAIN = "audit", "repair", "uncertainty"


@dataclass(frozen=True)
class Figures:
    """What a method made of so many labels of a set: means over draws.

    Attributes
    ----------
    case, choice, n_labels, method, n_items, n_draws
        The set, how labels were chosen, how many, the method, the judged items, and the draws.
    accuracy, log_loss
        Of verdicts on the rest: items without a label.
    accepted, wrong
        The shares of the rest that are accepted at 5 % expected error, and accepted and wrong.
    accuracy_of_all
        Of all items, the labelled ones being right.
    taught, taught_log_loss
        Accuracy and log loss on all items, each judged by the labels of other parts.
    under_better, under_default
        The shares of draws with an accuracy of more than 2 points under the better of the default
        without labels and the label-weighted vote, and under the default without labels.
    guaranteed, exceeded, hindsight
        With the labels as an audit: the share of the items that is listed at 5 % and 95 %, the
        share of draws whose list had more errors than that, and the longest list that has not.
    left_out
        Why the method was left out; there are no figures then.
    """

    case: str
    choice: str
    n_labels: int
    method: str
    n_items: int
    n_draws: int
    accuracy: float | None = None
    log_loss: float | None = None
    accepted: float | None = None
    wrong: float | None = None
    accuracy_of_all: float | None = None
    taught: float | None = None
    taught_log_loss: float | None = None
    under_better: float | None = None
    under_default: float | None = None
    guaranteed: float | None = None
    exceeded: float | None = None
    hindsight: float | None = None
    left_out: str = ""

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What the figures are of."""
        return self.case, self.choice, self.n_labels, self.method


#: Those that say what the figures are of, and how many; the others are means.
NAMES = ("case", "choice", "n_labels", "method", "n_items", "n_draws", "left_out")
MEANS = tuple(field.name for field in fields(Figures) if field.name not in NAMES)


def over_draws(draws: Sequence[Figures]) -> Figures:
    """Return the means over draws, each of which has figures of its own."""
    first = draws[0]
    known = [name for name in MEANS if getattr(first, name) is not None]
    means: dict[str, Any] = {name: fmean(getattr(one, name) for one in draws) for name in known}
    return replace(first, n_draws=len(draws), **means)


def read(path: Path) -> list[Figures]:
    """Read what `write` wrote; nothing if there is no such file."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [_parsed(row) for row in csv.DictReader(file)]


def write(found: Iterable[Figures], path: Path) -> None:
    """Write all figures, sorted, so that a change shows where it is."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Figures)])
        for figures in sorted(found, key=lambda one: one.key):
            writer.writerow([_shown(cell) for cell in asdict(figures).values()])


def _shown(cell: str | float | None) -> str:
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def _parsed(row: dict[str, str]) -> Figures:
    means: dict[str, Any] = {name: float(row[name]) for name in MEANS if row[name]}
    n_labels, n_items, n_draws = (int(row[name]) for name in ("n_labels", "n_items", "n_draws"))
    key = row["case"], row["choice"], n_labels, row["method"]
    return Figures(*key, n_items, n_draws, **means, left_out=row["left_out"])
