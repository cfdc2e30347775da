"""The section on decisions: what to accept, to review, and what stays undecided."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow.compute as pc

from veracity.data.output.decisions import ACCEPT
from veracity.data.output.tally import Tally
from veracity.report.advice import shown_notes
from veracity.report.chart import Chart
from veracity.report.charts.numbers import short_value
from veracity.report.parts import Column, Fact, Section, TablePart, cell
from veracity.report.subject import Subject

#: The notes that are shown here, and those that the section itself says.
SHOWN_HERE, SAID_HERE = ("labels", "vote", "choice", "rules"), ("decisions",)
SUBJECTS = (*SHOWN_HERE, *SAID_HERE)
ACCEPTED_SHOWN = 12
_COLUMNS = (
    Column("entity"),
    Column("attribute"),
    Column("accepted value"),
    Column("plausibility", "number"),
    Column("sources", "number"),
    Column("values claimed", "number"),
)


def section(subject: Subject, charts: Sequence[Chart]) -> Section:
    """Return the section."""
    tally, n_items = Tally.of(subject.truths), subject.description["counts"]["n_items"]
    rate = f"{100 * subject.description.get('error_rate', subject.model.error_rate):g} %"
    several = (
        " A verdict is a believed value; an item may have several."
        if tally.n_verdicts != n_items
        else ""
    )
    return Section(
        "decisions",
        "What to accept",
        f"At an expected error rate of {rate}, as many verdicts are accepted as keep the expected "
        "errors among them within that share. Ties, and values that are less plausible than not, "
        f"are undecided; the rest is for review. --error-rate sets another rate.{several}",
        facts=[
            Fact("items", cell(n_items)),
            Fact("verdicts", cell(tally.n_verdicts)),
            Fact("to accept", cell(tally.accept)),
            Fact("to review", cell(tally.review)),
            Fact("undecided", cell(tally.undecided)),
            Fact("errors expected among the accepted", f"{tally.expected_errors:,.1f}"),
        ],
        charts=charts,
        tables=_accepted(subject, tally),
        notes=shown_notes(subject.description["notes"], only=SHOWN_HERE),
    )


def _accepted(subject: Subject, tally: Tally) -> list[TablePart]:
    """Return the accepted verdicts that are worth most: those on the most contested items."""
    if not tally.accept:
        return []
    truths = subject.truths.to_arrow()
    accepted = truths.filter(pc.equal(truths["decision"], ACCEPT))
    order = [("n_values", "descending"), ("plausibility", "descending"), ("entity", "ascending")]
    rows = accepted.take(pc.select_k_unstable(accepted, ACCEPTED_SHOWN, order)).to_pylist()
    rows = [row | {"value": short_value(row)} for row in rows]
    names = ("entity", "attribute", "value", "plausibility", "n_sources", "n_values")
    left = tally.accept - len(rows)
    remark = f"{left:,} more are in the table of truths, with the decision accept." if left else ""
    caption = "Accepted verdicts; those on which sources disagree most come first"
    return [
        TablePart(caption, _COLUMNS, [[cell(row[name]) for name in names] for row in rows], remark)
    ]
