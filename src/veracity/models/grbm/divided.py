"""A vector of the search in shards: its head here, the numbers of sources with their owners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.engines.shards import Shards
from veracity.models.grbm.shard_plan import HEAD, ShardPlan
from veracity.models.grbm.vectors import Apart, dot, largest


@dataclass(frozen=True, eq=False)
class Divided(Apart):
    """A vector of the parameters that move.

    Attributes
    ----------
    head
        The numbers that all sources share.
    tail
        Those of sources.
    plan
        Who owns which.
    """

    head: Floats
    tail: Shards[Floats]
    plan: ShardPlan

    def __len__(self) -> int:
        return len(self.head) + int(self.plan.sizes.sum())

    def dot(self, other: Divided) -> float:
        """Multiply and add up, in the order of shards."""
        told = self.tail.told(_dot, other.tail, shared=())
        return float(sum(told, dot(self.head, other.head)))

    def products(self, other: Divided) -> tuple[float, float, float]:
        """Return the product with another, and the squares of both."""
        own = _products(self.head, other.head)
        both, left, right = np.sum([own, *self.tail.told(_products, other.tail, shared=())], axis=0)
        return float(both), float(left), float(right)

    def largest(self) -> float:
        """Return the largest number, whatever its sign."""
        return max([largest(self.head), *self.tail.told(largest, shared=())])

    def plus(self, factor: float, other: Divided) -> Divided:
        """Add a multiple of another."""
        tail = self.tail.made(_plus, other.tail, shared=(factor,))
        return Divided(self.head + factor * other.head, tail, self.plan)

    def whole(self) -> Floats:
        """Fetch all numbers, a shard at a time."""
        found = np.empty(len(self))
        self.plan.put(found, HEAD, self.head)
        for shard, own in enumerate(self.tail):
            self.plan.put(found, shard, own)
        return found


@dataclass(frozen=True, eq=False)
class Dealt(Sequence[Any]):
    """What each shard is handed out, made when its turn comes."""

    shards: int
    make: Callable[[int], Any]

    def __len__(self) -> int:
        return self.shards

    def __getitem__(self, shard: Any) -> Any:
        if not 0 <= shard < self.shards:
            raise IndexError(shard)
        return self.make(shard)


# What owners are told to do


def _dot(left: Floats, right: Floats) -> float:
    return dot(left, right)


def _products(left: Floats, right: Floats) -> tuple[float, float, float]:
    return dot(left, right), dot(left, left), dot(right, right)


def _plus(left: Floats, right: Floats, factor: float) -> Floats:
    return np.asarray(left + factor * right)
