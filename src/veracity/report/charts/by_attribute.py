"""The heat map of source by attribute, as a chart."""

from __future__ import annotations

import numpy as np

from veracity.data.buffers import to_numpy
from veracity.data.notes import plural
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, short_labels
from veracity.report.heat_map import FEW, HeatMap, heat_map
from veracity.report.subject import Subject

#: Claims that a cell must have to be named in the title.
ENOUGH = 10


def by_attribute(subject: Subject) -> Chart | None:
    """Show how far sources agree with the others, attribute by attribute."""
    matrix = subject.claims.matrix
    plausibility = to_numpy(subject.statements["plausibility"])
    if len(plausibility) != matrix.n_statements:
        return None
    found = heat_map(matrix, plausibility, subject.clashes)
    if found is None or not (found.n_claims > 0).any():
        return None
    sources, attributes = short_labels(found.sources, 30), short_labels(found.attributes, 24)
    row, column = np.nonzero(found.n_claims > 0)
    clashes = found.clashes[row, column]
    finding, cut = _finding(found), f" {found.cut}" if found.cut else ""
    return Chart(
        "by-attribute",
        finding,
        "The share of a source's claims about an attribute that agree with most other sources; an "
        "exclamation mark: the source seems to write the attribute in another format. Faint: fewer "
        f"than {FEW} claims to compare; empty: none.{cut}",
        f"Heat map of {plural(len(sources), 'source')} by {plural(len(attributes), 'attribute')}. "
        f"{finding}.{cut}",
        records(
            source=[sources[place] for place in row],
            attribute=[attributes[place] for place in column],
            agreement=found.agreement[row, column],
            plausibility=found.plausibility[row, column],
            n_claims=found.n_claims[row, column].astype(np.int64),
            format=["another format" if clash else "" for clash in clashes],
            mark=["!" if clash else "" for clash in clashes],
        ),
        specification("by-attribute", sources=sources, attributes=attributes, few=FEW),
    )


def _finding(found: HeatMap) -> str:
    n_clashes = int(found.clashes.sum())
    if n_clashes:
        row, column = np.argwhere(found.clashes)[0]
        who = f"{one_line(found.sources[row], 32)} in {one_line(found.attributes[column], 32)}"
        if n_clashes == 1:
            return f"One source writes in another format than the others: {who}"
        return f"Other formats in {n_clashes:,} places, such as {who}"
    known = np.where(found.n_claims >= ENOUGH, found.agreement, np.nan)
    if not np.isfinite(known).any():
        return "Sources share few items of any attribute"
    row, column = np.unravel_index(int(np.nanargmin(known)), known.shape)
    return (
        f"{one_line(found.sources[row], 32)} agrees least with the others, in "
        f"{one_line(found.attributes[column], 32)}: on {100 * known[row, column]:.0f} % of "
        f"{int(found.n_claims[row, column]):,} items"
    )
