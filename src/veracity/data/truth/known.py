"""KnownTruth: given truth, matched to the statements of a claim matrix."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import to_numpy
from veracity.data.clean.numbers import numbers_at, numbers_of, numeric_items
from veracity.data.clean.tolerance import SAME_NUMBER, Tolerance
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.hierarchy.hierarchy import Hierarchy
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError

if TYPE_CHECKING:
    from veracity.data.claims import Claims

UNKNOWN, FALSE, TRUE = -1, 0, 1


@dataclass(frozen=True, eq=False)
class KnownTruth:
    """The known truth of statements, given before the fit.

    Attributes
    ----------
    statement
        `TRUE`, `FALSE` or `UNKNOWN` for each statement. All values of an item with known truth
        are false but those that were given; (n_statements,).
    settled
        The items with known truth; (n_items,).
    unclaimed
        Given truth that nobody claims: entity, attribute, value, and the number of its item, or
        -1 where nobody speaks about the item at all.
    number
        The given number of items that were declared to have one, claimed or not, NaN for others;
        of several, the first in the order of their text; (n_items,).
    """

    statement: npt.NDArray[np.int8]
    settled: npt.NDArray[np.bool_]
    unclaimed: pa.Table
    number: Floats

    @classmethod
    def of(cls, truth: Any, claims: Claims, *, agrees: bool = False) -> KnownTruth:
        """Match truth (`GroundTruth`, a frame, or the path of a file) to the claims.

        `agrees` asks for one truth of every item that has one, as a fit needs it; to measure by,
        either of several will do.
        """
        given = GroundTruth.of(truth).certain(claims.matrix.attributes.to_pylist())
        matrix = claims.matrix
        item = items_of(matrix, given)
        if agrees:
            check_agreement(contradictions(claims, item, given))
        found = item >= 0
        statement = np.full(matrix.n_statements, UNKNOWN, np.int8)
        settled = np.zeros(matrix.n_items, np.bool_)
        settled[item[found]] = True
        statement[settled[matrix.item_of_statement]] = FALSE
        matched = np.full(len(item), -1, np.int64)
        matched[found] = matched_statements(claims, item[found], given.filter(pa.array(found)))
        asked = given_numbers(matrix, item, given["value"])
        number = np.full(matrix.n_items, np.nan)
        has_number = np.flatnonzero(~np.isnan(asked))[::-1]  # of several, the first is kept
        number[item[has_number]] = asked[has_number]
        statement[matched[matched >= 0]] = TRUE
        if matrix.lineages is not None:
            statement[_above_given(matrix, item, given["value"], statement)] = UNKNOWN
        claimed = (matched >= 0) | denies(claims, item, given["value"])
        left = given.append_column("item", pa.array(item)).filter(pa.array(~claimed))
        return cls(statement, settled, left, number)


def _above_given(
    matrix: ClaimMatrix, item: Indices, values: pa.ChunkedArray, known: npt.NDArray[np.int8]
) -> Indices:
    """Return the statements within which a given truth lies: they hold, but are not all of it."""
    above = []
    for of_item, value in zip(item.tolist(), values.to_pylist(), strict=True):
        if of_item < 0:
            continue
        hierarchy = matrix.profiles[int(matrix.attribute_index[of_item])].hierarchy
        if hierarchy is None:
            continue
        path = {hierarchy.key(label) for label in hierarchy.path(value)}
        for statement in range(*matrix.statement_start[of_item : of_item + 2].tolist()):
            label = matrix.values[int(matrix.value_index[statement])].as_py()
            if known[statement] == FALSE and _lies_above(hierarchy, label, value, path):
                above.append(statement)
    return np.array(above, np.int64)


def _lies_above(hierarchy: Hierarchy, label: str, value: str, path: set[str]) -> bool:
    if hierarchy.tokens:
        return hierarchy.words(label) < hierarchy.words(value)
    return hierarchy.key(label) in path


def notes_on_match(
    n_settled: int, unclaimed: pa.Table, told: Collection[tuple[str, str, str]] = ()
) -> list[Note]:
    """Say of how many items the truth is given, and which of it nobody claims.

    `told` are given values (entity, attribute, value) that another note is about.
    """
    rows = unclaimed.to_pylist()
    silent = [row for row in rows if row["item"] < 0]
    other = [row for row in rows if row["item"] >= 0 and _names(row) not in told]
    notes = [Note("labels", f"The truth of {plural(n_settled, 'item')} is given.")]
    if silent:
        said = plural(len(silent), "known truth is about an item", "known truths are about items")
        text = f"{said} without claims, such as {_example(silent[0])}; kept as given."
        notes.append(Note("known truth", text, len(silent)))
    if other:
        text = (
            f"Nobody claims the value of {plural(len(other), 'known truth', 'known truths')}, such "
            f"as {_example(other[0])}; kept as given, so all claims about the item count as false."
        )
        notes.append(Note("known truth", text, len(other)))
    return notes


def _names(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["entity"], row["attribute"], row["value"]


def _example(row: dict[str, Any]) -> str:
    return f"{row['entity']!r} ({row['attribute']!r}: {row['value']!r})"


@dataclass(frozen=True, order=True)
class Contradiction:
    """Two truths of an item that has one: in which row the second is given, and what they say."""

    row: int
    entity: str
    attribute: str
    before: str
    value: str


def contradictions(claims: Claims, item: Indices, given: pa.Table) -> list[Contradiction]:
    """Find the first single-valued item with two true values, if any."""
    matrix, forms = claims.matrix, claims.forms
    counts = np.bincount(item[item >= 0], minlength=matrix.n_items)
    doubtful = (counts > 1) & ~matrix.kind_is("multiple")
    rows = np.flatnonzero((item >= 0) & doubtful[item]).tolist()
    seen: dict[int, str] = {}
    for row in rows:
        entity, attribute, value = (given[name][row].as_py() for name in given.column_names[:3])
        before = seen.setdefault(int(item[row]), value)
        if forms.key(attribute, value) == forms.key(attribute, before):
            continue
        profile = matrix.profiles[int(matrix.attribute_index[item[row]])]
        if not (profile.numeric and _are_near(before, value, profile)):
            return [Contradiction(row, entity, attribute, before, value)]
    return []


def _are_near(before: str, value: str, profile: AttributeProfile) -> bool:
    """Whether two numbers are the same within the tolerance of their attribute."""
    centre, other = numbers_of(pa.array([before, value]))
    tolerance = SAME_NUMBER if profile.tolerance is None else Tolerance.of(profile.tolerance)
    return bool(abs(other - centre) <= tolerance.reach(np.array([centre]))[0])


def check_agreement(found: Iterable[Contradiction]) -> None:
    """Refuse several truths of an item that has one."""
    first = min(found, default=None)
    if first is not None:
        name = first.attribute
        raise InputError(
            f"The known truth contradicts itself: {name!r} of {first.entity!r} is given as "
            f"{first.before!r} and as {first.value!r}, but has one true value. Give one of them, "
            f"or say that several can be true (--kind {name}=multiple)."
        )


def items_of(matrix: ClaimMatrix, given: pa.Table) -> Indices:
    """Return the item that each row (entity, attribute) is about, -1 where nobody speaks of it."""
    entity = label_codes(given["entity"], matrix.entities)
    attribute = label_codes(given["attribute"], matrix.attributes)
    n_attributes = len(matrix.attributes)
    keys = matrix.entity_index.astype(np.int64) * n_attributes + matrix.attribute_index
    order = np.argsort(keys, kind="stable")
    wanted = entity * n_attributes + attribute
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    item = order[place]
    known = (entity >= 0) & (attribute >= 0) & (keys[item] == wanted)
    return np.where(known, item, -1)


def label_codes(labels: pa.ChunkedArray, among: pa.StringArray) -> Indices:
    """Return the place of each label among others, -1 where it is none of them."""
    found = pc.fill_null(pc.index_in(labels, value_set=among), -1)
    return to_numpy(found).astype(np.int64)


def matched_statements(claims: Claims, item: Indices, given: pa.Table) -> Indices:
    """Return the statement that each row about an item means, -1 where nobody claims it.

    A number means the claimed one that is nearest, within the tolerance.
    """
    matched = _statements(claims, item, given["value"])
    asked = given_numbers(claims.matrix, item, given["value"])
    left_over = np.flatnonzero((matched < 0) & ~np.isnan(asked))
    matched[left_over] = _nearest(claims.matrix, item[left_over], asked[left_over])
    return matched


def _statements(claims: Claims, item: Indices, values: pa.ChunkedArray) -> Indices:
    """Return the statement of each item that claims a value, -1 where nobody claims it."""
    matrix, forms = claims.matrix, claims.forms
    attributes, labels = matrix.attributes.to_pylist(), matrix.values
    asked = values.to_pylist()
    if forms.change_anything():
        # The matrix shows one spelling of each value: the same key finds it.
        spelled: dict[tuple[str, str], str] = {}
        of_item = [attributes[index] for index in matrix.attribute_index[item].tolist()]
        shown = set(of_item)
        pairs = np.unique(
            matrix.attribute_index[matrix.item_of_statement].astype(np.int64) * len(labels)
            + matrix.value_index
        )
        for pair in pairs.tolist():
            name, label = attributes[pair // len(labels)], labels[pair % len(labels)].as_py()
            if name in shown:
                spelled[name, forms.key(name, label)] = label
        asked = [
            spelled.get((name, forms.key(name, value)), value)
            for name, value in zip(of_item, asked, strict=True)
        ]
    value = label_codes(pa.chunked_array([pa.array(asked, pa.string())]), labels)
    keys = matrix.item_of_statement.astype(np.int64) * len(labels) + matrix.value_index
    order = np.argsort(keys, kind="stable")
    wanted = item * len(labels) + value
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    statement = order[place]
    return np.where((value >= 0) & (keys[statement] == wanted), statement, -1)


def given_numbers(matrix: ClaimMatrix, item: Indices, values: pa.ChunkedArray) -> Floats:
    """Return each given truth as a number, NaN where none was declared or nobody speaks."""
    asked = np.full(len(item), np.nan)
    wanted = (item >= 0) & numeric_items(matrix)[item]
    asked[wanted] = numbers_of(values.filter(pa.array(wanted)).combine_chunks())
    return asked


def _nearest(matrix: ClaimMatrix, item: Indices, asked: Floats) -> Indices:
    """Return the statement whose number is nearest to the one asked for, -1 if out of tolerance."""
    if not len(item):
        return np.empty(0, np.int64)
    tolerances = [
        None if profile.tolerance is None else Tolerance.of(profile.tolerance)
        for profile in matrix.profiles
    ]
    reach = np.full(len(item), -1.0)
    for index, tolerance in enumerate(tolerances):
        own = matrix.attribute_index[item] == index
        if tolerance is not None:
            reach[own] = tolerance.reach(asked[own])
    start, end = matrix.statement_start[item], matrix.statement_start[item + 1]
    row = np.repeat(np.arange(len(item)), end - start)
    begins = np.cumsum(end - start) - (end - start)
    statement = np.arange(len(row)) - np.repeat(begins - start, end - start)
    number = numbers_at(matrix.values, matrix.value_index[statement])
    distance = np.where(np.isnan(number), np.inf, np.abs(number - asked[row]))
    # Of two that are as near, the smaller.
    order = np.lexsort((number, distance, row))
    best = order[begins]
    return np.where(distance[best] <= reach, statement[best], -1)


def denies(claims: Claims, item: Indices, values: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Mark the rows that say that a boolean statement is false, which needs no claim."""
    matrix, forms = claims.matrix, claims.forms
    boolean = matrix.kind_is("boolean")
    negative = {
        index: (profile.name, forms.key(profile.name, profile.negative))
        for index, profile in enumerate(matrix.profiles)
        if profile.negative is not None
    }
    denies = np.zeros(len(item), np.bool_)
    for row in np.flatnonzero((item >= 0) & boolean[item]).tolist():
        name, word = negative[int(matrix.attribute_index[item[row]])]
        denies[row] = forms.key(name, values[row].as_py()) == word
    return denies
