"""Prevalence or habit: how often classes are claimed, voted for and believed.

Where sources say one class far more often than another, either it is true more often or they share
a habit. The claims alone hardly tell, so a large difference between claims and beliefs is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.output.results import Verdict
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.observation.confusion import Confusion

#: Believed shares differ much if their total variation from those of the claims and from those of a
#: vote is more than this in the mean, and each of the two more than the second number. Noise
#: spreads claims over classes, which a vote alone takes away; so neither will do by itself.
MUCH, EACH = 0.10, 0.05
#: Attributes with fewer items than this are left alone, and fewer labels are never asked for.
FEWEST_ITEMS, FEWEST_LABELS = 20, 10


@dataclass(frozen=True, eq=False)
class ClassShares:
    """Of one attribute, the share of items of each class, by claims, by votes and by the model."""

    attribute: str
    classes: Sequence[str]
    claimed: Floats
    voted: Floats
    believed: Floats

    @property
    def distance(self) -> float:
        """Mean total variation of the believed shares from the claimed and the voted ones."""
        return float(np.mean(self._distances))

    @property
    def _distances(self) -> list[float]:
        others = (self.claimed, self.voted)
        return [float(np.abs(self.believed - other).sum() / 2) for other in others]

    @property
    def differs(self) -> bool:
        """Whether the believed shares differ much from those of claims, and from a vote's."""
        return self.distance > MUCH and min(self._distances) > EACH

    @property
    def note(self) -> Note:
        """Say which class differs most, of two the rarer, and how many labels would settle it."""
        away = np.abs(self.believed - self.claimed).round(9)
        k = int(np.lexsort((self.claimed, -away))[0])
        p, q = float(self.believed[k]), float(self.claimed[k])
        text = (
            f"Sources say {self.classes[k]!r} in {100 * q:.0f} % of their claims about "
            f"{self.attribute!r}, the model believes it for {100 * p:.0f} % of the items. Either "
            "they share a habit, or the model is wrong; about "
            f"{labels_to_settle(p, q):,} randomly chosen labels would settle it. "
            "If you know how often each class is true, give it as the class prior."
        )
        short = (
            f"{self.classes[k]!r} is believed for {100 * p:.0f} % of the items, but claimed in "
            f"{100 * q:.0f} % of the claims"
        )
        return Note("trust", text, short=short)


def labels_to_settle(p: float, q: float) -> int:
    """Return how many random labels tell a share p from another, q: two standard errors apart.

    >>> labels_to_settle(0.30, 0.16)
    43
    """
    return max(int(np.ceil(4.0 * p * (1.0 - p) / (p - q) ** 2 - 1e-9)), FEWEST_LABELS)


def sums_by_class(
    block: BlockObjective, verdict: Verdict, vote: Verdict, matrix: ClaimMatrix
) -> Floats:
    """Count items by class, for all attributes that are judged by classes side by side.

    The rows are what is claimed (each item counts once), voted and believed; sums of disjoint sets
    of items add.
    """
    parts = [np.zeros((3, 0))]
    for number, attribute in enumerate(block.spec.attributes):
        if attribute.range.form != "confusion":
            continue
        own = cast(Confusion | None, block.observations.get(str(number)))
        if own is not None:
            counts = [_claimed(own, matrix), _decided(own, vote), _decided(own, verdict)]
            parts.append(np.stack(counts))
        else:
            parts.append(np.zeros((3, attribute.range.n_classes)))
    return np.hstack(parts)


def _claimed(own: Confusion, matrix: ClaimMatrix) -> Floats:
    arrays, k = own.arrays, own.k
    item = matrix.item_of_claim[arrays.claims] - arrays.items.start
    names = (own.said_class >= 0) & (own.is_boolean | (matrix.claim_value[arrays.claims] == 1))
    weight = np.where(names, arrays.weight, 0.0)
    total = np.bincount(item, weight, minlength=arrays.n_items)
    share = weight / np.where(total > 0, total, 1.0)[item]
    return sum_by(np.maximum(own.said_class, 0), share, k)


def _decided(own: Confusion, verdict: Verdict) -> Floats:
    first, last = own.arrays.statements.start, own.arrays.statements.stop
    here = (verdict.statement >= first) & (verdict.statement < last)
    of_class: Indices = own.class_of_statement[verdict.statement[here] - first]
    if own.is_boolean:
        of_class = np.where(verdict.holds[here], of_class, 1 - of_class)
    known = of_class[of_class >= 0]
    return np.bincount(known, minlength=own.k)[: own.k].astype(np.float64)


def class_shares(
    attributes: Sequence[AttributeParameters], by_class: Floats
) -> Iterator[ClassShares]:
    """Return the shares of each attribute with enough items, given the counts of all blocks."""
    first = 0
    for attribute in attributes:
        if attribute.range.form != "confusion":
            continue
        # An attribute with one value has a second class, for the values that nobody claims.
        counts = by_class[:, first : first + len(attribute.classes)]
        first += attribute.range.n_classes
        if len(attribute.one_sided):  # shares of claims say which rules there are
            continue
        if counts.size and counts.sum(axis=1).min() >= FEWEST_ITEMS:
            shares = counts / counts.sum(axis=1, keepdims=True)
            yield ClassShares(attribute.range.name, attribute.classes, *shares)
