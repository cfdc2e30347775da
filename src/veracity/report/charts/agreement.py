"""Charts of agreement between sources, and of pairs that agree too much."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import plural
from veracity.data.output.tables import Table
from veracity.report.chance import beyond_chance
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, short_labels
from veracity.report.charts.shares import interval
from veracity.report.charts.sizes import Counts
from veracity.report.subject import Subject

LARGEST = 25
MAX_PAIRS = 25
#: Items that two sources must share to be named in the title.
ENOUGH = 10
#: A pair is named if it agrees by more than this beyond what is usual, and beyond chance.
CLEARLY = 0.05
#: Fewer items than this say little, and are drawn faintly.
FEW = 5
#: How much more a pair draws together that always agrees than one that never does: e to this.
SHARPNESS = 5.0
#: Rows that are multiplied at a time.
BLOCK = 1 << 16


def agreement(subject: Subject) -> Chart | None:
    """Show the agreement between the largest sources, those that agree next to each other."""
    matrix = subject.claims.matrix
    sizes = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    chosen = np.argsort(-sizes, kind="stable")[:LARGEST]
    if len(chosen) < 2:
        return None
    rate, shared = agreement_between(matrix, chosen)
    order = _clustered(rate)
    rate, shared, chosen = rate[np.ix_(order, order)], shared[np.ix_(order, order)], chosen[order]
    names = [str(name) for name in take_labels(matrix.sources, chosen).to_pylist()]
    row, column = np.nonzero((shared > 0) & ~np.eye(len(chosen), dtype=np.bool_))
    if not len(row):
        return None
    labels = short_labels(names, 40)
    cut = (
        f" The {len(chosen)} sources with most claims, of {matrix.n_sources:,}, are shown."
        if matrix.n_sources > len(chosen)
        else ""
    )
    finding = _finding(labels, rate, shared)
    return Chart(
        "agreement",
        finding,
        "The share of the items that both of two sources speak about on which they say the same; "
        f"sources that agree stand next to each other. Faint: they share fewer than {FEW} items; "
        f"empty: none.{cut}",
        f"Heat map of the agreement between {plural(len(chosen), 'source')}. {finding}.{cut}",
        records(
            source=[labels[place] for place in row],
            other=[labels[place] for place in column],
            agreement=rate[row, column],
            shared=shared[row, column].astype(np.int64),
        ),
        specification("agreement", order=labels, few=FEW, domain=_domain(rate, shared)),
    )


def _domain(rate: Floats, shared: Floats) -> list[float]:
    """Return the range of colours: that of sources that share enough, to the next tenth."""
    known = rate[(shared >= FEW) & ~np.eye(len(rate), dtype=np.bool_)]
    if not len(known):
        return [0.0, 1.0]
    low, high = np.floor(10 * known.min()) / 10, np.ceil(10 * known.max()) / 10
    return [float(low), float(max(high, low + 0.1))]


def agreement_between(matrix: ClaimMatrix, chosen: Counts) -> tuple[Floats, Floats]:
    """Return how often sources agree on the items they share, NaN for none, and those items.

    Where sources name several values of an item, agreement counts the values that both name, twice,
    over those that either names (Dice's coefficient).
    """
    place = np.full(matrix.n_sources, -1)
    place[chosen] = np.arange(len(chosen))
    claims = np.flatnonzero(place[matrix.source_index] >= 0)
    source = place[matrix.source_index[claims]]
    item = matrix.item_of_claim[claims].astype(np.int64)
    answer = 2 * matrix.statement_index[claims].astype(np.int64) + matrix.claim_value[claims]
    said = _counted(answer, source, len(chosen)) > 0  # who says the same twice says it once
    answers = _counted(item, source, len(chosen))
    both = _products(said, said)
    shared = _products(answers > 0, answers > 0)
    of_one = _products(answers, answers > 0)
    total = of_one + of_one.T
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, 2 * both / total, np.nan), shared


def _counted(of: Counts, source: Counts, n_sources: int) -> npt.NDArray[np.int32]:
    """Count the claims of each source about each thing that is claimed; (n_things, n_sources)."""
    things = distinct(of)
    cell = np.searchsorted(things, of) * n_sources + source
    counts = np.bincount(cell, minlength=len(things) * n_sources)
    return counts.reshape(len(things), n_sources).astype(np.int32)


def _products(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Floats:
    """Return left' right, some rows at a time, so that little of either is ever a float."""
    total = np.zeros((left.shape[1], right.shape[1]))
    for first in range(0, len(left), BLOCK):
        rows = slice(first, first + BLOCK)
        total += left[rows].T.astype(np.float64) @ right[rows].astype(np.float64)
    return total


def _clustered(rate: Floats) -> Counts:
    """Return an order of sources in which those that agree are close.

    It is that of the Fiedler vector: of all ways to put sources on a line, not all in one place,
    the one that has those close that agree more than usual.
    """
    if len(rate) < 3:
        return np.arange(len(rate))
    usual = float(np.nanmean(rate))
    near = np.where(np.isnan(rate), usual, rate)
    near = np.exp(SHARPNESS * ((near + near.T) / 2 - usual))
    np.fill_diagonal(near, 0.0)
    laplacian = np.diag(near.sum(axis=1)) - near
    return np.argsort(np.linalg.eigh(laplacian)[1][:, 1], kind="stable")


def _finding(names: list[str], rate: Floats, shared: Floats) -> str:
    upper = np.triu(shared >= ENOUGH, 1)
    if not upper.any():
        return f"Few items are shared by the {len(names)} largest sources"
    numbers = np.where(upper, rate, np.nan)
    usual, width = float(np.nanmedian(numbers)), beyond_chance(int(upper.sum()))
    least = np.where(upper, interval(rate * shared, np.maximum(shared, 1), width)[0], -np.inf)
    one, other = np.unravel_index(int(np.argmax(least)), least.shape)
    if upper.sum() > 1 and np.nanmin(numbers) == 1:
        return f"All pairs of {len(names)} sources agree on every item that they share"
    if upper.sum() > 1 and least[one, other] <= usual + CLEARLY:
        return (
            f"Half of the pairs of {len(names)} sources agree on {usual:.0%} or more of the items "
            "that they share"
        ).replace("%", " %")
    return (
        f"{one_line(names[one], 32)} and {one_line(names[other], 32)} agree most: on "
        f"{numbers[one, other]:.0%} of {int(shared[one, other]):,} items"
    ).replace("%", " %")


def copying(subject: Subject) -> Chart | None:
    """Show the pairs of sources that agree more than their agreement with others explains."""
    found = getattr(subject.model, "dependence_", None)
    if not isinstance(found, Table) or not len(found):
        return None
    pairs = found.to_arrow().slice(0, MAX_PAIRS).to_pylist()
    labels = short_labels(
        (f"{one_line(row['source'], 22)} & {one_line(row['other'], 22)}" for row in pairs), 50
    )
    first = pairs[0]
    cut = f" The {len(pairs)} clearest of {len(found):,} pairs are shown." * (
        len(found) > len(pairs)
    )
    pairs_depend = (
        "1 pair of sources depends on each other:"
        if len(found) == 1
        else f"{len(found):,} pairs of sources depend on each other, most of all"
    )
    who = f"{one_line(first['source'], 32)} and {one_line(first['other'], 32)}"
    rates = (
        f"{100 * first['agreement']:.0f} % of {first['n_shared']:,} contested items, where "
        f"{100 * first['expected']:.0f} % are expected"
    )
    return Chart(
        "copying",
        f"{pairs_depend} {who}",
        "Grey is how often two sources should agree on contested items, given how each agrees with "
        "all others; orange is how often they do. A long line hints at copying, or at a third that "
        f"both copy.{cut}",
        f"Expected and observed agreement of {plural(len(pairs), 'pair')} of sources. {who} agree "
        f"on {rates}.{cut}",
        records(
            pair=labels,
            source=[one_line(row["source"]) for row in pairs],
            other=[one_line(row["other"]) for row in pairs],
            agreement=[row["agreement"] for row in pairs],
            expected=[row["expected"] for row in pairs],
            shared=[row["n_shared"] for row in pairs],
        ),
        specification("copying"),
    )
