"""Values that change: who said what when about an item, and what is believed over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.claims import Claims
from veracity.data.labels.lookup import Labels
from veracity.data.notes import plural
from veracity.data.truth.known import items_of
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import number, one_line, short_labels
from veracity.report.subject import Subject
from veracity.report.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, RED

#: The row of what is believed, above those of sources.
BELIEVED = "believed"
#: Sources that have a row of their own, claims that are drawn, values with a colour of their own.
MAX_SOURCES, MAX_CLAIMS, MAX_VALUES = 24, 2_000, 5
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, RED)
OTHER = "other values"
#: Timelines that a report shows.
SHOWN = 4
MILLISECONDS = 1_000


class Said(NamedTuple):
    """A claim of an item with a time."""

    source: str
    value: str
    time: float
    asserts: bool


class Clockwork(NamedTuple):
    """How times are drawn and written: as dates, or as the numbers that they are."""

    dated: bool

    def place(self, time: float) -> float | int:
        """Return where a time of a claim stands on the axis."""
        return round(time * MILLISECONDS) if self.dated else time

    def place_of(self, cell: Any) -> float | int | None:
        """Return where a cell of the timelines stands on the axis."""
        if cell is None or not self.dated:
            return None if cell is None else float(cell)
        moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)
        return round(moment.replace(tzinfo=UTC).timestamp() * MILLISECONDS)

    def text(self, time: float) -> str:
        """Write a time of a claim."""
        if not self.dated:
            return f"{time:.10g}"
        return _written(datetime.fromtimestamp(time, UTC))


def _written(moment: datetime) -> str:
    is_day = not (moment.hour or moment.minute or moment.second)
    return moment.strftime("%Y-%m-%d" if is_day else "%Y-%m-%d %H:%M")


def shown_time(cell: Any) -> str:
    """Write a cell of the timelines; an empty one is a beginning or an end that nobody saw."""
    if cell is None:
        return "not seen"
    if isinstance(cell, datetime):
        return _written(cell)
    return cell.isoformat() if isinstance(cell, date) else f"{cell:.10g}"


def said_about(claims: Claims, item: int) -> list[Said]:
    """Return the claims about an item that have a time, in the order of time."""
    matrix, time = claims.matrix, claims.time
    if time is None:
        return []
    own = np.arange(matrix.claim_start[item], matrix.claim_start[item + 1])
    own = own[~np.isnan(time[own])]
    own = own[np.argsort(time[own], kind="stable")]
    sources, values = Labels(matrix.sources), Labels(matrix.values)
    negative = matrix.profiles[int(matrix.attribute_index[item])].negative
    said = []
    for claim in own.tolist():
        asserts = bool(matrix.claim_value[claim])
        value = values[int(matrix.value_index[matrix.statement_index[claim]])]
        if not asserts and negative is not None:
            value, asserts = negative, True
        said.append(
            Said(sources[int(matrix.source_index[claim])], value, float(time[claim]), asserts)
        )
    return said


def spells_about(timelines: pa.Table, entity: str, attribute: str) -> list[dict[str, Any]]:
    """Return the rows of the timelines about an item, in the order of time."""
    about = pc.and_(
        pc.equal(timelines["entity"], entity), pc.equal(timelines["attribute"], attribute)
    )
    rows: list[dict[str, Any]] = timelines.filter(about).to_pylist()
    return rows


def timeline_chart(
    entity: str,
    attribute: str,
    said: Sequence[Said],
    spells: Sequence[Mapping[str, Any]],
    dated: bool,
) -> Chart:
    """Show who said what when about an item, and what is believed over time."""
    clock = Clockwork(dated)
    about = f"{one_line(attribute, 40)} of {one_line(entity, 60)}"
    drawn = _thinned(said)
    label, rows = _rows(drawn)
    colour = _coloured(said, spells)
    places = [clock.place(one.time) for one in said] or [0]
    left, right = _ends(places)
    cut = "" if len(drawn) == len(said) else f" {len(drawn):,} of {len(said):,} claims are shown."
    band = " Grey bands are where a change may lie." if len(spells) > 1 else ""
    return Chart(
        "timeline",
        f"{about}: {_finding(spells)}",
        f"Each dot is a claim, each row a source. The bar above shows what is believed.{band}{cut}",
        f"Dots of {plural(len(drawn), 'claim')} about the {about} over time, by source, and a bar "
        f"of what is believed. {_history(spells)}{cut}",
        [
            {
                "row": label[one.source],
                "at": clock.place(one.time),
                "value": colour[one.value],
                "says": "names" if one.asserts else "denies",
                "source": one_line(one.source),
                "claim": one_line(one.value if one.asserts else f"not {one.value}"),
                "when": clock.text(one.time),
            }
            for one in drawn
        ],
        specification(
            "timeline",
            type="temporal" if dated else "quantitative",
            scale="utc" if dated else "linear",
            rows=[BELIEVED, *rows],
            values=_legend(colour),
            colours=[*COLOURS[: len(set(colour.values()) - {OTHER})], GREY],
            spells=[_bar(spell, colour, clock, left, right) for spell in spells],
            changes=[_change(one, two, clock) for one, two in _pairs(spells)],
        ),
    )


def timelines(subject: Subject) -> list[Chart]:
    """Show the timelines of a few items that changed, those with the most claims."""
    if subject.timelines is None:
        return []
    table = subject.timelines.to_arrow()
    changed = table.filter(pc.is_valid(table["valid_from"]))
    if not changed.num_rows:
        return []
    matrix = subject.claims.matrix
    item = np.unique(items_of(matrix, changed.select(["entity", "attribute"])))
    item = item[item >= 0]
    n_claims = np.diff(matrix.claim_start)[item]
    charts = []
    for place, own in enumerate(item[np.argsort(-n_claims, kind="stable")][:SHOWN].tolist()):
        entity = matrix.entities[int(matrix.entity_index[own])].as_py()
        attribute = matrix.attributes[int(matrix.attribute_index[own])].as_py()
        chart = timeline_chart(
            entity,
            attribute,
            said_about(subject.claims, own),
            spells_about(table, entity, attribute),
            subject.claims.columns.dated,
        )
        charts.append(replace(chart, name=f"timeline-{place + 1}"))
    return charts


def _thinned(said: Sequence[Said]) -> list[Said]:
    """Return the claims of the sources that say the most, spread over time if they are many."""
    count: dict[str, int] = {}
    for one in said:
        count[one.source] = count.get(one.source, 0) + 1
    chosen = set(sorted(count, key=lambda source: (-count[source], source))[:MAX_SOURCES])
    kept = [one for one in said if one.source in chosen]
    if len(kept) <= MAX_CLAIMS:
        return kept
    places = np.linspace(0, len(kept) - 1, MAX_CLAIMS).round().astype(int)
    return [kept[place] for place in places.tolist()]


def _rows(said: Sequence[Said]) -> tuple[dict[str, str], list[str]]:
    """Return the label of each source, and the labels by name."""
    sources = sorted({one.source for one in said})
    label = dict(zip(sources, short_labels(sources, 24), strict=True))
    return label, [label[source] for source in sources]


def _coloured(said: Sequence[Said], spells: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return what stands for each value in the legend: those believed first, then by claims."""
    count: dict[str, int] = {}
    for one in said:
        count[one.value] = count.get(one.value, 0) + 1
    believed = list(dict.fromkeys(spell["value"] for spell in spells))
    rest = sorted(set(count) - set(believed), key=lambda value: (-count[value], value))
    values = [*believed, *rest]
    own = values if len(values) <= MAX_VALUES else values[: MAX_VALUES - 1]
    label = dict(zip(own, short_labels(own, 30), strict=True))
    return {value: label.get(value, OTHER) for value in values}


def _legend(colour: Mapping[str, str]) -> list[str]:
    return [*dict.fromkeys(label for label in colour.values() if label != OTHER)] + (
        [OTHER] if OTHER in colour.values() else []
    )


def _ends(places: Sequence[float]) -> tuple[float, float]:
    """Return where the picture begins and ends."""
    left, right = min(places), max(places)
    margin = 0.03 * (right - left) or 1.0
    return left - margin, right + margin


def _bar(
    spell: Mapping[str, Any],
    colour: Mapping[str, str],
    clock: Clockwork,
    left: float,
    right: float,
) -> dict[str, Any]:
    begin, end = clock.place_of(spell["valid_from"]), clock.place_of(spell["valid_to"])
    return {
        "row": BELIEVED,
        "value": colour[spell["value"]],
        "from": left if begin is None else begin,
        "to": right if end is None else end,
        "from_text": shown_time(spell["valid_from"]),
        "to_text": shown_time(spell["valid_to"]),
        "plausibility": number(spell["plausibility"]),
    }


def _pairs(
    spells: Sequence[Mapping[str, Any]],
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return the spells that a change begins, each with the one before."""
    return [(one, two) for one, two in pairwise(spells) if two["valid_from"] is not None]


def _change(one: Mapping[str, Any], two: Mapping[str, Any], clock: Clockwork) -> dict[str, Any]:
    return {
        "at": clock.place_of(two["valid_from"]),
        "low": clock.place_of(two["changed_after"]),
        "high": clock.place_of(two["changed_before"]),
        "low_text": shown_time(two["changed_after"]),
        "high_text": shown_time(two["changed_before"]),
        "change": f"{one_line(one['value'], 30)} → {one_line(two['value'], 30)}",
        "sure": number(two["change_plausibility"]),
    }


def _finding(spells: Sequence[Mapping[str, Any]]) -> str:
    """Say what is believed last, and since when."""
    if not spells:
        return "no claimed value is believed"
    last = spells[-1]
    value = one_line(last["value"], 40)
    if last["valid_from"] is None:
        return f"{value}, without a change"
    return f"{value} since {shown_time(last['valid_from'])}"


def last_change(spells: Sequence[Mapping[str, Any]]) -> str:
    """Say what is believed last, since when, and how sure that is.

    >>> last_change([{"value": "Bern", "valid_from": None}])
    'The claims show no change: Bern is believed throughout.'
    """
    if not spells:
        return "None of the claimed values is believed."
    last = spells[-1]
    value = one_line(last["value"], 60)
    if last["valid_from"] is None:
        return f"The claims show no change: {value} is believed throughout."
    return (
        f"{value} has been believed since {shown_time(last['valid_from'])}. With a probability of "
        f"90 %, it changed between {shown_time(last['changed_after'])} and "
        f"{shown_time(last['changed_before'])}; with {100 * last['change_plausibility']:.0f} %, "
        "between the two claims where the line is drawn."
    )


def _history(spells: Sequence[Mapping[str, Any]]) -> str:
    told = [
        f"{one_line(spell['value'], 40)} from {shown_time(spell['valid_from'])} to "
        f"{shown_time(spell['valid_to'])}"
        for spell in spells
    ]
    return f"Believed: {'; '.join(told)}." if told else ""
