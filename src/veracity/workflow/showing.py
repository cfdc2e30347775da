"""A run in a line, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from veracity.data.notes import plural
from veracity.data.output.tables import Table

ROWS_SHOWN = 5
NOTES_SHOWN = 5


def run_line(name: str, description: Mapping[str, Any]) -> str:
    """Return what a run is, in a line."""
    counts, evaluation = description["counts"], description["evaluation"]
    told = (
        f"{plural(counts['n_claims'], 'claim')} by {plural(counts['n_sources'], 'source')} about "
        f"{plural(counts['n_items'], 'item')}"
    )
    if evaluation is not None and evaluation.get("n_numbers", 0) == evaluation["n_items"]:
        told += f", mean absolute error {evaluation['mean_absolute_error']:.4g}"
    elif evaluation is not None and evaluation.get("accuracy") is not None:
        told += f", accuracy {evaluation['accuracy']:.4f}"
    return f"{name}({description['model']['name']}: {told})"


def run_html(line: str, tables: Sequence[Table], notes: Sequence[object]) -> str:
    """Return a run as HTML: its line, the first rows of tables, and the first notes."""
    shown = "".join(table.head(ROWS_SHOWN)._repr_html_() for table in tables)
    told = "".join(f"<li>{escape(str(note))}</li>" for note in notes[:NOTES_SHOWN])
    more = len(notes) - NOTES_SHOWN
    rest = f"<li>and {more:,} more</li>" if more > 0 else ""
    return f"<p><b>{escape(line)}</b></p>{shown}<ul>{told}{rest}</ul>"
