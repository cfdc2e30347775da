"""The section on values that change: timelines of a few items, and how late sources are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from veracity.data.notes import plural
from veracity.report.chart import Chart
from veracity.report.charts.timelines import shown_time
from veracity.report.parts import Column, Fact, Section, TablePart, cell
from veracity.report.subject import Subject

SHOWN = 15


def section(subject: Subject, charts: Sequence[Chart]) -> Section | None:
    """Return the section, or None for a run without values that change."""
    if subject.timelines is None:
        return None
    table = subject.timelines.to_arrow()
    n_changes = table.num_rows - table["valid_from"].null_count
    names = [profile.name for profile in subject.claims.attributes if profile.changing]
    as_of = subject.description.get("settings", {}).get("as_of")
    asked = "the last claim" if as_of is None else str(as_of)
    return Section(
        "timelines",
        "Over time",
        "The truth of some attributes changes. What is believed is shown over time; a source that "
        "still says what was true before is late, not wrong.",
        facts=[
            Fact("attributes that change", ", ".join(names)),
            Fact("believed changes", cell(n_changes)),
            Fact("verdicts as of", asked),
        ],
        paragraphs=() if n_changes else ("No believed value changes.",),
        charts=charts,
        tables=[*_latest(subject), *_sources(subject)],
    )


def _latest(subject: Subject) -> list[TablePart]:
    """Return the latest changes."""
    assert subject.timelines is not None
    table = subject.timelines.to_arrow()
    changed = table.filter(pc.is_valid(table["valid_from"]))
    if not changed.num_rows:
        return []
    rows = changed.sort_by([("valid_from", "descending")]).slice(0, SHOWN).to_pylist()
    columns = (
        Column("entity"),
        Column("attribute"),
        Column("value"),
        Column("since"),
        Column("changed after"),
        Column("changed before"),
        Column("plausibility", "number"),
    )
    shown = [
        [
            cell(row["entity"]),
            cell(row["attribute"]),
            cell(row["value"]),
            shown_time(row["valid_from"]),
            shown_time(row["changed_after"]),
            shown_time(row["changed_before"]),
            cell(row["plausibility"]),
        ]
        for row in rows
    ]
    left = changed.num_rows - len(rows)
    remark = f"{plural(left, 'earlier change')} not shown." if left else ""
    return [TablePart("The latest changes", columns, shown, remark)]


def _sources(subject: Subject) -> list[TablePart]:
    """Return the sources that are furthest behind."""
    sources = subject.sources.to_arrow()
    if "lag" not in sources.column_names:
        return []
    lag = np.array([-1.0 if one is None else one for one in sources["lag"].to_pylist()])
    order = np.argsort(-lag, kind="stable")[:SHOWN]
    rows = [sources.slice(place, 1).to_pylist()[0] for place in order.tolist() if lag[place] >= 0]
    unit = " (days)" if subject.claims.columns.dated else ""
    columns = (
        Column("source"),
        Column("claims", "number"),
        Column(f"lag{unit}", "number"),
        Column("freshness", "number"),
        Column("reliability", "number"),
    )
    names = ("source", "n_claims", "lag", "freshness", "reliability")
    shown = [[cell(row[name]) for name in names] for row in rows]
    left = int((lag >= 0).sum()) - len(rows)
    remark = f"{plural(left, 'source')} not shown." if left else ""
    caption = "How late sources are: the mean lag of what they say, and the share that is current"
    return [TablePart(caption, columns, shown, remark)]
