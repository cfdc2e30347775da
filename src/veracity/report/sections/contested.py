"""The section on contested items: the closest calls, and the hardest questions."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.report.chart import Chart
from veracity.report.contested import contested_items
from veracity.report.hardest import hardest_items
from veracity.report.parts import Section
from veracity.report.subject import Subject


def section(subject: Subject, charts: Sequence[Chart]) -> Section:
    """Return the section."""
    items = contested_items(subject)
    return Section(
        "contested",
        "Contested items",
        "An item is an attribute of an entity; it is contested if more than one value is claimed "
        "for it.",
        charts=charts,
        tables=hardest_items(subject),
        items=items,
        paragraphs=() if items else ("Nobody disagrees: no item has more than one claimed value.",),
    )
