"""The section on known truth: how often sources are right about it, and what the model expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veracity.data.notes import plural
from veracity.models.labelled_sources import FLAG
from veracity.report.chart import Chart
from veracity.report.charts.labelled import labelled_rows
from veracity.report.parts import Column, Fact, Section, TablePart, cell
from veracity.report.subject import Subject

SHOWN = 15
_COLUMNS = (
    Column("right", "number"),
    Column("wrong", "number"),
    Column("share right", "number"),
    Column("90 % interval", "number"),
    Column("expected", "number"),
    Column("flag"),
)


def section(subject: Subject, charts: Sequence[Chart]) -> Section | None:
    """Return the section, or None for a run whose sources speak about no known truth."""
    if FLAG not in subject.sources.column_names:
        return None
    rows = labelled_rows(subject)
    right, wrong = (sum(row[name] for row in rows) for name in ("right", "wrong"))
    return Section(
        "labels",
        "Sources on known truth",
        "The truth of some items was given to the run, so claims about them are right or wrong. "
        "Expected is the share that the model takes to be right when it judges the same claims as "
        "if their truth were not known.",
        facts=[
            Fact("claims about known truth", cell(right + wrong)),
            Fact("of them right", cell(right)),
            Fact("sources that make them", cell(len(rows))),
            Fact("sources flagged", cell(sum(bool(row[FLAG]) for row in rows))),
        ],
        paragraphs=[
            "A source is flagged where the two shares differ by more than chance explains. At most "
            "5 % of the flags are to be expected by chance, however many sources there are "
            "(Benjamini and Hochberg). Where the model learned from the known truth, that brings "
            "the two together, so some sources that deserve a flag may have none."
        ],
        charts=charts,
        tables=[_sources(rows), *_by_attribute(subject)],
    )


def _sources(rows: Sequence[Mapping[str, Any]]) -> TablePart:
    caption = "Sources on known truth: flagged ones, then those with the most claims"
    shown = [[cell(row["source"]), *_cells(row)] for row in rows[:SHOWN]]
    return TablePart(caption, (Column("source"), *_COLUMNS), shown, _remark(rows, "source"))


def _by_attribute(subject: Subject) -> list[TablePart]:
    """Return the table by attribute, where there are several."""
    table = subject.sources_by_attribute
    if table is None or len(table["attribute"].unique()) < 2:
        return []
    rows = sorted(table.to_pylist(), key=lambda row: (not row[FLAG], -row["right"] - row["wrong"]))
    shown = [[cell(row["source"]), cell(row["attribute"]), *_cells(row)] for row in rows[:SHOWN]]
    columns = (Column("source"), Column("attribute"), *_COLUMNS)
    caption = "The same, attribute by attribute"
    return [TablePart(caption, columns, shown, _remark(rows, "row"))]


def _cells(row: Mapping[str, Any]) -> list[str]:
    flag = cell(None)
    if row[FLAG]:
        flag = "worse than expected" if row["rate"] < row["expected"] else "better than expected"
    interval = f"{row['low']:.3f} to {row['high']:.3f}"
    counts = (cell(row["right"]), cell(row["wrong"]))
    return [*counts, cell(row["rate"]), interval, cell(row["expected"]), flag]


def _remark(rows: Sequence[Any], noun: str) -> str:
    left = len(rows) - SHOWN
    return f"{plural(left, f'more {noun}')} not shown." if left > 0 else ""
