"""Confusion matrices of sources, by what is believed without their own word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_numpy
from veracity.data.encode.attributes import AttributeProfile
from veracity.models.patterns.naming import PATTERN
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, short_labels
from veracity.report.subject import Subject

#: How many sources are shown, and how many values of an attribute fit.
MOST_SOURCES, MOST_VALUES = 4, 12
#: A source without a pattern is shown if at least so many of its claims are not what is believed.
LEAST_CONFUSED = 1.0
NAMES = tuple(f"answers-{place}" for place in range(1, MOST_SOURCES + 1))


def answers(subject: Subject) -> list[Chart]:
    """Show the confusion matrices of those who answer like spammers, else of the largest source."""
    table = None if subject.confusions is None else subject.confusions.to_arrow()
    if table is None or not table.num_rows:
        return []
    profiles = {profile.name: profile for profile in subject.claims.attributes}
    made = (
        _chart(name, row, table, profiles)
        for name, row in zip(NAMES, _chosen(subject), strict=False)
    )
    return [chart for chart in made if chart is not None]


def _chosen(subject: Subject) -> list[dict[str, Any]]:
    """Return the sources with most claims among those that have a pattern, or the largest one."""
    rows = subject.sources.to_pylist()
    rows.sort(key=lambda row: -row["n_claims"])
    named = [row for row in rows if row.get(PATTERN) is not None]
    return named[:MOST_SOURCES] if named else rows[:1]


def _chart(
    name: str,
    source: dict[str, Any],
    table: pa.Table,
    profiles: Mapping[str, AttributeProfile],
) -> Chart | None:
    own = table.filter(pc.equal(table["source"], source["source"]))
    if not own.num_rows:
        return None
    # Arrow's own grouping takes longer to import than all of this does.
    by_attribute = own["attribute"].combine_chunks().dictionary_encode()
    total = np.bincount(to_numpy(by_attribute.indices), to_numpy(own["weight"]))
    largest = by_attribute.dictionary[int(np.argmax(total))].as_py()
    own = own.filter(pc.equal(own["attribute"], largest))
    values = profiles[largest].in_order(pc.unique(own["believed"]).to_pylist())
    if len(values) > MOST_VALUES:
        return None
    label = dict(zip(values, short_labels(values, 24), strict=True))
    cells = own.to_pylist()
    right = sum(cell["weight"] for cell in cells if cell["believed"] == cell["claimed"])
    weight = sum(cell["weight"] for cell in cells)
    if not source.get(PATTERN) and weight - right < LEAST_CONFUSED:
        return None
    who, about = one_line(source["source"], 40), one_line(largest, 40)
    word = f" ({source[PATTERN]})" if source.get(PATTERN) else ""
    finding = (
        f"{who}{word}: of {weight:,.0f} claims about {about}, {right / max(weight, 1e-12):.0%} "
        "say what is believed without them"
    ).replace("%", " %")
    return Chart(
        name,
        finding,
        "Rows are what is believed by what the other sources say, columns what this source "
        "claims. Numbers are expected claims, colour is the share of the row.",
        f"Confusion matrix of {who} on {about}. {finding}.",
        records(
            true=[label[cell["believed"]] for cell in cells],
            said=[label[cell["claimed"]] for cell in cells],
            count=[round(cell["weight"], 1) for cell in cells],
            share=[cell["share"] for cell in cells],
        ),
        specification(
            "confusion",
            order=list(label.values()),
            rows="believed value",
            title="claimed value",
            noun="claims",
            angle=0 if len(label) <= 6 else -40,
        ),
    )
