"""Visits: pairs of a source and an item, each of which may yield several claims."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Array, Indices
from veracity.datasets.synthetic.checks import require
from veracity.datasets.synthetic.roles import NOBODY, Roles
from veracity.datasets.synthetic.specs import SourceSpec

#: How often an item is spoken about where the user does not say.
VISITS_PER_ITEM = 8.0
OWN_ANSWER = -1
#: With four, small permutations were visibly uneven; with eight, no more.
MIXING_ROUNDS = 10


@dataclass(frozen=True)
class Visits:
    """Who speaks about what, one entry per pair of source and item.

    Attributes
    ----------
    source, entity, attribute
        Dense indices.
    copied_from
        Index of the visit whose answer is repeated, or `OWN_ANSWER`.
    """

    source: Indices  # (n_visits,)
    entity: Indices  # (n_visits,)
    attribute: Indices  # (n_visits,)
    copied_from: Indices  # (n_visits,)

    def __len__(self) -> int:
        return len(self.source)

    def about(self, attribute: int) -> tuple[Indices, Visits]:
        """Return the visits about one attribute: their indices, and themselves."""
        chosen = np.flatnonzero(self.attribute == attribute)
        place = np.full(len(self) + 1, OWN_ANSWER)  # the extra last one is where -1 points
        place[chosen] = np.arange(len(chosen))
        copied_from = place[self.copied_from[chosen]]
        part = Visits(self.source[chosen], self.entity[chosen], self.attribute[chosen], copied_from)
        return chosen, part

    def repeat(self, answers: Array) -> Array:
        """Return the answers with those of copied visits in place of the copiers' own."""
        copied = np.flatnonzero(self.copied_from != OWN_ANSWER)
        answers = answers.copy()
        answers[copied] = answers[self.copied_from[copied]]
        return answers


def items_by_source(
    rng: np.random.Generator, spec: SourceSpec, n_sources: int, n_items: int
) -> Indices:
    """Draw how many items each source speaks about."""
    mean = spec.items_per_source or max(1.0, min(n_items, VISITS_PER_ITEM * n_items / n_sources))
    require(mean <= n_items, "items_per_source", f"at most the {n_items} items there are", mean)
    single = rng.permutation(n_sources) < round(spec.one_claim_share * n_sources)
    weight = rng.permutation(np.arange(1.0, n_sources + 1) ** -spec.tail)[~single]
    counts = np.ones(n_sources, np.int64)
    expected = _scaled(weight, mean, n_items)
    counts[~single] = np.floor(expected + rng.random(len(weight)))
    return counts


def draw_visits(
    rng: np.random.Generator,
    spec: SourceSpec,
    counts: Indices,
    roles: Roles,
    n_entities: int,
    n_attributes: int,
) -> Visits:
    """Draw the items that each source speaks about, and the visits at which it copies.

    A copier walks through the items in the same order as its original, so its k-th visit can
    repeat the answer of the original's k-th.
    """
    source = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    position = np.arange(len(source)) - first[source]
    original = roles.copies[source]
    walker = np.where(original == NOBODY, source, original)
    item = scatter(rng, position, walker, len(counts), n_entities * n_attributes)
    copies = (original != NOBODY) & (position < counts[walker])
    copies &= rng.random(len(source)) < spec.copy_probability
    copied_from = np.where(copies, first[walker] + position, OWN_ANSWER)
    return Visits(source, item // n_attributes, item % n_attributes, copied_from)


def scatter(
    rng: np.random.Generator, position: Indices, group: Indices, n_groups: int, size: int
) -> Indices:
    """Send positions to their places in a random permutation of ``range(size)``, one per group.

    The permutations are never written down. Adding a key, multiplying by an odd number and
    folding the high bits into the low ones each permute the integers of so many bits; what lands
    beyond ``size`` is sent on until it lands inside.
    """
    bits = max(1, (size - 1).bit_length())
    keys = rng.integers(0, 1 << bits, (MIXING_ROUNDS, 2, n_groups), dtype=np.uint64)
    place = _mixed(position.astype(np.uint64), group, keys, bits)
    while len(outside := np.flatnonzero(place >= size)):
        place[outside] = _mixed(place[outside], group[outside], keys, bits)
    return place.astype(np.int64)


def _mixed(place: Array, group: Indices, keys: Array, bits: int) -> Array:
    mask, half, one = np.uint64((1 << bits) - 1), np.uint64((bits + 1) // 2), np.uint64(1)
    for add, multiply in keys:
        place = (place + add[group]) * (multiply | one)[group] & mask
        place ^= place >> half
    return place


def _scaled(weight: Array, mean: float, most: int) -> Array:
    """Scale weights to the given mean, with none below 1 or above ``most``."""
    low, high = 0.0, most / weight.min(initial=np.inf)
    for _ in range(100):
        middle = (low + high) / 2
        if np.clip(middle * weight, 1, most).sum() < mean * len(weight):
            low = middle
        else:
            high = middle
    return np.asarray(np.clip(high * weight, 1, most))
