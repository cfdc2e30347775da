"""The section on values that lie within one another: trees of a few items."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.report.chart import Chart
from veracity.report.parts import Section
from veracity.report.subject import Subject


def section(subject: Subject, charts: Sequence[Chart]) -> Section | None:
    """Return the section, None if no item has values on several levels."""
    if not charts:
        return None
    names = [profile.name for profile in subject.claims.attributes if profile.hierarchy is not None]
    return Section(
        "trees",
        "Values within values",
        f"Values of {', '.join(names)} lie within one another, so that a wide value does not "
        "contradict a narrow one in it. These items have most to show; the plausibilities of all "
        "levels are in the table levels.",
        charts=charts,
    )
