"""The section on numbers: how far off each source usually is, and what the intervals mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veracity.data.buffers import to_numpy
from veracity.data.notes import plural
from veracity.report.chart import Chart
from veracity.report.charts.numbers import believed_number
from veracity.report.parts import Column, Section, TablePart, cell
from veracity.report.subject import Subject

ROWS_SHOWN = 12
LEAD = (
    "Of these attributes the truth is a number that may lie between the claimed ones. The number "
    "believed weighs the claims by what is known of their sources."
)
#: What an interval is, wherever one is shown.
SPREAD = (
    "Unless labels have calibrated it, the interval is the spread of the sources: how far the "
    "truth may be from the number believed, as far as their disagreement shows. An error that all "
    "of them share shows in no claim."
)


def section(subject: Subject, charts: Sequence[Chart]) -> Section | None:
    """Return the section, or None if nothing is judged as a number."""
    profiles = [profile for profile in subject.claims.attributes if profile.numeric]
    if not profiles:
        return None
    said = [
        f"{profile.name} ({plural(profile.n_items, 'item')}) is judged as a number: "
        f"{profile.numeric_reason}."
        for profile in profiles
    ]
    widest = _widest(subject)
    return Section(
        "numbers",
        "Numbers",
        LEAD,
        paragraphs=[*said, SPREAD] if widest else said,
        charts=charts,
        tables=widest,
    )


def _widest(subject: Subject) -> list[TablePart]:
    """Return the items whose intervals are widest, beside those of the same attribute."""
    table = subject.truths.to_arrow()
    if "low" not in table.column_names:
        return []
    width = to_numpy(table["high"]) - to_numpy(table["low"])
    known = np.flatnonzero(np.isfinite(width))
    if not len(known):
        return []
    names = np.array(table["attribute"].to_pylist())[known]
    usual = {name: np.median(width[known][names == name]) or 1.0 for name in set(names.tolist())}
    times = width[known] / np.array([usual[name] for name in names.tolist()])
    order = np.argsort(-times, kind="stable")[:ROWS_SHOWN]
    rows = table.take(known[order]).to_pylist()
    columns = (
        Column("entity"),
        Column("attribute"),
        Column("believed", "number"),
        Column("from", "number"),
        Column("to", "number"),
        Column("times the usual width", "number"),
        Column("sources", "number"),
    )
    shown = []
    for row, how_wide in zip(rows, times[order].tolist(), strict=True):
        believed = believed_number(row)
        assert believed is not None
        shown.append(
            [
                cell(row["entity"]),
                cell(row["attribute"]),
                *map(believed.shown, believed[:3]),
                f"{how_wide:.1f}",
                cell(row["n_sources"]),
            ]
        )
    return [TablePart("Least certain: the widest intervals", columns, shown)]
