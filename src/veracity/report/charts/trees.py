"""Trees of a few items whose values lie within one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.compute as pc

from veracity.data.hierarchy.outline import Line, outline
from veracity.data.notes import plural
from veracity.data.output.tables import Table
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, short_labels
from veracity.report.subject import Subject

#: Items that are drawn, and values of an item.
MAX_ITEMS, MAX_LINES = 3, 12
LABEL_WIDTH = 34
#: What stands before a label for each level, and about how many pixels a sign takes.
STEP, SIGN = "· ", 6.6


def trees(subject: Subject) -> list[Chart]:
    """Show the trees with most to tell: those with most values on several levels."""
    found = [_of_item(subject, item) for item in _items(subject)]
    told = [one for one in found if any(line.indent for line in one[1])]
    told.sort(key=lambda one: -_interest(one[1]))
    return [_chart(number, *one) for number, one in enumerate(told[:MAX_ITEMS], start=1)]


def _items(subject: Subject) -> list[int]:
    """Return the items to look at: those with most claimed values, but not too many to draw."""
    matrix = subject.claims.matrix
    nested = np.array([profile.hierarchy is not None for profile in matrix.profiles])
    size = np.diff(matrix.statement_start)
    wanted = np.flatnonzero(nested[matrix.attribute_index] & (size > 1) & (size < MAX_LINES))
    return [
        int(item) for item in wanted[np.argsort(-size[wanted], kind="stable")][: 10 * MAX_ITEMS]
    ]


def _interest(lines: list[Line]) -> int:
    """Rank trees: deep ones with many values first."""
    deepest = max(line.indent for line in lines)
    return (deepest + 1) * len(lines)


def _of_item(subject: Subject, item: int) -> tuple[dict[str, Any], list[Line]]:
    """Return an item by name, what is believed of it, and its values as a tree."""
    matrix = subject.claims.matrix
    profile = matrix.profiles[int(matrix.attribute_index[item])]
    own = range(*matrix.statement_start[item : item + 2].tolist())
    entity = matrix.entities[int(matrix.entity_index[item])].as_py()
    assert profile.hierarchy is not None
    claimed = [matrix.values[int(matrix.value_index[one])].as_py() for one in own]
    found = {
        row["value"]: row["plausibility"]
        for row in _about(subject.statements, entity, profile.name)
    }
    believed = [row["value"] for row in _about(subject.truths, entity, profile.name)]
    lines = outline(profile.hierarchy, {value: found.get(value, 0.0) for value in claimed})
    return {"entity": entity, "attribute": profile.name, "believed": believed}, lines


def _about(table: Table, entity: str, attribute: str) -> list[dict[str, Any]]:
    rows = table.to_arrow().select(["entity", "attribute", "value", "plausibility"])
    own = pc.and_(pc.equal(rows["entity"], entity), pc.equal(rows["attribute"], attribute))
    found: list[dict[str, Any]] = rows.filter(own).to_pylist()
    return found


def _chart(number: int, about: dict[str, Any], lines: list[Line]) -> Chart:
    believed = about["believed"]
    states = [
        "believed"
        if line.value in believed
        else "claimed"
        if line.claimed
        else "not claimed itself"
        for line in lines
    ]
    short = short_labels((line.value for line in lines), LABEL_WIDTH)
    labels = [STEP * line.indent + label for label, line in zip(short, lines, strict=True)]
    what = f"{one_line(about['attribute'], 40)} of {one_line(about['entity'], 60)}"
    chosen = next((line for line in lines if line.value in believed), lines[0])
    return Chart(
        f"tree-{number}",
        f"{what}: {one_line(chosen.value, 60)}, with plausibility {chosen.plausibility:.2f}",
        "Each value stands below the one that it lies within, and is at most as plausible as that. "
        "The deepest value with a plausibility above one half is believed.",
        f"Bars of the plausibility of {plural(len(lines), 'value')} for the {what}, as a tree. "
        f"{one_line(chosen.value, 60)} is believed, with {chosen.plausibility:.2f}.",
        records(
            place=labels,
            value=[one_line(line.value) for line in lines],
            plausibility=[line.plausibility for line in lines],
            state=states,
        ),
        specification("tree", padding=SIGN * max(map(len, labels)) + 6),
    )
