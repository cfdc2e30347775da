"""Sources: how reliable each is and how sure that is, by rates and by size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.notes import plural
from veracity.data.output.tables import Table
from veracity.report.chart import Chart, specification
from veracity.report.charts.ranks import rank_correlation
from veracity.report.charts.records import (
    number,
    one_line,
    records,
    short_labels,
    size_ticks,
    spread_over,
)
from veracity.report.charts.sizes import Counts
from veracity.report.extremes import ENOUGH_CLAIMS, extremes
from veracity.report.subject import Subject

#: Sources on the forest plot, and points on a scatter plot.
LARGEST, MAX_POINTS = 40, 600
#: From so many sources on, they are counted in cells instead of drawn one by one.
MANY = 2_000
CELLS = 24
#: A trend over sources is stated from so many on, so many standard errors away from none.
ENOUGH_SOURCES, FAR_FROM_CHANCE = 20, 3.0


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
        _span(subject.sources, len(shown), rates),
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


def _span(table: Table, n_shown: int, rates: Floats) -> str:
    """Name the best and the worst source if they are apart; else say how far rates reach."""
    found = extremes(table)
    if found is not None:
        best, worst = one_line(found.best, 40), one_line(found.worst, 40)
        return f"{best} is the most reliable ({found.highest:.2f}), {worst} the least " + (
            f"({found.lowest:.2f})"
        )
    sources = plural(n_shown, "source")
    if rates[0] - rates[-1] < 0.005:
        return f"Reliability of {sources}: about {rates[0]:.2f}"
    return f"Reliability of {sources}, {rates[-1]:.2f} to {rates[0]:.2f}: no clear difference"


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
    worse = int(_is_misleading(rated)[known].sum())
    cut = (
        f" The {len(largest)} largest of {len(known):,} sources and {len(sampled)} spread over the "
        "others by size are shown."
        if len(known) > len(shown)
        else ""
    )
    return Chart(
        "rates",
        f"{worse:,} of {plural(len(known), 'source')} {'names' if worse == 1 else 'name'} false "
        "statements more often than true ones"
        if worse
        else f"How often {plural(len(known), 'source')} name true and false statements",
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


def _is_misleading(rated: Rated) -> npt.NDArray[np.bool_]:
    """Mark sources with a tpr below their fpr, beyond what 90 % intervals allow."""
    tpr, fpr = rated.column("tpr_high"), rated.column("fpr_low")
    if not (np.isfinite(tpr) & np.isfinite(fpr)).any():
        tpr, fpr = rated.column("tpr"), rated.column("fpr")
    return np.asarray((tpr < fpr) & (rated.n_claims >= ENOUGH_CLAIMS))


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
    """Compare the quarter of sources that say most with the quarter that say least.

    Without enough sources, or if ranks of claims and reliability hardly go together, there is no
    trend to speak of.
    """
    if len(claims) < ENOUGH_SOURCES or abs(rank_correlation(claims, numbers)) < FAR_FROM_CHANCE:
        sources = plural(len(claims), "source")
        return f"Reliability of {sources} by their number of claims: no clear trend"
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
