"""Attributes whose values seem to be ordered: sources that disagree miss each other by little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.scales import familiar, numbered
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.errors import listing

#: With fewer levels there is nothing near or far, and of three codes any may come between the
#: others by chance; integers beyond this are codes or quantities.
WORDS, NUMBERS = range(3, 13), range(4, 13)
#: So many standard errors must disagreements be smaller than if values were mere names, and so
#: much smaller on average.
STANDARD_ERRORS = 4.0
RATIO = 0.98
#: Items with disagreement that it takes.
LEAST_ITEMS = 30


@dataclass(frozen=True, eq=False)
class Disagreements:
    """The disagreements of claims about an attribute, by levels.

    Attributes
    ----------
    pairs
        Pairs of claims about an item that name two levels; (K, K), symmetric.
    distance, expected
        How many levels they are apart on average, and how many they would be if values were names.
    z
        The difference in standard errors, over items.
    n_items
        Items with disagreement.
    rates
        Pairs that name two levels, for each pair that would if everybody spoke by chance; (K, K).
    """

    pairs: Floats
    distance: float
    expected: float
    z: float
    n_items: int
    rates: Floats

    def are_near(self) -> bool:
        """Whether near misses are clearly more frequent than far ones."""
        return (
            self.n_items >= LEAST_ITEMS
            and self.z <= -STANDARD_ERRORS
            and self.distance <= RATIO * self.expected
        )

    def fall_off(self) -> bool:
        """Whether any two levels are confused less often than those between them."""
        levels = range(len(self.rates))
        return all(
            self.rates[low, high] < min(self.rates[low, high - 1], self.rates[low + 1, high])
            for low in levels
            for high in levels[low + 2 :]
        )


def ordered_notes(matrix: ClaimMatrix) -> list[Note]:
    """Suggest to treat attributes as ordered whose values look it, and whose claims do."""
    return [
        _note(profile, order)
        for place, profile in enumerate(matrix.profiles)
        if (order := _suggested(matrix, place, profile))
    ]


def _suggested(
    matrix: ClaimMatrix, place: int, profile: AttributeProfile
) -> tuple[str, ...] | None:
    """Return the order that an attribute seems to have, None if it seems to have none."""
    if profile.kind != "single" or profile.domain != "closed" or profile.form != "value":
        return None
    if profile.n_values not in WORDS:
        return None
    item = matrix.attribute_index == place
    own = np.flatnonzero(item[matrix.item_of_claim] & (matrix.claim_value == 1))
    value = matrix.value_index[matrix.statement_index[own]]
    labels = [matrix.values[int(index)].as_py() for index in np.unique(value)]
    words = familiar(labels)
    order = words or _small_numbers(labels)
    if order is None:
        return None
    level_of = {matrix.values.index(label).as_py(): order.index(label) for label in labels}
    level = np.array([level_of[index] for index in value.tolist()], np.int64)
    found = disagreements(matrix.item_of_claim[own].astype(np.int64), level, len(order))
    # Words of a scale are ordered; integers may be mere codes, so that more is asked of them.
    if found is None or not found.are_near() or not (words or found.fall_off()):
        return None
    return order


def _small_numbers(labels: list[str]) -> tuple[str, ...] | None:
    """Return labels that are all small whole numbers by their size."""
    small = (label.removeprefix("-").isdecimal() and len(label) <= 3 for label in labels)
    return numbered(labels) if len(labels) in NUMBERS and all(small) else None


def disagreements(item: Indices, level: Indices, n_levels: int) -> Disagreements | None:
    """Count the pairs of claims about an item that differ; None if there are none."""
    items, at = np.unique(item, return_inverse=True)
    said = np.stack(
        [sum_by(at, (level == one).astype(float), len(items)) for one in range(n_levels)], axis=1
    )
    pairs = said.T @ said
    np.fill_diagonal(pairs, 0.0)
    of_item = said.sum(axis=1) ** 2 - (said**2).sum(axis=1)  # pairs that differ, twice
    if not of_item.any():
        return None
    apart = np.abs(np.subtract.outer(np.arange(n_levels), np.arange(n_levels))).astype(float)
    share = said.sum(axis=0) / said.sum()
    chance = np.outer(share, share)
    np.fill_diagonal(chance, 0.0)
    expected = float((chance * apart).sum() / chance.sum())
    distance = np.einsum("ij,jk,ik->i", said, apart, said)
    # Items with many claims count as their claims, not as their pairs of claims.
    weight = 1 / np.maximum(said.sum(axis=1) - 1, 1)
    excess = weight * (distance - expected * of_item)
    z = float(excess.sum() / max(np.sqrt((excess**2).sum()), 1e-300))
    mean = float((weight * distance).sum() / (weight * of_item).sum())
    rates = pairs / np.maximum(chance, 1e-300)
    return Disagreements(pairs, mean, expected, z, int((of_item > 0).sum()), rates)


def _note(profile: AttributeProfile, order: tuple[str, ...]) -> Note:
    text = (
        f"The values of {profile.name!r} look ordered ({listing(order)}): sources that disagree "
        "are mostly near each other. To let near misses count as near: --compare "
        f"{profile.name}=ordered."
    )
    return Note("ordered", text, short=f"{profile.name!r} looks ordered")
