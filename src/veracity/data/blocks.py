"""Blocks of claims: whole items, coded by themselves, that know their sources' place among all.

A part of the claims table, as `read.partition` leaves it, becomes a block in two steps. `code_part`
puts indices for labels, which needs no knowledge of other parts. `encode_block` makes the matrix,
once all parts together have settled what the attributes are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Indices, Mask
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.clean.feature_columns import compact
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import distinct, starts
from veracity.data.encode.lists import Counts, Speakings
from veracity.data.encode.packing import Packing
from veracity.data.encode.repeats import Repeats, SpeaksTwice
from veracity.data.matrix import ClaimMatrix
from veracity.data.read.coding import SORTED
from veracity.data.read.ingest import Ingested
from veracity.data.read.schema import Columns
from veracity.data.read.settings import Settings
from veracity.data.truth.assessments import Assessments
from veracity.data.truth.known import KnownTruth


@dataclass(frozen=True, eq=False)
class ClaimBlock:
    """Claims about some of all items.

    Attributes
    ----------
    claims
        The claims, with sources, entities and values of their own.
    place
        The place of each of their sources among all sources.
    row
        The row of the input that each row of theirs was; None where they are all there are.
    known
        What is known of their statements before a fit, if anything is.
    assessed
        What assessors, who can err, say about their items, if any do.
    """

    claims: Claims
    place: Indices
    row: Indices | None = None
    known: KnownTruth | None = None
    assessed: Assessments | None = None

    @property
    def matrix(self) -> ClaimMatrix:
        """The claims as integer arrays."""
        return self.claims.matrix


@dataclass(frozen=True)
class Reading:
    """The settings and labels that all parts of a table share.

    ``attributes`` are the names of all attributes, in order; ``features`` those of the feature
    columns, which follow the others in a part.
    """

    attributes: tuple[str, ...]
    columns: Columns
    settings: Settings
    features: tuple[str, ...]


def code_part(part: pa.Table, reading: Reading) -> ClaimBlock:
    """Replace the labels of a part by indices; sort its claims by item, value and source.

    Parameters
    ----------
    part
        Its columns are row, source, place (of the source among all), attribute (its index), entity
        and value, then asserts, time and weight where there are such, then the features.
    """
    given = to_numpy(part["row"])
    in_order = np.argsort(given)
    place = distinct(to_numpy(part["place"]))
    source = np.searchsorted(place, to_numpy(part["place"]))
    one_of = np.empty(len(place), np.int64)
    one_of[source] = np.arange(len(source))
    labels = {
        "source": take_labels(part["source"].combine_chunks(), one_of),
        "attribute": pa.array(reading.attributes, pa.string()),
    }
    codes = {"source": source, "attribute": to_numpy(part["attribute"])}
    for role in ("entity", "value"):
        labels[role], codes[role] = _in_order(part[role])
    codes = {role: index[in_order] for role, index in codes.items()}
    sizes = {role: len(labels[role]) for role in SORTED} | {"row": len(given)}
    ordered = Packing.of(sizes).sort(codes | {"row": np.arange(len(given))})
    row = ordered["row"]
    coded = {"row": to_arrow(row)}
    for role in ("source", "attribute", "entity", "value"):
        index = to_arrow(ordered[role].astype(np.int32, copy=False))
        coded[role] = pa.DictionaryArray.from_arrays(index, labels[role], safe=False)
    coded["asserts"] = to_arrow(np.ones(len(row), np.uint8))
    for role in ("asserts", "time", "weight"):
        if role in reading.columns.roles:
            coded[role] = part[role].combine_chunks().take(to_arrow(in_order[row]))
    part = part.select(reading.features).take(to_arrow(in_order))
    features = pa.table({name: compact(part[name]) for name in reading.features})
    ingested = Ingested(pa.table(coded), features, reading.columns, len(row), reading.settings)
    return ClaimBlock(Claims(ingested), place.astype(np.int64), given[in_order])


def part_about(block: ClaimBlock, items: Mask) -> pa.Table:
    """Return the claims about the marked items of a block, as a part that `code_part` takes."""
    claims = block.claims
    codes, columns = claims.coded(), claims.columns.roles
    chosen = np.flatnonzero(items[codes.item])
    row = codes.row[chosen]
    matrix = claims.matrix
    part = {
        "row": to_arrow(row if block.row is None else block.row[row]),
        "source": take_labels(matrix.sources, codes.source[chosen]),
        "place": to_arrow(block.place[codes.source[chosen]]),
        "attribute": to_arrow(codes.attribute[chosen].astype(np.int64)),
        "entity": take_labels(matrix.entities, codes.entity[chosen]),
        "value": take_labels(claims.value_labels, codes.value[chosen]),
        "asserts": to_arrow(codes.asserts[chosen]),
    }
    for role, numbers in (("time", codes.time), ("weight", codes.weight)):
        if role in columns and numbers is not None:
            part[role] = to_arrow(numbers[chosen])
    features = claims.features.take(to_arrow(row))
    return pa.table(part | {name: features[name] for name in features.column_names})


def _in_order(column: pa.ChunkedArray) -> tuple[pa.StringArray, Indices]:
    """Return the distinct labels of a column in order, and the index of each cell among them."""
    encoded = column.combine_chunks().dictionary_encode()
    order = to_numpy(pc.sort_indices(encoded.dictionary).cast(pa.int64()))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return take_labels(encoded.dictionary, order), rank[to_numpy(encoded.indices)]


def count_part(block: ClaimBlock, n_attributes: int) -> dict[str, Indices]:
    """Count, by attribute, what its profile needs and what adds over blocks."""
    claims = block.claims.coded()
    n_items = np.bincount(claims.attribute[starts(claims.item)], minlength=n_attributes)
    return {"n_items": n_items, **Speakings.of(claims).by_attribute(n_attributes)}


def count_lists_of_sources(block: ClaimBlock, attributes: Indices) -> Counts:
    """Count how often each source of a block speaks of some attributes, and gives a list."""
    claims = block.claims.coded()
    return Speakings.of(claims).by_source(attributes, claims.n_sources)


def encode_block(block: ClaimBlock, profiles: Sequence[AttributeProfile]) -> ClaimBlock:
    """Encode a coded block, given the attribute profiles of all blocks."""
    return replace(block, claims=block.claims.with_profiles(tuple(profiles)))


def repeats_in(block: ClaimBlock, profiles: Sequence[AttributeProfile]) -> tuple[Repeats, ...]:
    """Return the claims of a block that a later one of the same source replaces, if any does."""
    try:
        encode_block(block, profiles)
    except SpeaksTwice as error:
        found = error.repeats
        row = found.row if block.row is None else int(block.row[found.row])
        return (found._replace(row=row),)
    return ()
