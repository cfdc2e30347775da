"""Assessments: what assessors, who can err, say about the items of a claim matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from veracity.data.notes import Note, plural
from veracity.data.truth.known import denies, items_of, matched_statements
from veracity.errors import InputError

if TYPE_CHECKING:
    from veracity.data.claims import Claims


@dataclass(frozen=True, slots=True)
class Assessment:
    """What one assessor says about one item.

    Attributes
    ----------
    item
        The item.
    values
        What the assessor says is true; several only where several values may be true.
    statements
        The claimed ones among them. None for a boolean item that is said to be false.
    matched
        Whether all of it is claimed, or says that a boolean item is false.
    assessor
        Who says so, if that was given.
    trust
        The chance that it is right.
    """

    item: int
    values: tuple[str, ...]
    statements: tuple[int, ...]
    matched: bool
    assessor: str | None
    trust: float

    def __str__(self) -> str:
        who = "an assessor" if self.assessor is None else f"assessor {self.assessor}"
        return f"{who} says {'; '.join(self.values)} (trust {self.trust:g})"


@dataclass(frozen=True, slots=True)
class Assessments:
    """What assessors say about the items of a block.

    ``silent`` are the rows about items of which nobody claims anything.
    """

    of_items: tuple[Assessment, ...]
    silent: frozenset[int]

    @classmethod
    def of(cls, given: pa.Table, claims: Claims) -> Assessments:
        """Match rows (entity, attribute, value, assessor, trust) to the claims."""
        matrix = claims.matrix
        item = items_of(matrix, given)
        found = item >= 0
        statement = np.full(len(item), -1, np.int64)
        statement[found] = matched_statements(claims, item[found], given.filter(pa.array(found)))
        says_no = denies(claims, item, given["value"])
        several = matrix.kind_is("multiple")
        gathered: dict[tuple[object, ...], list[int]] = {}
        rows = given.to_pylist()
        for place in np.flatnonzero(found).tolist():
            row = rows[place]
            key: tuple[object, ...] = (int(item[place]), row["assessor"])
            # Values that may be true together are a list; of others, each row stands for itself.
            if not several[item[place]]:
                key = (*key, row["value"], row["trust"])
            gathered.setdefault(key, []).append(place)
        made = []
        for places in gathered.values():
            first = rows[places[0]]
            _check_trust([rows[place] for place in places])
            made.append(
                Assessment(
                    int(item[places[0]]),
                    tuple(rows[place]["value"] for place in places),
                    tuple(int(statement[place]) for place in places if statement[place] >= 0),
                    all(statement[place] >= 0 or says_no[place] for place in places),
                    first["assessor"],
                    first["trust"],
                )
            )
        _check_agreement(made, claims)
        return cls(tuple(made), frozenset(np.flatnonzero(~found).tolist()))


def _check_trust(rows: list[dict[str, object]]) -> None:
    """Refuse a list of values, given by one assessor, with several trusts."""
    trusts = sorted({str(row["trust"]) for row in rows})
    if len(trusts) > 1:
        row = rows[0]
        raise InputError(
            f"The known truth gives {row['attribute']!r} of {row['entity']!r} as a list with the "
            f"trusts {' and '.join(trusts)}. Expected one trust for the list, or an assessor for "
            "each."
        )


def _check_agreement(made: list[Assessment], claims: Claims) -> None:
    """Refuse two values of an assessor for an item that has one."""
    matrix = claims.matrix
    seen: dict[tuple[int, str], Assessment] = {}
    for one in made:
        if one.assessor is None:
            continue
        before = seen.setdefault((one.item, one.assessor), one)
        if before is not one:
            entity = matrix.entities[int(matrix.entity_index[one.item])].as_py()
            attribute = matrix.attributes[int(matrix.attribute_index[one.item])].as_py()
            raise InputError(
                f"Assessor {one.assessor!r} speaks twice about {attribute!r} of {entity!r}: "
                f"{'; '.join(before.values)} and {'; '.join(one.values)}. Give one of them."
            )


def notes_on_assessments(n_items: int, n_silent: int, n_unclaimed: int) -> list[Note]:
    """Say of how many items assessors speak, and what cannot be used."""
    text = f"Assessors who can err speak about {plural(n_items, 'item')}."
    notes = [Note("labels", text, n_items)]
    if n_unclaimed:
        said = plural(n_unclaimed, "of their answers has", "of their answers have")
        text = f"{said} a value that nobody claims; it speaks against those that are claimed."
        notes.append(Note("known truth", text, n_unclaimed))
    if n_silent:
        said = plural(n_silent, "answer is about an item", "answers are about items")
        notes.append(Note("known truth", f"{said} without claims; left out.", n_silent))
    return notes
