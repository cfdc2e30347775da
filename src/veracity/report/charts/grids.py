"""The features in use as a reader knows them: what they are called, and where to look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats
from veracity.data.buffers import to_numpy
from veracity.data.claims import Claims
from veracity.data.encode.grouping import distinct
from veracity.features import FeatureBuilder
from veracity.features.columns import Category
from veracity.report.charts.records import one_line, short_labels

Codes = npt.NDArray[np.int64]

#: Places on the curve of a number, cells below it, and cells along a side of a heat map.
MAX_PLACES, MAX_CELLS, MAX_SIDE = 40, 40, 16
#: The scale is logarithmic from this ratio of large to small numbers on.
RATIO = 60.0
#: Shares of claims that are left out on either side of a curve, so that few do not stretch it.
TAIL = 0.005
#: Numbers from here on are written with a unit, such as 2M.
MANY_DIGITS = 1e5
ANOTHER, MISSING = "any other", "missing"
#: Times after this, in seconds since 1970, are dates rather than numbers of another kind.
DATES = 1e8


@dataclass(frozen=True)
class Unit:
    """The unit in which a reader sees a feature.

    ``of_log`` says that the model sees log(1 + x); `size` of that x are one for the reader.
    """

    title: str
    of_log: bool = True
    size: float = 1.0

    def shown(self, numbers: Floats) -> Floats:
        """Return numbers as a reader sees them."""
        return np.asarray((np.expm1(numbers) if self.of_log else numbers) / self.size)

    def seen(self, shown: Floats) -> Floats:
        """Return numbers as the model sees them."""
        return np.asarray(np.log1p(shown * self.size) if self.of_log else shown * self.size)


_AGE = "older than the latest claim about the item"
#: Of the statistics of claims; the user's own numbers are as they are.
UNITS = {
    "sources of item": Unit("sources that speak about the item"),
    "values of item": Unit("values claimed for the item"),
    "claims of source": Unit("claims that the source makes"),
    "claims of statement": Unit("sources that claim the statement"),
    "order in item": Unit("how late among the claims about the item (0 first, 1 last)", False),
    "age in item": Unit(f"how much {_AGE}"),
}


@dataclass(frozen=True, eq=False)
class Grid:
    """The values at which a feature is evaluated.

    Attributes
    ----------
    name, title
        Of the feature, and of its axis.
    values
        What a table of features holds at each place: numbers or labels, None for missing.
    shown
        What a reader sees at each place: numbers in their own unit, or labels.
    places
        Of labels: the place of each, missing ones included.
    borders
        Of numbers: where the cells begin and end in which claims are counted, else None.
    logarithmic
        Whether an axis of these numbers should be.
    unit
        Of numbers.
    """

    name: str
    title: str
    values: Sequence[Any]
    shown: Sequence[Any]
    places: Mapping[Any, int]
    borders: Floats | None = None
    logarithmic: bool = False
    unit: Unit = Unit("", of_log=False)

    @property
    def is_number(self) -> bool:
        """Whether the places are numbers."""
        return self.borders is not None

    @property
    def format(self) -> str:
        """How an axis writes its numbers."""
        return ",.4~r" if max(map(abs, self.shown)) < MANY_DIGITS else "~s"

    @property
    def scale(self) -> dict[str, Any]:
        """The scale of an axis of these numbers."""
        return (
            {"type": "log", "nice": False} if self.logarithmic else {"zero": False, "nice": False}
        )

    def cells(self, column: pa.ChunkedArray) -> Codes:
        """Return the cell of each entry of a feature column, -1 for those outside."""
        if self.borders is not None:
            shown = self.unit.shown(to_numpy(column))
            cell = np.searchsorted(self.borders, shown, side="right") - 1
            cell = np.where(shown == self.borders[-1], len(self.borders) - 2, cell)
            return np.where(cell < len(self.borders) - 1, cell, -1)
        coded = column.combine_chunks().dictionary_encode()
        # A missing boolean is not a number, and so not equal to itself.
        labels = [None if label != label else label for label in coded.dictionary.to_pylist()]
        place = [self.places.get(label, -1) for label in [*labels, None]]
        index = to_numpy(coded.indices.fill_null(len(labels)))
        return np.asarray(np.array(place, np.int64)[index])

    def coarse(self) -> Grid:
        """Return a grid with a place in the middle of each cell, and not too many of them."""
        if self.borders is None:
            return self
        borders = self.borders
        if len(borders) > MAX_SIDE + 1:
            borders = _spaced(borders[0], borders[-1], MAX_SIDE, self.logarithmic)
        shown = _middle(borders, self.logarithmic)
        values = self.unit.seen(shown)
        return replace(self, values=values.tolist(), shown=shown.tolist(), borders=borders)


def grid_of(builder: FeatureBuilder, claims: Claims, name: str, column: pa.ChunkedArray) -> Grid:
    """Return where to look at a feature, given what the claims have of it."""
    category = next((one for one in builder.categories_ if one.name == name), None)
    if category is not None:
        return _of_category(category, column)
    if claims.feature_types.get(name) == "boolean":
        return _of_boolean(name, column)
    return _of_number(name, to_numpy(column), _unit(name, claims))


def _unit(name: str, claims: Claims) -> Unit:
    if name in claims.feature_types or name not in UNITS:
        return Unit(one_line(name, 60), of_log=False)
    times = claims.time
    if name == "age in item" and times is not None and np.nanmedian(np.abs(times)) > DATES:
        return Unit(f"days {_AGE}", size=86_400.0)
    return UNITS[name]


def _of_category(category: Category, column: pa.ChunkedArray) -> Grid:
    """Return the labels that have a column of their own, the commonest first, then the others."""
    counted = column.value_counts()
    count = dict(zip(*(part.to_pylist() for part in counted.flatten()), strict=True))
    labels: list[str | None] = sorted(category.common, key=lambda label: -count.get(label, 0))
    shown = short_labels(labels, 26)
    places: dict[str | None, int] = {label: place for place, label in enumerate(labels)}
    if category.pooled:
        places |= dict.fromkeys(category.pooled, len(labels))
        labels.append(category.pooled[0])
        shown.append(ANOTHER)
    if category.has_missing:
        places[None] = len(labels)
        labels.append(None)
        shown.append(MISSING)
    return Grid(category.name, one_line(category.name, 60), labels, shown, places)


def _of_boolean(name: str, column: pa.ChunkedArray) -> Grid:
    missing = bool(np.isnan(to_numpy(column)).any())
    values, shown = [1.0, 0.0, None], ["yes", "no", MISSING]
    n = 2 + missing
    places = {1.0: 0, 0.0: 1, None: 2}
    return Grid(name, one_line(name, 60), values[:n], shown[:n], places)


def _of_number(name: str, column: Floats, unit: Unit) -> Grid:
    known = column[np.isfinite(column)]
    levels = distinct(known)
    values = levels
    if len(levels) > MAX_PLACES:
        # Some places have equally many claims between them, some are equally far apart.
        even = np.quantile(known, np.linspace(TAIL, 1 - TAIL, MAX_PLACES // 2))
        values = distinct(np.append(even, np.linspace(even[0], even[-1], MAX_PLACES // 2)))
    shown = unit.shown(values)
    logarithmic = bool(shown[0] > 0 and shown[-1] / shown[0] > RATIO)
    if len(levels) > MAX_PLACES:
        borders = _spaced(shown[0], shown[-1], MAX_CELLS, logarithmic)
    else:
        borders = _around(shown, logarithmic)
    return Grid(name, unit.title, values.tolist(), shown.tolist(), {}, borders, logarithmic, unit)


def _spaced(low: float, high: float, cells: int, logarithmic: bool) -> Floats:
    return np.asarray((np.geomspace if logarithmic else np.linspace)(low, high, cells + 1))


def _middle(borders: Floats, logarithmic: bool) -> Floats:
    if logarithmic:
        return np.asarray(np.sqrt(borders[1:] * borders[:-1]))
    return np.asarray((borders[1:] + borders[:-1]) / 2)


def _around(shown: Floats, logarithmic: bool) -> Floats:
    """Return borders half-way between numbers, as far from the first and the last."""
    if len(shown) == 1:
        return np.array([shown[0] - 0.5, shown[0] + 0.5])
    between = _middle(shown, logarithmic)
    if logarithmic:
        ends = shown[0] ** 2 / between[0], shown[-1] ** 2 / between[-1]
    else:
        ends = 2 * shown[0] - between[0], 2 * shown[-1] - between[-1]
    return np.concatenate([[ends[0]], between, [ends[1]]])
