"""Shards: what is kept of sources, divided among owners, and the exchange of it with blocks.

Claims are divided by item and parameters by source, so every pass over the blocks crosses from one
to the other. Each block asks the owners for the numbers of its own sources, and sends what it found
back to them. Which numbers these are is agreed upon once: from then on, only numbers travel.

The driver sees what functions tell it of a shard, which is short, and sums over blocks. Both come
in a fixed order, and owners add in the order of blocks, so that results do not depend on who works
when.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.engines.sums import Sums

Held = TypeVar("Held")
Made = TypeVar("Made")

#: What a block sent to a shard, and which of its numbers that concerns; in the order of blocks.
Received = Iterable[tuple[npt.NDArray[np.integer], Any]]


class Shards(ABC, Generic[Held]):
    """One object for each shard, with its owner. It goes when nobody refers to it."""

    @abstractmethod
    def made(
        self, function: Callable[..., Made], *others: Shards[Any], shared: Any
    ) -> Shards[Made]:
        """Make something of each shard, given its objects and what is shared; it stays there."""

    @abstractmethod
    def told(self, function: Callable[..., Made], *others: Shards[Any], shared: Any) -> list[Made]:
        """Return what a function tells of each shard, in order; short."""

    @abstractmethod
    def __iter__(self) -> Iterator[Held]:
        """Fetch the objects, one after the other."""


class Route(Protocol):
    """What a block needs of whom.

    Attributes
    ----------
    shards
        The shards that have numbers for the block, rising.
    places
        Which numbers of each of them.
    """

    @property
    def shards(self) -> Sequence[int]: ...

    @property
    def places(self) -> Sequence[npt.NDArray[np.integer]]: ...


class Exchange(ABC):
    """Blocks and shards that know which numbers they have in common."""

    @abstractmethod
    def shards(self, parts: Sequence[Made]) -> Shards[Made]:
        """Hand out an object to each shard."""

    @abstractmethod
    def passed(
        self,
        numbers: Shards[Floats],
        answer: Callable[..., tuple[Sums, Sequence[Any]]],
        gather: Callable[..., tuple[Made, Any]],
        *others: Shards[Any],
        shared: Any,
    ) -> tuple[Shards[Made], list[Any], Sums]:
        """Pass over all blocks, and make something of each shard of what blocks send it.

        Parameters
        ----------
        numbers
            The numbers of which each block gets its own.
        answer
            Called with a block, its route, the numbers that came from each shard of the route, and
            what is shared. Returns sums for the driver, and a message for each shard of the route.
        gather
            Called with what a shard received, the numbers of the shard, and its other objects.
            Returns what is made of it, and what the driver is told.
        others, shared
            See above.

        Returns
        -------
        What was made, what was told, and the sums of all blocks.
        """
