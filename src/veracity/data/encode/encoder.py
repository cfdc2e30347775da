"""Claims to ClaimMatrix: kinds settled, repeated claims resolved, statements numbered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.encode.attributes import (
    AttributeProfile,
    check_names,
    count_attributes,
    profile_attribute,
)
from veracity.data.encode.grouping import CodedClaims, group_index, starts, superseded
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.data.read.settings import Settings
from veracity.errors import InputError


def encode(
    codes: pa.Table, settings: Settings, profiles: tuple[AttributeProfile, ...] | None = None
) -> tuple[ClaimMatrix, list[Note]]:
    """Encode coded claims as a matrix; the notes say what was left out on the way.

    Of claims that are a part of all, `profiles` say what all of them make of the attributes.
    """
    labels = {
        role: codes[role].chunk(0).dictionary for role in ("source", "entity", "attribute", "value")
    }
    claims = CodedClaims.of(codes)
    names, notes = labels["attribute"].to_pylist(), list[Note]()
    if any(setting.tolerance is not None for setting in settings.attributes.values()):
        from veracity.data.clean.merge import merge_close  # brings a compiler with it

        claims, notes = merge_close(claims, names, labels["value"], settings)
    if profiles is None:
        profiles = _profile(claims, names, labels["value"], settings)
    claims, values = _as_statements(claims, labels["value"], profiles)
    dropped = repeated_claims(claims, profiles)
    if len(dropped):
        if settings.duplicates == "error":
            raise _speaks_twice(claims, labels, dropped)
        if settings.duplicates == "latest":
            claims = _without(claims, dropped)
        notes += repeats_notes(settings, len(dropped), claims.time is not None)
    matrix = _build(claims, labels, values, profiles)
    return matrix, notes


def _profile(
    claims: CodedClaims, names: Sequence[str], values: pa.Array, settings: Settings
) -> tuple[AttributeProfile, ...]:
    check_names(settings, names)
    return tuple(
        profile_attribute(counts, settings.for_attribute(counts.name))
        for counts in count_attributes(names, values, claims)
    )


def _as_statements(
    claims: CodedClaims, values: pa.Array, profiles: Sequence[AttributeProfile]
) -> tuple[CodedClaims, pa.Array]:
    """Make one statement of each boolean item: who says no denies it.

    The values gain those words that a verdict may need though nobody claimed them.
    """
    boolean = [profile for profile in profiles if profile.kind == "boolean"]
    if not boolean:
        return claims, values
    words = [word for profile in boolean for word in (profile.positive, profile.negative)]
    position = {word: index for index, word in enumerate(values.to_pylist()) if word in set(words)}
    missing = [word for word in dict.fromkeys(words) if word not in position]
    position |= {word: len(values) + index for index, word in enumerate(missing)}
    positive = np.array([position.get(profile.positive, -1) for profile in profiles], np.int32)
    negative = np.array([position.get(profile.negative, -1) for profile in profiles], np.int32)
    is_boolean = np.array([profile.kind == "boolean" for profile in profiles])[claims.attribute]
    says_no = is_boolean & (claims.value == negative[claims.attribute])
    claims = replace(
        claims,
        value=np.where(is_boolean, positive[claims.attribute], claims.value),
        asserts=np.where(says_no, 1 - claims.asserts, claims.asserts).astype(np.uint8),
    )
    if not missing:
        return claims, values
    return claims, pa.concat_arrays([values, pa.array(missing, values.type)])


def repeated_claims(claims: CodedClaims, profiles: Sequence[AttributeProfile]) -> Indices:
    """Return the positions of claims that a later claim of the same source replaces.

    This is the duplicate rule: a source makes one claim about a statement, and names one value of
    an item that has one true value.
    """
    if claims.nobody_speaks_twice:
        return np.empty(0, np.int64)
    statement = group_index(claims.item, claims.value)
    about_statement = superseded(
        statement * claims.n_sources + claims.source, claims.time, claims.row
    )
    single = np.array([profile.kind == "single" for profile in profiles])[claims.attribute]
    asserting = np.flatnonzero(single & (claims.asserts == 1))
    about_item = superseded(
        claims.item[asserting] * claims.n_sources + claims.source[asserting],
        None if claims.time is None else claims.time[asserting],
        claims.row[asserting],
    )
    return np.union1d(about_statement, asserting[about_item])


def _without(claims: CodedClaims, dropped: Indices) -> CodedClaims:
    keep = np.ones(len(claims.row), dtype=np.bool_)
    keep[dropped] = False
    return replace(
        claims,
        row=claims.row[keep],
        item=claims.item[keep],
        attribute=claims.attribute[keep],
        entity=claims.entity[keep],
        value=claims.value[keep],
        source=claims.source[keep],
        asserts=claims.asserts[keep],
        time=None if claims.time is None else claims.time[keep],
        weight=None if claims.weight is None else claims.weight[keep],
    )


def repeats_notes(settings: Settings, count: int, by_time: bool) -> list[Note]:
    """Report how many claims a later claim of the same source replaces."""
    if not count:
        return []
    text = (
        f"Set aside {plural(count, 'claim')} that a later claim of the same source replaces "
        f"(latest by {'time' if by_time else 'input order'})."
    )
    if settings.duplicates == "all":
        text = f"Kept {plural(count, 'repeated claim')} of the same source."
    return [Note("duplicates", text, count)]


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
            "Keep the latest with --duplicates latest, or all with --duplicates all."
        )


def _speaks_twice(
    claims: CodedClaims, labels: dict[str, pa.Array], dropped: Indices
) -> SpeaksTwice:
    first = dropped[np.argmin(claims.row[dropped])]
    source = labels["source"][claims.source[first]].as_py()
    entity = labels["entity"][claims.entity[first]].as_py()
    return SpeaksTwice(Repeats(len(dropped), int(claims.row[first]), source, entity))


def _build(
    claims: CodedClaims,
    labels: dict[str, pa.Array],
    values: pa.Array,
    profiles: tuple[AttributeProfile, ...],
) -> ClaimMatrix:
    claim_start = starts(claims.item)
    statement_first = starts(claims.item, claims.value)
    item_first = claims.item[statement_first]
    n_claims = len(claims.row)
    return ClaimMatrix(
        source_index=claims.source,
        statement_index=group_index(claims.item, claims.value).astype(np.int32),
        claim_value=claims.asserts,
        weight=claims.weight,
        row=claims.row,
        claim_start=_bounds(claim_start, n_claims),
        statement_start=_bounds(starts(item_first), len(statement_first)),
        entity_index=claims.entity[claim_start],
        attribute_index=claims.attribute[claim_start],
        value_index=claims.value[statement_first],
        sources=labels["source"],
        entities=labels["entity"],
        attributes=labels["attribute"],
        values=values,
        profiles=profiles,
    )


def _bounds(first: Indices, end: int) -> npt.NDArray[np.int64]:
    return np.append(first, end)
