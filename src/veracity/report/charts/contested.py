"""The items that are contested most: what is believed, and by how little it leads."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from veracity.data.output.tables import Table
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, short_labels
from veracity.report.subject import Subject

MAX_ITEMS = 12
#: Margins that differ by less are equally close.
SAME = 0.01


def closest(truths: Table, limit: int) -> list[dict[str, Any]]:
    """Return the verdicts with the smallest margins where sources disagree, one for an item."""
    table = truths.to_arrow()
    several = table.filter(pc.greater(table["n_values"], 1))
    order = [("margin", "ascending"), ("n_sources", "descending"), ("entity", "ascending")]
    # An item with several true values has several rows, so look a little further than needed.
    places = pc.select_k_unstable(several, limit * 10, sort_keys=order)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in several.take(places).to_pylist():
        rows.setdefault((row["entity"], row["attribute"]), row)
    return list(rows.values())[:limit]


def contested_items(subject: Subject) -> Chart | None:
    """Show the most contested items: plausibility of what is believed and of what comes next."""
    found = closest(subject.truths, MAX_ITEMS)
    if not found:
        return None
    labels = short_labels((f"{row['entity']} · {row['attribute']}" for row in found), 44)
    first = found[0]
    about = f"{one_line(first['attribute'], 40)} of {one_line(first['entity'], 60)}"
    return Chart(
        "contested",
        f"Most contested: {about}, with {first['n_values']} values from {first['n_sources']} "
        "sources"
        if len(found) == 1 or found[1]["margin"] - first["margin"] >= SAME
        else f"The {len(found)} closest calls: the believed value leads by {first['margin']:.2f} "
        f"to {found[-1]['margin']:.2f}",
        "Items that are decided by little. The bar reaches from the plausibility of the next value "
        "(or of the opposite) to that of the believed one, the dot: the shorter, the closer.",
        f"Bars of the lead of the believed value in the {len(found)} most contested items. The "
        f"first is the {about}: {one_line(first['value'], 60)} has plausibility "
        f"{first['plausibility']:.2f} and leads by {first['margin']:.2f}.",
        records(
            item=labels,
            entity=[one_line(row["entity"]) for row in found],
            attribute=[one_line(row["attribute"]) for row in found],
            value=[one_line(row["value"]) for row in found],
            plausibility=[row["plausibility"] for row in found],
            next=[max(row["plausibility"] - row["margin"], 0.0) for row in found],
            margin=[row["margin"] for row in found],
            sources=[row["n_sources"] for row in found],
            values=[row["n_values"] for row in found],
            decision=[row["decision"] for row in found],
        ),
        specification("contested"),
    )
