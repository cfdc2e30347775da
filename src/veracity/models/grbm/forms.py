"""Which form of the model each attribute takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from veracity.data.encode.attributes import AttributeProfile
from veracity.data.matrix import ClaimMatrix

#: How an attribute is judged: each statement by itself as true or false, by classes that sources
#: confuse, or by one reliability whatever the value.
Form = Literal["binary", "classes", "coin"]

#: An attribute is judged by classes from this many items per pair of classes on.
ITEMS_PER_PAIR_OF_CLASSES = 4


@dataclass(frozen=True)
class Block:
    """The items of an attribute, which are side by side, and the form in which they are judged.

    Attributes
    ----------
    name
        Of the attribute.
    form
        How its items are judged.
    first, last
        Its items are those from `first` up to, not including, `last`.
    n_classes
        The number of values of a closed domain; 2 where statements are true or false; 0 where the
        values of an item are those claimed and one that is not.
    """

    name: str
    form: Form
    first: int
    last: int
    n_classes: int

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.last - self.first


def choose_forms(profiles: Sequence[AttributeProfile]) -> list[Block]:
    """Choose a form for each attribute, whose items stand side by side.

    Closed attributes are judged by classes if they have items enough to tell classes apart, else
    by one reliability over the closed domain. If most items of the table have open domains, so
    that sources are best compared by what they share, those with one true value are all taken to
    be open.
    """
    sizes = np.array([profile.n_items for profile in profiles])
    bounds = np.append(0, np.cumsum(sizes))
    is_open = np.array([_is_open(profile) for profile in profiles])
    mostly_open = bool(sizes[is_open].sum() > sizes.sum() / 2)
    return [
        _block(profile, int(first), int(last), mostly_open)
        for profile, first, last in zip(profiles, bounds[:-1], bounds[1:], strict=True)
        if last > first
    ]


def same_forms(matrix: ClaimMatrix, fitted: Sequence[Block]) -> list[Block]:
    """Give the attributes of another table the forms that they had in the fit.

    An attribute that was not there gets the form of its kind that needs no classes.
    """
    known = {block.name: block for block in fitted}
    bounds = np.searchsorted(matrix.attribute_index, np.arange(len(matrix.profiles) + 1))
    blocks = []
    for profile, first, last in zip(matrix.profiles, bounds[:-1], bounds[1:], strict=True):
        block = known.get(profile.name)
        if last == first:
            continue
        if block is None or (block.form == "binary") != _is_binary(profile):
            block = Block(profile.name, "binary" if _is_binary(profile) else "coin", 0, 0, 0)
        blocks.append(Block(block.name, block.form, int(first), int(last), block.n_classes))
    return blocks


def _is_binary(profile: AttributeProfile) -> bool:
    return profile.kind != "single"


def _is_open(profile: AttributeProfile) -> bool:
    return not _is_binary(profile) and profile.domain == "open"


def _block(profile: AttributeProfile, first: int, last: int, mostly_open: bool) -> Block:
    if _is_binary(profile):
        return Block(profile.name, "binary", first, last, 2)
    n_classes = max(profile.n_values, 2)
    if profile.domain == "open" or mostly_open:
        return Block(profile.name, "coin", first, last, 0)
    enough = last - first >= ITEMS_PER_PAIR_OF_CLASSES * n_classes**2
    return Block(profile.name, "classes" if enough else "coin", first, last, n_classes)
