"""The hardest items of a run, each with its values."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from veracity.data.output.hardest import hardest
from veracity.report.parts import Column, TablePart, cell, label
from veracity.report.subject import Subject

ITEMS_SHOWN = 10
VALUES_SHOWN = 4
_COLUMNS = (
    Column("entity"),
    Column("attribute"),
    Column("hardness", "number"),
    Column("believed"),
    Column("plausibility", "number"),
    Column("sources", "number"),
    Column("sources for each value", "long"),
)
_REMARK = (
    "Hardness is by how much the log-odds of a source's being right are lower than on an ordinary "
    "item. If these items have something in common, the question itself may be unclear."
)


def hardest_items(subject: Subject) -> list[TablePart]:
    """Return the table of the hardest items, or nothing where the model does not say."""
    rows = hardest(subject.truths.to_arrow(), ITEMS_SHOWN).to_pylist()
    if not rows:
        return []
    cells = [
        [
            cell(row["entity"]),
            cell(row["attribute"]),
            f"{row['hardness']:+.2f}",
            cell(row["value"]),
            cell(row["plausibility"]),
            cell(row["n_sources"]),
            _values(subject, row),
        ]
        for row in rows
    ]
    return [TablePart("Hardest items", _COLUMNS, cells, _REMARK)]


def _values(subject: Subject, row: dict[str, Any]) -> str:
    """List the values of an item with the sources that claim each, the most plausible first."""
    statements = subject.statements.to_arrow()
    about = pc.and_(
        pc.equal(statements["entity"], row["entity"]),
        pc.equal(statements["attribute"], row["attribute"]),
    )
    own = statements.filter(about).sort_by([("plausibility", "descending")]).to_pylist()
    shown = [f"{label(one['value'], 40)} ({one['supporters']:,})" for one in own[:VALUES_SHOWN]]
    if len(own) == 1 and own[0]["deniers"]:  # yes or no
        shown.append(f"not {label(own[0]['value'], 40)} ({own[0]['deniers']:,})")
    more = len(own) - VALUES_SHOWN
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")
