"""Sources: how reliable each is and how sure that is, by rates and by size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.notes import plural
from veracity.data.output.tables import Table
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import (
    number,
    one_line,
    records,
    short_labels,
    size_ticks,
    spread_over,
)
from veracity.report.charts.sizes import Counts
from veracity.report.subject import Subject

#: Sources on the forest plot, and points on a scatter plot.
LARGEST, MAX_POINTS = 40, 600
#: From so many sources on, they are counted in cells instead of drawn one by one.
MANY = 2_000
CELLS = 24


@dataclass(frozen=True, eq=False)
class Rated:
    """The table of sources as arrays; NaN where a model says nothing."""

    table: Table
    n_claims: Counts
    reliability: Floats

    @classmethod
    def of(cls, table: Table) -> Self:
        """Take the columns out of the table."""
        return cls(table, to_numpy(table["n_claims"]), to_numpy(table["reliability"]))

    def column(self, name: str) -> Floats:
        """Return a column of numbers, all NaN where there is none."""
        if name not in self.table.column_names or self.table[name].null_count == len(self.table):
            return np.full(len(self.table), np.nan)
        return to_numpy(self.table[name])

    def labels(self, places: Counts) -> list[str]:
        """Return the names of some sources."""
        return list(self.table["source"].take(to_arrow(places)).to_pylist())

    @property
    def known(self) -> Counts:
        """The sources whose reliability is known."""
        return np.flatnonzero(np.isfinite(self.reliability))

    @property
    def mean(self) -> float:
        """The mean reliability over claims."""
        known = self.known
        return float(np.average(self.reliability[known], weights=self.n_claims[known]))


def reliability(subject: Subject) -> Chart | None:
    """Show the reliability of the largest sources with 90 % intervals, the best first."""
    rated = Rated.of(subject.sources)
    known = rated.known
    if not len(known):
        return None
    largest = known[np.argsort(-rated.n_claims[known], kind="stable")][:LARGEST]
    shown = largest[np.argsort(-rated.reliability[largest], kind="stable")]
    names = rated.labels(shown)
    low, high = rated.column("reliability_low")[shown], rated.column("reliability_high")[shown]
    cut = (
        f" The {len(shown)} largest of {len(rated.table):,} sources are shown."
        if len(rated.table) > len(shown)
        else ""
    )
    bars = "the line its 90 % interval" if np.isfinite(low).any() else "no interval is known"
    rates = rated.reliability[shown]
    return Chart(
        "sources",
        _span(names, rates),
        f"The dot is the reliability of a source (larger for more claims), {bars}; the dashed line "
        f"is the mean over all claims.{cut}",
        f"Forest plot of the reliability of {plural(len(shown), 'source')}, from "
        f"{rates.max():.2f} down to {rates.min():.2f}; the mean over all claims is "
        f"{rated.mean:.2f}.{cut}",
        records(
            label=short_labels(names),
            source=[one_line(name) for name in names],
            claims=rated.n_claims[shown],
            reliability=rates,
            low=low,
            high=high,
            tpr=rated.column("tpr")[shown],
            fpr=rated.column("fpr")[shown],
            agreement=rated.column("agreement")[shown],
        ),
        specification("forest", mean=_mean(rated), ticks=size_ticks(rated.n_claims[shown])),
    )


def _span(names: list[str], rates: Floats) -> str:
    """Say how far reliabilities reach, best first."""
    best, worst = one_line(names[0], 40), one_line(names[-1], 40)
    if len(names) == 1:
        return f"{best} has reliability {rates[0]:.2f}"
    if rates[0] - rates[-1] < 0.005:
        return f"{len(names)} sources have about the same reliability, {rates[0]:.2f}"
    return f"{best} is the most reliable ({rates[0]:.2f}), {worst} the least ({rates[-1]:.2f})"


def rates(subject: Subject) -> Chart | None:
    """Show tpr against fpr: what sources do with true and with false statements."""
    rated = Rated.of(subject.sources)
    tpr, fpr = rated.column("tpr"), rated.column("fpr")
    known = np.flatnonzero(np.isfinite(tpr) & np.isfinite(fpr))
    if not len(known):
        return None
    order = known[np.argsort(-rated.n_claims[known], kind="stable")]
    largest = order[: MAX_POINTS // 2]
    others = order[MAX_POINTS // 2 :]
    sampled = others[spread_over(len(others), MAX_POINTS // 2)] if len(others) else others
    shown = np.concatenate([largest, sampled])
    better = int((tpr[known] > fpr[known]).sum())
    cut = (
        f" The {len(largest)} largest of {len(known):,} sources and {len(sampled)} spread over the "
        "others by size are shown."
        if len(known) > len(shown)
        else ""
    )
    return Chart(
        "rates",
        f"{_of(better, len(known))} true statements more often than false ones",
        "Each bubble is a source. The further up and to the left of the dashed line, the more its "
        f"claims tell true from false.{cut}",
        f"Bubbles of {plural(len(shown), 'source')}: tpr against fpr, sized by claims. {better:,} "
        f"of {len(known):,} lie above the diagonal, where claims carry evidence.{cut}",
        records(
            source=[one_line(name, 60) for name in rated.labels(shown)],
            claims=rated.n_claims[shown],
            tpr=tpr[shown],
            fpr=fpr[shown],
            reliability=rated.reliability[shown],
        ),
        specification("rates", ticks=size_ticks(rated.n_claims[shown])),
    )


def _of(some: int, count: int) -> str:
    """Say how many sources of all do something."""
    if some == count > 1:
        return f"All {count:,} sources claim"
    return f"{some:,} of {plural(count, 'source claims', 'sources claim')}"


def sizes(subject: Subject) -> Chart | None:
    """Show whether sources that say more are more reliable."""
    rated = Rated.of(subject.sources)
    known = rated.known
    if len(known) < 2:
        return None
    claims, numbers = rated.n_claims[known], rated.reliability[known]
    many = len(known) > MANY
    how = (
        f"{len(known):,} sources are counted in cells; the deeper, the more of them."
        if many
        else "Each dot is a source."
    )
    finding = _trend(claims, numbers)
    return Chart(
        "source-sizes",
        finding,
        f"{how} Sources with few claims are judged by what they have in common, so they lie closer "
        "to the mean over all claims, the dashed line.",
        f"Reliability of {plural(len(known), 'source')} against the number of their claims, from "
        f"{claims.min():,} to {claims.max():,}. {finding}.",
        _cells(claims, numbers) if many else _points(rated, known),
        specification("source-density" if many else "source-sizes", mean=_mean(rated)),
    )


def _points(rated: Rated, shown: Counts) -> list[dict[str, Any]]:
    return records(
        source=[one_line(name, 40) for name in rated.labels(shown)],
        claims=rated.n_claims[shown],
        reliability=rated.reliability[shown],
    )


def _cells(claims: Counts, numbers: Floats) -> list[dict[str, Any]]:
    """Count sources in a grid of claims, on a log scale, and reliability."""
    low, high = float(numbers.min()), float(numbers.max())
    step = max(high - low, 1e-6) / CELLS
    size = np.log2(claims)
    per_doubling = 2
    across = np.floor(size * per_doubling).astype(np.int64)
    up = np.clip(((numbers - low) / step).astype(np.int64), 0, CELLS - 1)
    counts = np.bincount(across * CELLS + up)
    there = np.flatnonzero(counts)
    across, up = np.divmod(there, CELLS)
    return records(
        claims_from=2.0 ** (across / per_doubling),
        claims_to=2.0 ** ((across + 1) / per_doubling),
        reliability_from=low + up * step,
        reliability_to=low + (up + 1) * step,
        sources=counts[there],
    )


def _trend(claims: Counts, numbers: Floats) -> str:
    """Compare the quarter of sources that say most with the quarter that say least."""
    order = np.argsort(claims, kind="stable")
    quarter = max(len(order) // 4, 1)
    least, most = numbers[order[:quarter]].mean(), numbers[order[-quarter:]].mean()
    if abs(most - least) < 0.02:
        return f"Sources that say much are about as reliable as those that say little ({most:.2f})"
    word = "more" if most > least else "less"
    return (
        f"Sources that say much are {word} reliable than those that say little "
        f"({most:.2f} against {least:.2f})"
    )


def _mean(rated: Rated) -> list[dict[str, float | int | None]]:
    return [{"mean": number(rated.mean)}]
