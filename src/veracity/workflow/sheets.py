"""Sheets: items to mark as a table that a person fills in, and the marks read from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import take_labels
from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.data.truth.answers import choices, profile_of, same_answer, spelled
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError, listing
from veracity.workflow.audits import find_items
from veracity.workflow.marks import Labels

#: What stands in a cell if nobody can tell what is true.
CANNOT_TELL = "?"
#: Stands between the claimed values of an item.
BETWEEN = " | "
#: An apostrophe before what a spreadsheet would take for a formula.
_ESCAPED = re.compile(r"'[=+\-@\t\r]")
_DIGIT = re.compile(r"\d")
#: How alike two values are of which one may be a misspelling of the other, from 0 to 1.
ALIKE = 0.75
EXAMPLES = 3


@dataclass(frozen=True)
class SheetMarks:
    """The marks of a sheet that was filled in.

    Attributes
    ----------
    marks
        The true values of items, in the spelling of the claims where they are theirs.
    skips
        The items about which nobody can tell.
    notes
        What a person should look at again.
    """

    marks: dict[Labels, list[str]]
    skips: list[Labels]
    notes: list[Note]


def sheet(matrix: ClaimMatrix, items: Sequence[int], numbers: Sequence[int]) -> pa.Table:
    """Return items to mark, each with the values that are claimed and an empty cell for the truth.

    Claimed values are in the order of their text, which does not give the verdict away.
    """
    entities = take_labels(matrix.entities, matrix.entity_index[list(items)])
    attributes = take_labels(matrix.attributes, matrix.attribute_index[list(items)])
    claimed = [BETWEEN.join(choices(matrix, item)) for item in items]
    return pa.table(
        {
            "number": pa.array(numbers, pa.int64()),
            "entity": entities.cast(pa.string()),
            "attribute": attributes.cast(pa.string()),
            "claimed": pa.array(claimed, pa.string()),
            "value": pa.nulls(len(items), pa.string()),
        }
    )


def read_sheet(path: Path, claims: Claims) -> SheetMarks:
    """Read the marks of a sheet; empty cells are left out, and an odd item refuses all."""
    names = claims.matrix.attributes.to_pylist()
    given = GroundTruth.read(path).for_attributes(names)
    pairs = zip(given["entity"].to_pylist(), given["attribute"].to_pylist(), strict=True)
    items = _items(claims.matrix, list(pairs))
    said: dict[int, list[str]] = {}
    for item, value in zip(items, given["value"].to_pylist(), strict=True):
        said.setdefault(item, []).append(value)
    marks: dict[Labels, list[str]] = {}
    skips: list[Labels] = []
    strange: list[tuple[int, str]] = []
    for item, values in said.items():
        labels = labels_of(claims.matrix, item)
        if _is_skip(claims, item, values):
            skips.append(labels)
            continue
        answer = spelled(claims, item, [_unescaped(claims, item, value) for value in values])
        _check_count(claims, item, labels, answer)
        marks[labels] = answer
        strange += [(item, value) for value in answer if not _is_claimed(claims, item, value)]
    return SheetMarks(marks, skips, _notes(claims, strange))


def labels_of(matrix: ClaimMatrix, item: int) -> Labels:
    """Return entity and attribute of an item."""
    entity = matrix.entities[int(matrix.entity_index[item])].as_py()
    return entity, matrix.attributes[int(matrix.attribute_index[item])].as_py()


def _items(matrix: ClaimMatrix, labels: list[Labels]) -> list[int]:
    """Return the items that rows are about; refuse all if the run does not have one of them."""
    found = find_items(matrix, labels)
    bare = [(_bare(entity), _bare(attribute)) for entity, attribute in labels]
    again = find_items(matrix, bare)
    items = [own if own >= 0 else other for own, other in zip(found, again, strict=True)]
    unknown = dict.fromkeys(
        f"{entity!r} ({attribute!r})"
        for item, (entity, attribute) in zip(items, labels, strict=True)
        if item < 0
    )
    if unknown:
        raise InputError(
            f"The run says nothing about {plural(len(unknown), 'item')} of the sheet: "
            f"{listing(unknown, 5)}. No mark was taken. Correct or remove "
            f"{'its rows' if len(unknown) == 1 else 'their rows'}, and read the sheet again."
        )
    return [int(item) for item in items]


def _bare(label: str) -> str:
    """Return a label without the apostrophe that keeps a spreadsheet from running it."""
    return label[1:] if _ESCAPED.match(label) else label


def _unescaped(claims: Claims, item: int, value: str) -> str:
    """Return a value as it was before formulas were escaped; an apostrophe of its own stays."""
    return value if value in choices(claims.matrix, item) else _bare(value)


def _is_skip(claims: Claims, item: int, values: Sequence[str]) -> bool:
    """Whether a person cannot tell; where somebody claims that very sign, it is a value."""
    if CANNOT_TELL not in (value.strip() for value in values):
        return False
    if CANNOT_TELL in choices(claims.matrix, item):
        return False
    if len(values) > 1:
        entity, attribute = labels_of(claims.matrix, item)
        raise InputError(
            f"The sheet gives {attribute!r} of {entity!r} a value, and says that nobody can tell "
            f"({CANNOT_TELL}). No mark was taken. Keep one of the two."
        )
    return True


def _check_count(claims: Claims, item: int, labels: Labels, values: Sequence[str]) -> None:
    """Refuse several values where one is true."""
    if len(values) > 1 and profile_of(claims.matrix, item).kind != "multiple":
        entity, attribute = labels
        raise InputError(
            f"The sheet gives {attribute!r} of {entity!r} as {listing(map(repr, values), 3)}, but "
            "it has one true value. No mark was taken. Keep one of them."
        )


def _is_claimed(claims: Claims, item: int, value: str) -> bool:
    claimed = choices(claims.matrix, item)
    return value in claimed or any(same_answer(claims, item, [one], [value]) for one in claimed)


def _notes(claims: Claims, strange: Sequence[tuple[int, str]]) -> list[Note]:
    """Point out values that nobody claims, with what may have been meant."""
    if not strange:
        return []
    domains: dict[str, list[str]] = {}
    told = [_example(claims, item, value, domains) for item, value in strange]
    told.sort(key=lambda text: "did you mean" not in text)  # these are the ones to look at
    text = (
        f"Nobody claims {plural(len(strange), 'marked value', 'of the marked values')}; taken as "
        f"marked: {'; '.join(told[:EXAMPLES])}{' ...' if len(told) > EXAMPLES else ''}."
    )
    return [Note("marks", text, len(strange))]


def _example(claims: Claims, item: int, value: str, domains: dict[str, list[str]]) -> str:
    matrix, profile = claims.matrix, profile_of(claims.matrix, item)
    entity, attribute = labels_of(matrix, item)
    known = choices(matrix, item)
    if profile.domain == "closed":
        if attribute not in domains:
            domains[attribute] = _domain(matrix, item)
        known = domains[attribute]
    shown = f"{value!r} for {attribute!r} of {entity!r}"
    near = "" if profile.numeric or value in known else nearest(value, known)
    return f"{shown} (did you mean {near!r}?)" if near else shown


def _domain(matrix: ClaimMatrix, item: int) -> list[str]:
    """Return all values of the attribute of an item."""
    own = matrix.attribute_index[matrix.item_of_statement] == matrix.attribute_index[item]
    values = pc.unique(take_labels(matrix.values, matrix.value_index[own]))
    return list(values.to_pylist())


def nearest(value: str, known: Iterable[str]) -> str:
    """Return the known value that another may be a misspelling of, or nothing.

    Other digits are another value: 18:15 is no misspelling of 17:15.
    """
    digits = _DIGIT.findall(value)
    alike = [word for word in known if _DIGIT.findall(word) == digits]
    folded = {" ".join(word.split()).casefold(): word for word in alike}
    close = get_close_matches(" ".join(value.split()).casefold(), folded, n=1, cutoff=ALIKE)
    return folded[close[0]] if close else ""
