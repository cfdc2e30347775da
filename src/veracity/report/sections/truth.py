"""The section on known truth: how good the verdicts are."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.data.notes import plural
from veracity.evaluation.numeric_errors import surest_errors
from veracity.report.chart import Chart
from veracity.report.parts import Column, Fact, Section, TablePart, cell
from veracity.report.subject import Subject

ERRORS_SHOWN = 12
_FURTHER = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "mean_absolute_error": "mean absolute error",
    "root_mean_squared_error": "root mean squared error",
    "interval_coverage": "of the intervals hold the truth",
}

_NUMBERS = (
    " Here all truth is a number, so errors say more: how far the believed numbers are from the "
    "true ones. Unless labels have calibrated them, intervals are the spread of the sources; an "
    "error that all of them share shows in no claim."
)


def section(subject: Subject, charts: Sequence[Chart]) -> Section | None:
    """Return the section, or None for a run that is measured against nothing."""
    if subject.truth is None:
        return None
    found = subject.description["evaluation"]
    all_numbers = found.get("n_numbers") == found["n_items"]
    facts = [Fact("truth items without a claim", cell(found["n_truth_items"] - found["n_items"]))]
    if not all_numbers:
        right = Fact(f"right, of {plural(found['n_items'], 'item')}", cell(found["n_right"]))
        facts = [Fact("accuracy", f"{found['accuracy']:.4f}"), right, *facts]
    facts += [
        Fact(name, f"{found[key]:,.4g}")
        for key, name in _FURTHER.items()
        if found.get(key) is not None
    ]
    return Section(
        "truth",
        "Against known truth",
        "This truth played no part in the fit. Accuracy is the share of items, among those with "
        f"known truth and a claim, whose most plausible value is true.{_NUMBERS * all_numbers}",
        facts=facts,
        charts=[] if all_numbers else charts,
        tables=[] if all_numbers else _errors(subject, found["n_items"] - found["n_right"]),
    )


def _errors(subject: Subject, n_wrong: int) -> list[TablePart]:
    assert subject.truth is not None
    if not n_wrong:
        return []
    found = surest_errors(subject.truths, subject.truth, subject.claims, ERRORS_SHOWN)
    columns = (
        Column("entity"),
        Column("attribute"),
        Column("believed"),
        Column("true"),
        Column("plausibility", "number"),
    )
    rows = [[cell(value) for value in row.values()] for row in found.to_pylist()]
    remark = f"{len(rows)} of {plural(n_wrong, 'error')}." if len(rows) < n_wrong else ""
    return [TablePart("Errors worth reading: wrong, and sure of it", columns, rows, remark)]
