"""Numbers: what sources say of an item around what is believed, and how far off they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import take_labels
from veracity.data.claims import Claims
from veracity.data.clean.numbers import numbers_of
from veracity.data.clean.values import canonical_number
from veracity.data.notes import plural
from veracity.data.truth.known import items_of
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import number, one_line, records, short_labels, size_ticks
from veracity.report.subject import Subject

#: What an interval is, where no labels have calibrated it.
SPREAD = "spread of the sources"
#: Claims and sources that have a row of their own.
MAX_CLAIMS, MAX_SOURCES = 40, 40
#: With more decimals than this, a number is written by its significant digits.
MOST_DECIMALS = 8
#: Attributes that have a chart of their own.
MAX_ATTRIBUTES = 4
#: A claim so many times as far away as the others usually are is drawn at the edge.
FAR = 6.0
#: The median absolute deviation of a normal distribution, in standard deviations.
NORMAL = 0.6745
#: A source is named from so many claims on, and if it is so many spreads off.
ENOUGH_CLAIMS, BIASED = 5, 1.0


class SaidNumber(NamedTuple):
    """A number that a source says of an item."""

    source: str
    value: float


class Believed(NamedTuple):
    """The number believed of an item, the ends of its interval, NaN without one, and what it is.

    >>> str(Believed(13.93322859, 13.0915, 14.7749)), str(Believed(0.1, float("nan"), float("nan")))
    ('13.93 (spread of the sources: 13.09 to 14.77)', '0.1')
    """

    value: float
    low: float
    high: float
    basis: str = SPREAD

    @property
    def has_interval(self) -> bool:
        """Whether an interval is known."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    @property
    def interval_name(self) -> str:
        """What the interval is called: a promise only where labels have calibrated it."""
        return SPREAD if self.basis == SPREAD else "90 % interval, calibrated by labels"

    def shown(self, number: float) -> str:
        """Write a number with as many decimals as the interval is worth."""
        width = self.high - self.low if self.has_interval else 0.0
        if not width > 0:
            return f"{number:.6g}"
        decimals = max(1 - math.floor(math.log10(width / 2)), 0)
        return f"{number:,.{decimals}f}" if decimals <= MOST_DECIMALS else f"{number:.6g}"

    def __str__(self) -> str:
        value = self.shown(self.value)
        if not self.has_interval:
            return value
        return f"{value} ({self.interval_name}: {self.shown(self.low)} to {self.shown(self.high)})"


def believed_number(row: Mapping[str, Any]) -> Believed | None:
    """Return the number that a row of the truths names, None if it names none."""
    value = canonical_number(str(row["value"]))
    if value is None:
        return None
    ends = (row.get(end) for end in ("low", "high"))
    low, high = (math.nan if end is None else end for end in ends)
    return Believed(float(value), low, high, row.get("interval") or SPREAD)


def short_value(row: Mapping[str, Any]) -> str:
    """Return the value of a row of the truths; a number with its interval, in as many digits.

    >>> short_value({"value": "13.6533098457", "low": 13.1, "high": 14.3})
    '13.65 (13.10 to 14.30)'
    >>> short_value({"value": "Bern", "low": None, "high": None})
    'Bern'
    """
    believed = believed_number(row)
    if believed is None or not believed.has_interval:
        return str(row["value"])
    ends = f"{believed.shown(believed.low)} to {believed.shown(believed.high)}"
    return f"{believed.shown(believed.value)} ({ends})"


def numbers_said(claims: Claims, item: int) -> list[SaidNumber]:
    """Return the numbers that sources say of an item."""
    matrix = claims.matrix
    own = np.arange(matrix.claim_start[item], matrix.claim_start[item + 1])
    own = own[matrix.claim_value[own] == 1]
    value = claims.numbers[own]
    names = take_labels(matrix.sources, matrix.source_index[own]).to_pylist()
    said = zip(names, value.tolist(), strict=True)
    return [SaidNumber(name, value) for name, value in said if np.isfinite(value)]


def claims_around(
    entity: str, attribute: str, said: Sequence[SaidNumber], believed: Believed
) -> Chart:
    """Show what sources say of an item, around the number that is believed."""
    ordered = sorted(said, key=lambda one: (one.value, one.source))
    shown = _spread(ordered)
    values = np.array([one.value for one in shown])
    left, right = _edges(values, believed)
    at = np.clip(values, left, right)
    about = f"{one_line(attribute, 40)} of {one_line(entity, 60)}"
    has_interval = believed.has_interval
    inside = (values >= believed.low) & (values <= believed.high)
    n_far = int((at != values).sum())
    cut = (
        f" {len(shown)} of {len(ordered):,} claims are shown." if len(shown) < len(ordered) else ""
    )
    far = (
        f" {plural(n_far, 'claim is', 'claims are')} too far off for the picture and drawn as a "
        "triangle at its edge."
        if n_far
        else ""
    )
    band = f"; the band is the {believed.interval_name}" if has_interval else ""
    return Chart(
        "numbers",
        f"{about}: believed is {believed}",
        f"Each dot is what a source says; the line is the number believed{band}.{far}{cut}",
        f"Dots of the numbers that {plural(len(shown), 'claim')} of the {about} name, from "
        f"{values.min():.5g} to {values.max():.5g}. Believed is {believed}.{cut}",
        records(
            label=short_labels([one.source for one in shown]),
            source=[one_line(one.source) for one in shown],
            says=values,
            at=at,
            off=values - believed.value,
            place=["far" if away else "near" for away in (at != values).tolist()],
            inside=["inside" if within else "outside" for within in inside.tolist()],
        ),
        specification(
            "numbers",
            believed=[
                {
                    "believed": number(believed.value),
                    "low": number(believed.low),
                    "high": number(believed.high),
                }
            ],
            domain=[number(left), number(right)],
            axis=one_line(attribute, 60),
        ),
    )


def _spread(ordered: Sequence[SaidNumber]) -> list[SaidNumber]:
    """Return claims that are spread over all, by value."""
    if len(ordered) <= MAX_CLAIMS:
        return list(ordered)
    places = np.linspace(0, len(ordered) - 1, MAX_CLAIMS).round().astype(int)
    return [ordered[place] for place in places.tolist()]


def _edges(values: Floats, believed: Believed) -> tuple[float, float]:
    """Return where the picture ends: no gross error may squeeze all others into a line."""
    away = np.abs(values - believed.value)
    reach = FAR * float(np.median(away))
    ends = [end for end in (believed.low, believed.high) if np.isfinite(end)]
    kept = values[away <= reach] if reach > 0 else values
    seen = np.array([*kept.tolist(), believed.value, *ends])
    left, right = float(seen.min()), float(seen.max())
    margin = 0.04 * (right - left) or max(abs(left) * 0.05, 0.5)
    return left - margin, right + margin


def source_errors(subject: Subject) -> list[Chart]:
    """Show, for attributes that are numbers, how far off each source usually is, and how widely."""
    profiles = [profile for profile in subject.claims.attributes if profile.numeric]
    charts = []
    if profiles:
        residual, source, attribute = _residuals(subject)
        names = subject.claims.matrix.attributes.to_pylist()
        for profile in profiles[:MAX_ATTRIBUTES]:
            own = attribute == names.index(profile.name)
            made = _errors(subject, profile.name, residual[own], source[own])
            charts += [] if made is None else [made]
    return charts


def _residuals(subject: Subject) -> tuple[Floats, Indices, Indices]:
    """Return claimed less believed numbers, with source and attribute of each claim."""
    claims, matrix = subject.claims, subject.claims.matrix
    truths = subject.truths.to_arrow()
    believed = np.full(matrix.n_items, np.nan)
    item = items_of(matrix, truths)
    there = item >= 0
    believed[item[there]] = numbers_of(truths["value"].combine_chunks())[there]
    away = claims.numbers - believed[matrix.item_of_claim]
    heard = np.flatnonzero(np.isfinite(away) & (matrix.claim_value == 1))
    return (
        away[heard],
        matrix.source_index[heard].astype(np.int64),
        matrix.attribute_index[matrix.item_of_claim[heard]].astype(np.int64),
    )


def _errors(subject: Subject, name: str, residual: Floats, source: Indices) -> Chart | None:
    found, n_claims = np.unique(source, return_counts=True)
    enough = n_claims >= ENOUGH_CLAIMS
    largest = np.argsort(-n_claims[enough], kind="stable")[:MAX_SOURCES]
    found, n_claims = found[enough][largest], n_claims[enough][largest]
    if len(found) < 2:
        return None
    off, spread = np.array([_centre_and_spread(residual[source == one]) for one in found]).T
    order = np.argsort(np.hypot(off, spread), kind="stable")
    found, n_claims, off, spread = found[order], n_claims[order], off[order], spread[order]
    labels = [subject.claims.matrix.sources[int(one)].as_py() for one in found]
    left = len(np.unique(source)) - len(found)
    cut = f" {plural(left, 'source')} with fewer claims not shown." if left else ""
    finding = _finding(name, labels, off, spread)
    return Chart(
        f"number-sources-{name}" if _several(subject) else "number-sources",
        finding,
        "The dot is how far the numbers of a source usually are from those believed, above to the "
        "right; the line is their spread, one standard deviation to each side. The closest come "
        f"first.{cut}",
        f"Dots of how far {plural(len(found), 'source')} of {one_line(name, 40)} usually are from "
        f"the number believed, with the spread of each. {finding}.{cut}",
        records(
            label=short_labels(labels),
            source=[one_line(label, 60) for label in labels],
            claims=n_claims,
            off=off,
            low=off - spread,
            high=off + spread,
            spread=spread,
        ),
        specification("number-sources", ticks=size_ticks(n_claims)),
    )


def _several(subject: Subject) -> bool:
    return sum(profile.numeric for profile in subject.claims.attributes) > 1


def _centre_and_spread(residual: Floats) -> tuple[float, float]:
    """Return the median, and the standard deviation that the median distance from it suggests."""
    centre = float(np.median(residual))
    return centre, float(np.median(np.abs(residual - centre))) / NORMAL


def _finding(name: str, labels: Sequence[str], off: Floats, spread: Floats) -> str:
    """Name the closest source, which is the first, and the one that is off most, if it is far."""
    worst = int(np.argmax(np.abs(off)))
    text = f"{one_line(name, 40)}: {one_line(labels[0], 40)} is closest to what is believed"
    if abs(off[worst]) < BIASED * float(np.median(spread)) or worst == 0:
        return text
    side = "above" if off[worst] > 0 else "below"
    return f"{text}, {one_line(labels[worst], 40)} usually {abs(off[worst]):.3g} {side} it"
