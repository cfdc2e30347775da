"""Which charts have enough to show: a page draws no bar, dot or line that stands alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from veracity.report.chart import Chart

Records = Sequence[Mapping[str, Any]]

#: Charts of which the title is said in a sentence where they are not drawn.
SAID_IN_WORDS = ("sources", "agreement", "calibration", "coverage")
#: Verdicts, items or claims from which on a distribution has a shape.
FEW = 10
#: The same for a share that is right.
FEW_MEASURED = 20
#: A smaller range of colours shows nothing.
PLAIN = 0.02
#: Dots that are closer than this are one.
SAME_PLACE = 0.005
#: Items that sources share, from which on the share on which they agree says something.
FEW_SHARED = 5


def is_enough(chart: Chart) -> bool:
    """Whether a chart shows more than a sentence would say."""
    rule = _RULES.get(chart.name)
    return rule is None or rule(chart.records)


def _rows(least: int) -> Callable[[Records], bool]:
    return lambda records: len(records) >= least


def _bars(field: str, count: str, least_bars: int, least: int = FEW) -> Callable[[Records], bool]:
    """Ask for so many bars, of so many things in all."""
    return lambda records: (
        len(_distinct(records, field, count)) >= least_bars
        and sum(record[count] for record in records) >= least
    )


def _distinct(records: Records, field: str, count: str = "") -> set[Any]:
    return {record[field] for record in records if not count or record[count]}


def _is_spread(records: Records) -> bool:
    """Whether sources differ in size; many of them are counted in cells."""
    if "claims" not in records[0]:
        return len(records) >= 3
    return len(records) >= FEW and len(_distinct(records, "claims")) >= 3


def _has_pattern(records: Records) -> bool:
    """Whether at least three sources share enough items, and agree more or less."""
    known = [record for record in records if record["shared"] >= FEW_SHARED]
    rates = [record["agreement"] for record in known]
    return len(_distinct(known, "source")) >= 3 and max(rates) - min(rates) >= PLAIN


def _are_apart(*fields: str) -> Callable[[Records], bool]:
    """Ask for three dots or more, not all in one place."""
    return lambda records: (
        len(records) >= 3
        and any(
            max(record[field] for record in records) - min(record[field] for record in records)
            >= SAME_PLACE
            for field in fields
        )
    )


#: What each chart needs; a chart without a rule is always drawn.
_RULES: dict[str, Callable[[Records], bool]] = {
    "sources": _are_apart("reliability"),
    "rates": _are_apart("tpr", "fpr"),
    "source-sizes": _is_spread,
    "agreement": _has_pattern,
    "copying": _rows(2),
    "plausibility": _bars("low", "verdicts", 3),
    "margin": _bars("low", "verdicts", 3),
    "contested": _rows(3),
    "calibration": _bars("from", "verdicts", 1, FEW_MEASURED),
    "coverage": _rows(3),
    "confusion-believed": _bars("true", "count", 2),
    "confusion-claimed": _bars("true", "count", 2),
    "labelled": _rows(2),
    "claims-per-source": _bars("claims_of_source", "count", 2),
    "values-per-item": _bars("sources", "items", 2),
    "attributes": lambda records: len(_distinct(records, "attribute")) >= 2,
    "training": _rows(4),
}
