"""Chart of the fit: its objective by iteration, and whether it converged."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.notes import plural
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import number, records, spread_over
from veracity.report.subject import Subject

MAX_POINTS = 300
#: What models record, the most telling first, and what an axis calls it.
MEASURES = {
    "objective": "objective (log-likelihood less penalties)",
    "log_likelihood": "log-likelihood",
    "loss": "loss",
    "change": "change from the iteration before (log scale)",
    "changed": "statements that changed their truth",
}


def training(subject: Subject) -> Chart | None:
    """Show the measure of the fit by iteration."""
    history = subject.model.history_
    name = next((name for name in MEASURES if history and name in history[-1]), None)
    if name is None:
        return None
    measure = np.array([record.get(name, np.nan) for record in history], np.float64)
    logarithmic = name == "change"
    there = np.flatnonzero(np.isfinite(measure) & ((measure > 0) | (not logarithmic)))
    if not len(there):
        return None
    shown = there[spread_over(len(there), MAX_POINTS)]
    cut = f" {len(shown)} of {len(there):,} iterations are drawn." * (len(shown) < len(there))
    columns: dict[str, list[Any]] = {
        "iteration": [_iteration(history[place], place) for place in shown]
    }
    for key in dict.fromkeys(key for record in history for key in record if key != "iteration"):
        columns[key] = [number(float(history[place].get(key, np.nan))) for place in shown]
    return Chart(
        "training",
        _finding(subject, len(history)),
        f"{_reading(name)}{cut}",
        f"Line of the {MEASURES[name]} over {plural(len(history), 'iteration')}, "
        f"{_from_to(measure[there])}.{cut}",
        [row | {"measure": row[name]} for row in records(**columns)],
        specification(
            "training",
            title=MEASURES[name],
            scale={"type": "log"} if logarithmic else {"zero": False},
            format=".1~e" if logarithmic else ",~f",
            tooltip=[
                {"field": key, "title": key.replace("_", " "), "format": ",.6~g"} for key in columns
            ],
        ),
    )


def _iteration(record: dict[str, float], place: int) -> int:
    return int(record.get("iteration", place + 1))


def _finding(subject: Subject, n_iter: int) -> str:
    """Say whether the fit converged."""
    count = plural(n_iter, "iteration")
    converged = getattr(subject.model, "converged_", None)
    if converged is None:
        return f"The fit took {count}"
    return f"The fit converged after {count}" if converged else f"The fit stopped after {count}"


def _reading(name: str) -> str:
    if name in ("objective", "log_likelihood"):
        return "What the fit maximises: it rises steeply at first and is flat at the end."
    if name == "changed":
        return "Statements whose truth a sweep of the sampler drew anew: it should level off."
    return "What the fit drives down: a fit that has converged ends low."


def _from_to(measure: Floats) -> str:
    return f"from {measure[0]:,.5g} to {measure[-1]:,.5g}"
