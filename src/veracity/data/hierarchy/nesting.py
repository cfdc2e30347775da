"""Values that name one another: a hierarchy that nobody spoke of.

"Bern, Switzerland" and "Switzerland", claimed of one entity, do not contradict each other. Where
values of an item hold the words of other values of it far more often than those of other items, the
attribute is likely to be a hierarchy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from veracity.data.buffers import take_labels
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.hierarchy.hierarchy import TOKENS, Hierarchy
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note

#: Ways to read a hierarchy, those that say more first.
SEPARATORS = (", ", "/", " > ", "::")
WAYS = (*SEPARATORS, TOKENS)
#: Contested items of an attribute that are looked at, and values of each.
MOST_ITEMS, MOST_VALUES = 1_000, 20
#: Items in which a value names another one: so many at least, and this share of those looked at.
LEAST_ITEMS, LEAST_SHARE = 8, 0.2
#: How many times as often this is so by words as among values of different items. What stands
#: behind a separator is claimed by itself hardly ever by chance.
LEAST_LIFT = 1.5
#: Values that can be looked at: with a letter, and no list.
_WORDED = re.compile(r"[^;|]*[^\W\d_][^;|]*")

#: A value, and a wider one within which it lies.
Pair = tuple[str, str]


@dataclass(frozen=True)
class Nesting:
    """How often values of an item name one another, by way of reading them; these add.

    Attributes
    ----------
    n_items
        Contested items that were looked at.
    inside, chance
        By way, items in which a value lies within another, and items in which one lies within one
        of the item before.
    example
        By way, two such values of an item.
    """

    n_items: int
    inside: tuple[int, ...]
    chance: tuple[int, ...]
    example: tuple[Pair | None, ...]

    def __add__(self, other: Nesting) -> Nesting:
        return Nesting(
            self.n_items + other.n_items,
            tuple(a + b for a, b in zip(self.inside, other.inside, strict=True)),
            tuple(a + b for a, b in zip(self.chance, other.chance, strict=True)),
            tuple(a or b for a, b in zip(self.example, other.example, strict=True)),
        )

    @property
    def way(self) -> str | None:
        """The way of reading by which the values are a hierarchy, if there is one."""
        for way, inside, chance in zip(WAYS, self.inside, self.chance, strict=True):
            enough = inside >= max(LEAST_ITEMS, LEAST_SHARE * self.n_items)
            if enough and (way != TOKENS or inside >= LEAST_LIFT * chance):
                return way
        return None


def count_nesting(matrix: ClaimMatrix, attribute: int) -> Nesting:
    """Count, among the contested items of an attribute, those whose values name one another."""
    size = np.diff(matrix.statement_start)
    contested = (matrix.attribute_index == attribute) & (size > 1) & (size <= MOST_VALUES)
    items = np.flatnonzero(contested)
    items = items[:: max(1, len(items) // MOST_ITEMS)][:MOST_ITEMS]
    inside, chance = [0] * len(WAYS), [0] * len(WAYS)
    hierarchies = [Hierarchy.of(way) for way in WAYS]
    example: list[Pair | None] = [None] * len(WAYS)
    before: list[str] = []
    for item in items.tolist():
        own = range(*matrix.statement_start[item : item + 2].tolist())
        labels = take_labels(matrix.values, matrix.value_index[list(own)]).to_pylist()
        labels = [label for label in labels if _WORDED.fullmatch(label)]
        for place, hierarchy in enumerate(hierarchies):
            found = _nested_pair(hierarchy, labels, labels)
            inside[place] += found is not None
            example[place] = example[place] or found
            chance[place] += _nested_pair(hierarchy, labels, before) is not None
        before = labels
    return Nesting(len(items), tuple(inside), tuple(chance), tuple(example))


def _nested_pair(hierarchy: Hierarchy, labels: list[str], others: list[str]) -> Pair | None:
    """Return one of some values that lies within one of others, and that one."""
    if hierarchy.tokens:
        words = {other: hierarchy.words(other) for other in (*labels, *others)}
        pairs = ((one, other) for one in labels for other in others)
        return next((pair for pair in pairs if set() < words[pair[1]] < words[pair[0]]), None)
    above = {parent: label for label in labels for parent in hierarchy.path(label)[:-1]}
    return next(((above[other], other) for other in others if other in above), None)


def may_be_nested(profile: AttributeProfile) -> bool:
    """Whether to look for a hierarchy among the values of an attribute."""
    return profile.kind == "single" and profile.form == "value" and profile.n_values > 3


def nesting_note(name: str, found: Nesting) -> Note | None:
    """Suggest to read an attribute as a hierarchy, if its values name one another."""
    way = found.way
    if way is None:
        return None
    count, example = found.inside[WAYS.index(way)], found.example[WAYS.index(way)]
    assert example is not None
    text = (
        f"Values of {name!r} often name one another, as {example[0]!r} names {example[1]!r}: on "
        f"{count:,} of {found.n_items:,} contested items. If one lies within the other, say so, "
        f"and they do not contradict each other: --hierarchy '{name}={way}'."
    )
    return Note("hierarchy", text, count)
