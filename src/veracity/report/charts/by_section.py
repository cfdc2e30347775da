"""The charts of a run, by section of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from veracity.report.chart import Chart
from veracity.report.charts import (
    agreement,
    answers,
    by_attribute,
    confusion,
    contested,
    function,
    input,
    labelled,
    numbers,
    sources,
    timelines,
    training,
    trees,
    truth,
    verdicts,
)
from veracity.report.subject import Subject

Maker = Callable[[Subject], Chart | list[Chart] | None]

#: What each section of the report shows; `sections.ORDER` has the order of the page.
SECTIONS: dict[str, Sequence[Maker]] = {
    "sources": (
        sources.reliability,
        sources.rates,
        sources.sizes,
        by_attribute.by_attribute,
        agreement.agreement,
        agreement.copying,
        answers.answers,
    ),
    "timelines": (timelines.timelines,),
    "numbers": (numbers.source_errors,),
    "decisions": (verdicts.plausibility, verdicts.margin),
    "contested": (contested.contested_items,),
    "trees": (trees.trees,),
    "truth": (truth.measured, confusion.confusion),
    "labels": (labelled.labelled,),
    "function": (function.function,),
    "input": (input.claims_per_source, input.values_per_item, input.attributes),
    "training": (training.training,),
}


def charts_of(subject: Subject) -> dict[str, list[Chart]]:
    """Draw up all charts of a run, by section; a section may have none."""
    return {
        name: [chart for make in makers for chart in _listed(make(subject))]
        for name, makers in SECTIONS.items()
    }


def _listed(made: Chart | list[Chart] | None) -> list[Chart]:
    if made is None:
        return []
    return made if isinstance(made, list) else [made]
