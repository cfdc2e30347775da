"""Given truth about items without claims, whose entities may be spelled otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_numpy
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note, plural
from veracity.errors import InputError

#: The entity and the attribute of an item.
Item = tuple[str, str]


def near_entities(matrix: ClaimMatrix, entities: Iterable[str]) -> dict[str, str]:
    """Return the claimed entity that each of some is a spelling of, if there is one.

    Letter case, white space around it, variants of signs and the needless zero of 17.0 are ignored.
    """
    asked = pa.array(entities, pa.string())
    place = pc.fill_null(pc.index_in(_folded(asked), _folded(matrix.entities)), -1)
    return {
        entity: matrix.entities[number].as_py()
        for entity, number in zip(asked.to_pylist(), to_numpy(place).tolist(), strict=True)
        if number >= 0
    }


def _folded(labels: pa.Array) -> pa.Array:
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(pc.utf8_normalize(labels, "NFKC")))
    return pc.replace_substring_regex(plain, r"^(-?\d+)\.0+$", r"\1")


def first_item(matrix: ClaimMatrix) -> Item:
    """Return the first item in the order of its names, to show as an example."""
    entity = pc.min(matrix.entities).as_py()
    index = pc.index(matrix.entities, entity).as_py()
    attributes = matrix.attribute_index[matrix.entity_index == index]
    return entity, min(matrix.attributes[place].as_py() for place in attributes.tolist())


def nothing_shared(name: str, given: Item, claimed: Item) -> str:
    """Say that a truth shares no item with the claims, with an item of each."""
    return (
        f"The {name} shares no item with the claims: it is about {given[0]!r} ({given[1]!r}), they "
        f"are about {claimed[0]!r} ({claimed[1]!r}). Expected the same entities and attributes."
    )


def check_shared(
    name: str, given: Item, claimed: Item, near: Mapping[str, str], *, refuse: bool
) -> list[Note]:
    """Refuse a truth that shares no item with the claims, or return a note on it.

    `near` are entities of the truth, and the claimed entities that they may mean.
    """
    text = nothing_shared(name, given, claimed)
    if near:
        text += f" {_meant(near)}"
    if refuse:
        raise InputError(text)
    return [Note(name, text, short=f"the {name} shares no item with the claims")]


def note_on_entities(name: str, near: Mapping[str, str]) -> list[Note]:
    """Say which entities without claims have some under another spelling."""
    if not near:
        return []
    text = (
        f"Check the {name}: {plural(len(near), 'of its entities has', 'of its entities have')} "
        f"claims in another spelling only. {_meant(near)}"
    )
    return [Note(name, text, len(near))]


def _meant(near: Mapping[str, str]) -> str:
    given, claimed = min(near.items())
    return f"Does {given!r} mean {claimed!r}? Entities are compared letter by letter."
