"""The table of sources in another format, for the report."""

from __future__ import annotations

from veracity.data.notes import plural
from veracity.report.charts.records import share
from veracity.report.parts import Column, TablePart, cell
from veracity.report.subject import Subject

SHOWN = 20


def formats_table(subject: Subject) -> list[TablePart]:
    """Return the table of clashes; none if there are none."""
    rows = [] if subject.clashes is None else subject.clashes.to_pylist()
    if not rows:
        return []
    columns = (
        Column("source"),
        Column("attribute"),
        Column("claims", "number"),
        Column("agreement", "number"),
        Column("after", "number"),
        Column("transformation"),
        Column("examples", "long"),
    )
    shown = [
        [
            cell(row["source"]),
            cell(row["attribute"]),
            cell(row["n_claims"]),
            share(row["agreement"], 1.0),
            share(row["agreement_after"], 1.0),
            cell(row["transformation"]),
            cell(row["examples"]),
        ]
        for row in rows[:SHOWN]
    ]
    left = len(rows) - SHOWN
    remark = f"{plural(left, 'more row')} not shown." if left > 0 else ""
    caption = "Sources in another format, and the transformation that reconciles them"
    return [TablePart(caption, columns, shown, remark)]
