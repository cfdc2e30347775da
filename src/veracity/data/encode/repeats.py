"""Sources that speak more than once about an item: which of their claims count, and how much.

By default a time decides which claim is the last one. Where no time does, all m claims of a source
about an item count, each with weight 1/sqrt(m): asked twice, a source is worth more than asked
once, and less than two sources. Of values that change, claims of different times do not replace or
repeat each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import (
    CodedClaims,
    group_index,
    group_sizes,
    outdated,
    superseded,
)
from veracity.data.notes import Note, plural
from veracity.data.read.settings import Settings
from veracity.errors import InputError


class RepeatCounts(NamedTuple):
    """How many claims a later one replaces, and how many of those kept are repeats."""

    n_replaced: int = 0
    n_repeated: int = 0


def resolve_repeats(
    claims: CodedClaims,
    labels: dict[str, pa.Array],
    profiles: Sequence[AttributeProfile],
    settings: Settings,
) -> tuple[CodedClaims, RepeatCounts]:
    """Leave out claims that a later one replaces, and weigh those that repeat each other."""
    if claims.nobody_speaks_twice:
        return claims, RepeatCounts()
    claims, counts = _resolved(claims, labels, profiles, settings)
    return _in_order(claims), counts


def _resolved(
    claims: CodedClaims,
    labels: dict[str, pa.Array],
    profiles: Sequence[AttributeProfile],
    settings: Settings,
) -> tuple[CodedClaims, RepeatCounts]:
    if settings.duplicates == "auto":
        return _share_evidence(claims, profiles)
    replaced = _replaced(claims, profiles, by_row=True)
    if len(replaced) and settings.duplicates == "error":
        raise _speaks_twice(claims, labels, replaced)
    if settings.duplicates == "all":
        return claims, RepeatCounts(n_repeated=len(replaced))
    return _without(claims, replaced), RepeatCounts(n_replaced=len(replaced))


def _share_evidence(
    claims: CodedClaims, profiles: Sequence[AttributeProfile]
) -> tuple[CodedClaims, RepeatCounts]:
    n_replaced = 0
    if claims.time is not None:
        replaced = _replaced(claims, profiles, by_row=False)
        claims, n_replaced = _without(claims, replaced), len(replaced)
    size = _speaking_size(claims, profiles)
    n_repeated = len(size) - round(float((1.0 / size).sum()))  # all but one of each group
    if n_repeated:
        weight = 1.0 if claims.weight is None else claims.weight
        claims = replace(claims, weight=weight / np.sqrt(size))
    return claims, RepeatCounts(n_replaced, n_repeated)


def _replaced(claims: CodedClaims, profiles: Sequence[AttributeProfile], by_row: bool) -> Indices:
    """Find the claims that a later claim of the same source replaces.

    A source says one thing about a statement and, of an item with one true value, claims one. Of
    claims with the same time, the last row replaces the others if it goes `by_row`.
    """

    def find(key: Indices, among: Indices) -> Indices:
        time = None if claims.time is None else claims.time[among]
        if by_row:
            return superseded(key, time, claims.row[among])
        assert time is not None
        return outdated(key, time)

    occasion = _occasions(claims, profiles)
    statement = _index_of(occasion, claims.value)
    everyone = np.arange(len(claims.row))
    about_statement = find(statement * claims.n_sources + claims.source, everyone)
    naming = np.flatnonzero(_is("single", claims, profiles) & (claims.asserts == 1))
    about_item = find(occasion[naming] * claims.n_sources + claims.source[naming], naming)
    return np.union1d(about_statement, naming[about_item])


def _speaking_size(claims: CodedClaims, profiles: Sequence[AttributeProfile]) -> Floats:
    """Return how often its source says what a claim says or something in its place; (n_claims,).

    Values of an item with one true value stand in each other's place, and so do yes and no. Where
    several values are true, only the same value repeats a claim; so does the same denial.
    """
    single = _is("single", claims, profiles)
    per_item = (single & (claims.asserts == 1)) | _is("boolean", claims, profiles)
    occasion = _occasions(claims, profiles)
    statement = _index_of(occasion, claims.value)
    size = np.empty(len(claims.row))
    for chosen, about in ((per_item, occasion), (~per_item, statement)):
        size[chosen] = group_sizes(about[chosen] * claims.n_sources + claims.source[chosen])
    return size


def _occasions(claims: CodedClaims, profiles: Sequence[AttributeProfile]) -> Indices:
    """Number what claims are about: items or, of values that change, an item at a time."""
    changing = np.array([profile.changing for profile in profiles])[claims.attribute]
    if claims.time is None or not changing.any():
        return claims.item
    return _index_of(claims.item, np.where(changing, np.nan_to_num(claims.time, nan=-np.inf), 0.0))


def _index_of(group: Indices, within: npt.NDArray[Any]) -> Indices:
    """Number the pairs of two columns, in their order."""
    later = (group[1:] > group[:-1]) | ((group[1:] == group[:-1]) & (within[1:] >= within[:-1]))
    if later.all():
        return group_index(group, within)
    order = np.lexsort((within, group))
    index = np.empty(len(group), np.int64)
    index[order] = group_index(group[order], within[order])
    return index


def _is(kind: str, claims: CodedClaims, profiles: Sequence[AttributeProfile]) -> np.ndarray:
    return np.array([profile.kind == kind for profile in profiles])[claims.attribute]


def _without(claims: CodedClaims, dropped: Indices) -> CodedClaims:
    if not len(dropped):
        return claims
    keep = np.ones(len(claims.row), dtype=np.bool_)
    keep[dropped] = False
    return _taken(claims, np.flatnonzero(keep))


def _in_order(claims: CodedClaims) -> CodedClaims:
    """Order the claims of a source about a statement by what they say, not by their rows.

    Sums over claims then come out the same to the last digit, however the table is sorted.
    """
    group = group_index(claims.item, claims.value, claims.source)
    rivals = np.flatnonzero(np.bincount(group)[group] > 1)
    if not len(rivals):
        return claims
    keys = (claims.time, claims.weight, claims.asserts, group)
    places = rivals[np.lexsort([key[rivals] for key in keys if key is not None])]
    if np.array_equal(places, rivals):
        return claims
    order = np.arange(len(group))
    order[rivals] = places
    return _taken(claims, order)


def _taken(claims: CodedClaims, places: Indices) -> CodedClaims:
    return replace(
        claims,
        row=claims.row[places],
        item=claims.item[places],
        attribute=claims.attribute[places],
        entity=claims.entity[places],
        value=claims.value[places],
        source=claims.source[places],
        asserts=claims.asserts[places],
        time=None if claims.time is None else claims.time[places],
        weight=None if claims.weight is None else claims.weight[places],
    )


def repeats_notes(settings: Settings, counts: RepeatCounts, by_time: bool) -> list[Note]:
    """Say what became of claims of sources that speak more than once about an item."""
    notes = []
    if counts.n_replaced:
        text = (
            f"Set aside {plural(counts.n_replaced, 'claim')} that the same source replaced by a "
            f"later one (latest by {'time' if by_time else 'input order'})."
        )
        notes.append(Note("duplicates", text, counts.n_replaced))
    if counts.n_repeated:
        text = f"Kept all of {plural(counts.n_repeated, 'repeated claim')} by the same source."
        if settings.duplicates == "auto":
            text = _why_all_count(counts.n_repeated, by_time)
        notes.append(Note("duplicates", text, counts.n_repeated))
    return notes


def _why_all_count(n_repeated: int, by_time: bool) -> str:
    verb = "repeats or contradicts" if n_repeated == 1 else "repeat or contradict"
    why = "They have no time, or the same time" if by_time else "There is no time column"
    return (
        f"{plural(n_repeated, 'claim')} {verb} what the same source says about the same item. "
        f"{why}, so all count: m claims of a source about an item have weight 1/sqrt(m) each."
    )


class Repeats(NamedTuple):
    """How many claims a later one replaces, and the first of them: row, source and entity."""

    n_claims: int
    row: int
    source: str
    entity: str


class SpeaksTwice(InputError):
    """A source speaks twice about an item with one true value, and that is not allowed."""

    def __init__(self, repeats: Repeats) -> None:
        self.repeats = repeats
        super().__init__(
            "A source speaks more than once about an item with one true value, or repeats a claim: "
            f"{plural(repeats.n_claims, 'claim')} in all. The first is in row {repeats.row + 1:,} "
            f"(source {repeats.source!r}, entity {repeats.entity!r}), which a later row replaces. "
            "Let all count as repeated evidence with --duplicates auto, keep the latest with "
            "--duplicates latest, or all with --duplicates all."
        )


def _speaks_twice(
    claims: CodedClaims, labels: dict[str, pa.Array], dropped: Indices
) -> SpeaksTwice:
    first = dropped[np.argmin(claims.row[dropped])]
    source = labels["source"][claims.source[first]].as_py()
    entity = labels["entity"][claims.entity[first]].as_py()
    return SpeaksTwice(Repeats(len(dropped), int(claims.row[first]), source, entity))
