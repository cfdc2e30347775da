"""Sources on known truth: how often each is right, beside what the model expects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.compute as pc

from veracity.data.buffers import to_arrow
from veracity.data.notes import plural
from veracity.models.labelled_sources import FLAG, PREFIX
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, short_labels
from veracity.report.subject import Subject

MOST = 40


def labelled(subject: Subject) -> Chart | None:
    """Show the share of right claims of the sources with most claims about known truth."""
    if FLAG not in subject.sources.column_names:
        return None
    rows = labelled_rows(subject)
    chosen = sorted(rows[:MOST], key=lambda row: -row["rate"])
    flagged = [row for row in rows if row[FLAG]]
    cut = (
        f" The {len(chosen)} sources with the most such claims, of {len(rows):,}, are shown; those "
        "that are flagged come first."
        if len(rows) > len(chosen)
        else ""
    )
    finding = _finding(rows, flagged)
    return Chart(
        "labelled",
        finding,
        "The dot is the share of a source's claims about known truth that are right, the line its "
        "90 % interval, the grey stroke the share that the model expects, judging the same claims "
        f"without knowing the truth.{cut}",
        f"Share of right claims about known truth, of {plural(len(chosen), 'source')}. {finding}."
        f"{cut}",
        records(
            label=short_labels(row["source"] for row in chosen),
            source=[one_line(row["source"]) for row in chosen],
            **{
                name: [row[name] for row in chosen]
                for name in ("right", "wrong", "rate", "low", "high", "expected")
            },
            finding=["not as expected" if row[FLAG] else "as expected" for row in chosen],
        ),
        specification("labelled"),
    )


def labelled_rows(subject: Subject) -> list[dict[str, Any]]:
    """Return the sources that speak about known truth: flagged ones, then those that say most."""
    table = subject.sources.to_arrow()
    table = table.filter(pc.is_valid(table[FLAG]))
    names = [name for name in table.column_names if name.startswith(PREFIX)]
    table = table.select(["source", *names, FLAG])
    table = table.rename_columns([name.removeprefix(PREFIX) for name in table.column_names])
    counts = np.array(table["right"].to_pylist()) + np.array(table["wrong"].to_pylist())
    flagged = np.array(table[FLAG].to_pylist(), np.bool_)
    order = np.lexsort((-counts, ~flagged))
    rows: list[dict[str, Any]] = table.take(to_arrow(order)).to_pylist()
    return rows


def _finding(rows: list[dict[str, Any]], flagged: list[dict[str, Any]]) -> str:
    if not flagged:
        return (
            f"On known truth, none of {plural(len(rows), 'source')} differs from what the model "
            "expects by more than chance explains"
        )
    widest = max(flagged, key=lambda row: abs(row["rate"] - row["expected"]))
    rate, expected = widest["rate"], widest["expected"]
    others = len(flagged) - 1
    more = f"; {plural(others, 'more source is', 'more sources are')} flagged" if others else ""
    return (
        f"{one_line(widest['source'], 40)} is right in {100 * rate:.0f} % of its claims about "
        f"known truth, not in the expected {100 * expected:.0f} %{more}"
    )
