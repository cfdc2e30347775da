"""The sections of a report, one file each, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from veracity.report.chart import Chart
from veracity.report.charts.by_section import charts_of
from veracity.report.charts.enough import SAID_IN_WORDS, is_enough
from veracity.report.parts import Section
from veracity.report.sections import (
    contested,
    decisions,
    function,
    input,
    labels,
    numbers,
    sources,
    timelines,
    training,
    trees,
    truth,
)
from veracity.report.subject import Subject

#: A section of a run with its charts, or None where there is nothing to say.
Maker = Callable[[Subject, Sequence[Chart]], Section | None]

#: What was found comes first, then how good it is, then what it was made of. The charts of a
#: section are those of the same name in `charts.SECTIONS`.
ORDER: dict[str, Maker] = {
    "sources": sources.section,
    "timelines": timelines.section,
    "numbers": numbers.section,
    "decisions": decisions.section,
    "contested": contested.section,
    "trees": trees.section,
    "truth": truth.section,
    "labels": labels.section,
    "function": function.section,
    "input": input.section,
    "training": training.section,
}


def sections_of(subject: Subject) -> list[Section]:
    """Return the sections of a run, in the order of the page."""
    charts = charts_of(subject)
    made = (_made(make, subject, charts.get(name, [])) for name, make in ORDER.items())
    return [section for section in made if section is not None]


def _made(make: Maker, subject: Subject, charts: Sequence[Chart]) -> Section | None:
    """Make a section with the charts that have enough to show; of others, say what they find."""
    section = make(subject, [chart for chart in charts if is_enough(chart)])
    if section is None:
        return None
    left = (chart for chart in charts if not is_enough(chart) and chart.name in SAID_IN_WORDS)
    return replace(section, paragraphs=(*section.paragraphs, *(f"{one.title}." for one in left)))
