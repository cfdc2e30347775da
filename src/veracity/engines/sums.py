"""Sums over blocks: results of functions of a block, which add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Indices

#: Numbers, arrays and the like by name, all of which add.
Sums = dict[str, Any]


def add(one: Sums, other: Sums) -> Sums:
    """Add what two sets of blocks gave."""
    return {name: one[name] + other[name] for name in one}


@dataclass(frozen=True, eq=False)
class Scattered:
    """Numbers of a few places among many: what a block says of its own sources, say.

    Attributes
    ----------
    place
        Where each number belongs, no place twice; None once there is one for every place.
    numbers
        The numbers, or rows of numbers, of those places.
    size
        How many places there are.
    """

    place: npt.NDArray[np.integer] | None
    numbers: npt.NDArray[Any]
    size: int

    def __reduce__(self) -> tuple[Any, ...]:
        """Send places as 32-bit integers if they fit: that saves a quarter of what is sent."""
        place = self.place
        if place is not None and self.size <= np.iinfo(np.int32).max:
            place = place.astype(np.int32)
        return Scattered, (place, self.numbers, self.size)

    def everywhere(self) -> npt.NDArray[Any]:
        """Return a number for every place, 0 where nothing was said."""
        if self.place is None:
            return self.numbers
        dense = np.zeros((self.size, *self.numbers.shape[1:]), self.numbers.dtype)
        dense[self.place] = self.numbers
        return dense

    def __add__(self, other: Scattered) -> Scattered:
        """Add the numbers of both; once there is one for every place, they are added in place."""
        dense = self.everywhere()
        if other.place is None:
            dense += other.numbers
        else:
            dense[other.place] += other.numbers
        return Scattered(None, dense, self.size)


@dataclass(frozen=True)
class Largest:
    """The largest of some numbers."""

    number: float

    def __add__(self, other: Largest) -> Largest:
        return Largest(max(self.number, other.number))


@dataclass(frozen=True)
class Together:
    """The members of several sets."""

    members: frozenset[Any]

    def __add__(self, other: Together) -> Together:
        return Together(self.members | other.members)


@dataclass(frozen=True, eq=False)
class Joined:
    """Arrays put end to end, in the order of the blocks."""

    parts: tuple[npt.NDArray[Any], ...]

    def __add__(self, other: Joined) -> Joined:
        return Joined(self.parts + other.parts)

    def whole(self) -> npt.NDArray[Any]:
        """Return them as one."""
        return np.concatenate(self.parts)


@dataclass(frozen=True, eq=False)
class Counts:
    """How many there are of 0, of 1, and so on, up to the largest that was seen."""

    of: Indices

    def __add__(self, other: Counts) -> Counts:
        short, long = sorted((self.of, other.of), key=len)
        total = long.copy()
        total[: len(short)] += short
        return Counts(total)


@dataclass(frozen=True, eq=False)
class Keyed:
    """Rows of numbers by key, for keys that are few among all that could be.

    Attributes
    ----------
    key
        The keys, rising; (n_keys,).
    numbers
        A row of numbers for each; (n_keys, n_numbers).
    """

    key: Indices
    numbers: npt.NDArray[np.float64]

    @classmethod
    def of(cls, key: Indices, numbers: npt.NDArray[np.float64]) -> Keyed:
        """Add up the rows that share a key."""
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(key)])
        if len(begins) == len(key):
            return cls(ordered, numbers[order])
        return cls(ordered[begins], np.add.reduceat(numbers[order], begins, axis=0))

    def between(self, first: int, last: int) -> Keyed:
        """Return the rows whose keys are from `first` up to, not including, `last`."""
        start, stop = np.searchsorted(self.key, [first, last])
        return Keyed(self.key[start:stop], self.numbers[start:stop])

    def __add__(self, other: Keyed) -> Keyed:
        key = np.union1d(self.key, other.key)
        numbers = np.zeros((len(key), self.numbers.shape[1]))
        for part in (self, other):
            numbers[np.searchsorted(key, part.key)] += part.numbers
        return Keyed(key, numbers)
