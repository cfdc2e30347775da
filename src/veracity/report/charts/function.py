"""Charts of the reliability function, feature by feature."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.notes import plural
from veracity.report.chart import Chart, specification
from veracity.report.charts.grids import Codes, Grid
from veracity.report.charts.partial import Curves, Learned
from veracity.report.charts.records import one_line, records, short_labels
from veracity.report.charts.surface import surface
from veracity.report.subject import Subject

#: Features that have a chart of their own: those that move reliability most.
MAX_FEATURES = 10
#: A smaller difference of rates is none to speak of.
FLAT = 0.02
#: Claims from which on a curve, and a label on it, is put into words.
ENOUGH_CLAIMS, ENOUGH_OF_LABEL = 100, 20
#: The band that holds most of the curves of single claims.
BAND = (0.1, 0.9)


def function(subject: Subject) -> list[Chart]:
    """Show the learned function: how much each feature moves it, its curves, the strongest pair."""
    learned = Learned.of(subject.model, subject.claims)
    if learned is None:
        return []
    found = sorted(
        ((grid, learned.curves(grid)) for grid in learned.grids.values()),
        key=lambda pair: -pair[1].span,
    )
    charts = [
        rates_over(f"reliability-{place}", grid, curves, learned.counts(grid))
        for place, (grid, curves) in enumerate(found[:MAX_FEATURES], start=1)
    ]
    if len(found) > 1:
        charts.insert(0, strengths(found))
    if len(found) > 1 and found[0][1].span >= FLAT:
        charts.append(surface("reliability-pair", learned, found[0][0], found[1][0]))
    return charts


def strengths(found: list[tuple[Grid, Curves]]) -> Chart:
    """Show how much each feature moves reliability, the strongest first."""
    first, last = (one_line(found[place][0].name, 40) for place in (0, -1))
    most, least = found[0][1].span, found[-1][1].span
    return Chart(
        "reliability-strength",
        f"“{first}” moves reliability most: by {most:.2f}"
        if most >= FLAT
        else f"No feature moves reliability by more than {most:.3f}",
        "How far the chance to be right, where true and false are as likely, moves between the "
        "worst and the best value of a feature, all other features as they are.",
        f"Ranges over which {plural(len(found), 'feature')} move reliability, from {first} (by "
        f"{most:.2f}) to {last} (by {least:.2f}).",
        records(
            feature=short_labels(grid.name for grid, _ in found),
            moves_by=[curves.span for _, curves in found],
            lowest=[float(curves.right.min()) for _, curves in found],
            highest=[float(curves.right.max()) for _, curves in found],
        ),
        specification("strengths"),
    )


def rates_over(name: str, grid: Grid, curves: Curves, counts: Codes) -> Chart:
    """Show tpr and fpr over one feature, with the claims below."""
    if grid.is_number:
        finding = _over_numbers(grid, curves, int(counts.sum()))
    else:
        finding = _over_labels(grid, curves, counts)
    return Chart(
        name,
        finding,
        "Blue: how likely a true statement is claimed (tpr); orange: a false one (fpr); the wider "
        "apart, the more a claim tells. Faint: eight of ten claims. Grey: where the claims are.",
        f"tpr and fpr over {one_line(grid.name, 40)}, on average over claims, with a histogram of "
        f"the claims below. {finding}.",
        [*_rates_at(grid, curves), *_strip(grid, counts)],
        specification("function-number", title=grid.title, scale=grid.scale, format=grid.format)
        if grid.is_number
        else specification("function-label", title=grid.title),
    )


def _rates_at(grid: Grid, curves: Curves) -> list[dict[str, Any]]:
    columns: dict[str, Any] = {"x": list(grid.shown)}
    for rate, values in (("tpr", curves.tpr), ("fpr", curves.fpr)):
        low, high = np.quantile(values, BAND, axis=1)
        columns |= {rate: values.mean(axis=1), f"{rate}_low": low, f"{rate}_high": high}
    return [{"part": "rates", **row} for row in records(**columns)]


def _strip(grid: Grid, counts: Codes) -> list[dict[str, Any]]:
    """Return how the claims are spread, as bars below the curves."""
    there = np.flatnonzero(counts)
    if grid.borders is None:
        place: dict[str, Any] = {"x": [grid.shown[cell] for cell in there.tolist()]}
    else:
        place = {"from": grid.borders[there], "to": grid.borders[there + 1]}
    count = counts[there]
    of_all, of_most = count / max(count.sum(), 1), count / count.max(initial=1)
    return [
        {"part": "claims", **row}
        for row in records(**place, claims=count, share=of_all, height=of_most)
    ]


def _over_numbers(grid: Grid, curves: Curves, n_claims: int) -> str:
    """Say how the chance to be right moves from small to large numbers."""
    name, right = one_line(grid.name, 40), curves.right
    if n_claims < ENOUGH_CLAIMS:
        return f"Reliability over “{name}”, by {plural(n_claims, 'claim')}"
    change = right[-1] - right[0]
    if curves.span < FLAT:
        return _flat(name, curves)
    if abs(change) < curves.span / 2:
        best = int(right.argmax())
        return f"Most reliable ({right[best]:.2f}) where “{name}” is near {grid.shown[best]:,.3g}"
    word = "more" if change > 0 else "less"
    return (
        f"The larger “{name}”, the {word} reliable: chance to be right from {right[0]:.2f} to "
        f"{right[-1]:.2f}"
    )


def _over_labels(grid: Grid, curves: Curves, counts: Codes) -> str:
    """Say which labels are right most and least often, of those with enough claims."""
    name, right = one_line(grid.name, 40), curves.right
    if curves.span < FLAT:
        return _flat(name, curves)
    common = np.flatnonzero(counts >= ENOUGH_OF_LABEL)
    if len(common) < 2:
        return f"Reliability by “{name}”, by {plural(int(counts.sum()), 'claim')}"
    best, worst = (int(common[place]) for place in (right[common].argmax(), right[common].argmin()))
    return (
        f"By “{name}”: {grid.shown[best]} is the most reliable ({right[best]:.2f}), "
        f"{grid.shown[worst]} the least ({right[worst]:.2f})"
    )


def _flat(name: str, curves: Curves) -> str:
    return f"“{name}” hardly matters: the chance to be right stays near {curves.right.mean():.2f}"
