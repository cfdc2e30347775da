"""Parts of a report page: plain data, no markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from veracity.data.notes import plural
from veracity.report.advice import ShownNote
from veracity.report.chart import Chart
from veracity.report.charts.records import one_line
from veracity.report.findings import Findings

#: Of a label in a table.
LABEL_WIDTH = 120
#: Signs that do nothing but harm on a page, such as those that turn text round.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MISSING = "\u2013"  # a dash


class Fact(NamedTuple):
    """A figure and what it counts."""

    name: str
    value: str


class Column(NamedTuple):
    """A column of a table on the page; `form` is number, code, long (sentences) or nothing."""

    name: str
    form: Literal["", "number", "code", "long"] = ""


@dataclass(frozen=True)
class TablePart:
    """A table on the page; `remark` says what was left out."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    remark: str = ""


@dataclass(frozen=True)
class ItemPart:
    """A contested item: what is claimed, by whom, and what speaks for what.

    `why_no_evidence` says why there is no chart of the evidence, where there is none; `levels` is
    a chart of the levels of an ordered item.
    """

    title: str
    verdict: str
    decision: str
    values: TablePart
    claims: TablePart
    evidence: Chart | None
    why_no_evidence: str = ""
    levels: Chart | None = None


@dataclass(frozen=True)
class Section:
    """A section of the page, in the order in which its parts are shown."""

    name: str
    title: str
    lead: str
    facts: Sequence[Fact] = ()
    paragraphs: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[TablePart] = ()
    items: Sequence[ItemPart] = ()
    notes: Sequence[ShownNote] = ()


@dataclass(frozen=True)
class Contents:
    """All that the page of a run says.

    Attributes
    ----------
    title
        What the page is about.
    findings
        The run in three sentences.
    version
        Of veracity, by which the run was made.
    about
        When the run was made, by which model, and how long it took.
    sections
        In the order of the page.
    warnings
        Reasons to doubt the answer.
    kind, again
        What sort of page it is, and the command that makes it again.
    """

    title: str
    findings: Findings
    version: str
    about: Sequence[Fact]
    sections: Sequence[Section] = field(default_factory=tuple)
    warnings: Sequence[ShownNote] = ()
    kind: str = "report of a run"
    again: str = "veracity report OUT"

    @property
    def n_warnings(self) -> str:
        """How many reasons to doubt the answer there are, in words."""
        return plural(sum(len(note.texts) for note in self.warnings), "warning")

    @property
    def charts(self) -> list[Chart]:
        """All charts of the page, those of items included."""
        found: list[Chart] = []
        for section in self.sections:
            found += section.charts
            found += [item.evidence for item in section.items if item.evidence is not None]
        return found


def label(text: object, width: int = LABEL_WIDTH) -> str:
    """Return a label of the data in one line, cut where it is long."""
    return CONTROL.sub("\ufffd", one_line(text, width)) or "(empty)"


def cell(value: object) -> str:
    """Write a value of a table for the page.

    >>> [cell(value) for value in (1234, 0.25, None, True, "a\\nb")]
    ['1,234', '0.250', '–', 'yes', 'a b']
    """
    if value is None or (isinstance(value, float) and value != value):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if isinstance(value, float) else label(value)
