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
from veracity.data.encode.grouping import CodedClaims, numbered, starts
from veracity.data.encode.repeats import RepeatCounts, repeats_notes, resolve_repeats
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.read.settings import Settings


class Encoded(NamedTuple):
    """A claim matrix, what was noticed on the way, and how many claims repeat others."""

    matrix: ClaimMatrix
    notes: list[Note]
    repeats: RepeatCounts


def encode(
    codes: pa.Table, settings: Settings, profiles: tuple[AttributeProfile, ...] | None = None
) -> Encoded:
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
    claims, repeats = resolve_repeats(claims, labels, profiles, settings)
    notes += repeats_notes(settings, repeats, claims.time is not None)
    matrix = _build(claims, labels, values, profiles)
    if claims.nobody_speaks_twice:
        vars(matrix)["nobody_speaks_twice"] = True  # which takes a while to find out
    return Encoded(matrix, notes, repeats)


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
    is_boolean = np.array([profile.kind == "boolean" for profile in profiles])
    if len(profiles) > 1:  # else what holds for the attribute holds for every claim
        positive, negative, is_boolean = (
            of_attribute[claims.attribute] for of_attribute in (positive, negative, is_boolean)
        )
    says_no = is_boolean & (claims.value == negative)
    stated = replace(
        claims,
        value=np.where(is_boolean, positive, claims.value),
        asserts=(claims.asserts ^ says_no).astype(np.uint8),
    )
    # Who speaks about what is as before.
    vars(stated)["nobody_speaks_twice"] = claims.nobody_speaks_twice
    if not missing:
        return stated, values
    return stated, pa.concat_arrays([values, pa.array(missing, values.type)])


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
        statement_index=numbered(statement_first, n_claims, np.int32),
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
