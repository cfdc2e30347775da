"""Numbers within a tolerance of each other, brought together in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.clean.numbers import amounts_at, numbers_at
from veracity.data.clean.tolerance import Tolerance
from veracity.data.compiled import compiled
from veracity.data.encode.grouping import CodedClaims, starts
from veracity.data.notes import Note, plural
from veracity.data.read.settings import Settings


def merge_close(
    claims: CodedClaims, names: Sequence[str], values: pa.Array, settings: Settings
) -> tuple[CodedClaims, list[Note]]:
    """Let one number of an item stand for all that are within the tolerance of it.

    The number that most claims name comes first, of equals the smaller; it takes in what is
    within its tolerance, and the next of those that are left goes on. Neither the order of rows
    nor who claims plays a part.
    """
    given = [settings.for_attribute(name).tolerance for name in names]
    tolerant = np.array([tolerance is not None for tolerance in given])
    first = starts(claims.item, claims.value)
    first = first[tolerant[claims.attribute[first]]]
    number, unit = _quantities(claims, first, names, values, settings)
    readable = ~np.isnan(number)
    first, number, unit = first[readable], number[readable], unit[readable]
    attribute = claims.attribute[first]
    # Amounts in different units are never close.
    item = claims.item[first].astype(np.int64) * (unit.max(initial=0) + 1) + unit
    asserting = np.concatenate([[0], np.cumsum(claims.asserts, dtype=np.int64)])
    ends = np.append(starts(claims.item, claims.value), len(claims.row))
    count = asserting[ends[np.searchsorted(ends, first) + 1]] - asserting[first]
    reach = np.zeros(len(first))
    for index, tolerance in enumerate(given):
        if tolerance is not None:
            own = attribute == index
            reach[own] = Tolerance.of(tolerance).reach(number[own])
    centre = _centres(item, number, count, reach)
    return _with_centres(claims, values, first, centre)


def _quantities(
    claims: CodedClaims,
    first: Indices,
    names: Sequence[str],
    values: pa.Array,
    settings: Settings,
) -> tuple[npt.NDArray[np.float64], Indices]:
    """Return the number of each value, NaN where it has none, and the index of its unit."""
    number = numbers_at(values, claims.value[first])
    unit = np.zeros(len(first), np.int64)
    for index, name in enumerate(names):
        said = settings.for_attribute(name)
        own = np.flatnonzero(claims.attribute[first] == index)
        if said.values == "amount" and len(own):
            number[own], unit[own] = amounts_at(values, claims.value[first[own]], said.rule)
    return number, unit


def _centres(
    item: Indices, number: npt.NDArray[np.float64], count: Indices, reach: npt.NDArray[np.float64]
) -> Indices:
    """Return the place of the number that stands for each; its own where it does so itself."""
    ascending = np.lexsort((number, item))
    rank = np.empty(len(item), np.int64)
    rank[ascending] = np.arange(len(item))
    turns = rank[np.lexsort((number, -count, item))]
    centre = np.full(len(item), -1, np.int64)
    _take_in(turns, item[ascending], number[ascending], reach[ascending], centre)
    found = np.empty(len(item), np.int64)
    found[ascending] = ascending[centre]
    return found


@compiled
def _take_in(turns: Any, item: Any, number: Any, reach: Any, centre: Any) -> None:
    """Let numbers, sorted by item and size, take in their neighbours, in their turns."""
    for place in turns:
        if centre[place] >= 0:
            continue
        for step in (-1, 1):
            other = place
            while 0 <= other < len(item) and item[other] == item[place]:
                if abs(number[other] - number[place]) > reach[place]:
                    break
                if centre[other] < 0:
                    centre[other] = place
                other += step


def _with_centres(
    claims: CodedClaims, values: pa.Array, first: Indices, centre: Indices
) -> tuple[CodedClaims, list[Note]]:
    """Replace each claim's value by its centre, and sort the claims again."""
    moved = np.flatnonzero(claims.value[first] != claims.value[first[centre]])
    if not len(moved):
        return claims, []
    begins = starts(claims.item, claims.value)
    size = np.diff(np.append(begins, len(claims.row)))
    place = np.searchsorted(begins, first[moved])
    shown = claims.value[begins]
    shown[place] = claims.value[first[centre[moved]]]
    value = np.repeat(shown, size)
    n_claims = int(size[place].sum())
    example = values[int(claims.value[first[moved[0]]])].as_py()
    stands = values[int(claims.value[first[centre[moved[0]]]])].as_py()
    note = Note(
        "tolerance",
        f"Merged {plural(n_claims, 'claim')} with a number of the same item within the tolerance, "
        f"for example {example!r} with {stands!r}.",
        n_claims,
    )
    order = np.lexsort((claims.row, claims.source, value, claims.item))
    return replace(
        claims,
        row=claims.row[order],
        item=claims.item[order],
        attribute=claims.attribute[order],
        entity=claims.entity[order],
        value=value[order],
        source=claims.source[order],
        asserts=claims.asserts[order],
        time=None if claims.time is None else claims.time[order],
        weight=None if claims.weight is None else claims.weight[order],
    ), [note]
