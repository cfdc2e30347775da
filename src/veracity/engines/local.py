"""Blocks on this machine, in memory or on disk, and threads that work on several at a time."""

from __future__ import annotations

import contextvars
import itertools
import weakref
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.threads import default_threads, use_threads
from veracity.data.truth.known import KnownTruth
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.spill import Spill

Held = TypeVar("Held")
Made = TypeVar("Made")


class Place(ABC, Generic[Held]):
    """Where the object of a block is."""

    @abstractmethod
    def get(self) -> Held:
        """Return the object."""

    @abstractmethod
    def keep(self, made: Made) -> Place[Made]:
        """Keep another object, made of this one, where there is room for it."""


class InMemory(Place[Held]):
    """An object in memory."""

    def __init__(self, held: Held) -> None:
        self._held = held

    def get(self) -> Held:
        """Return the object."""
        return self._held

    def keep(self, made: Made) -> InMemory[Made]:
        """Keep another object in memory."""
        return InMemory(made)


class Spilled(Place[Held]):
    """An object in a file, which goes when nobody needs it any more."""

    _numbers = itertools.count()

    def __init__(self, spill: Spill, held: Held, made_of: Spilled[Any] | None = None) -> None:
        self._spill = spill
        self._name = f"{next(self._numbers)}.block"
        self._made_of = made_of  # in whose file some of the arrays are
        spill.put(held, self._name)
        weakref.finalize(self, Path.unlink, spill.folder / self._name, missing_ok=True)

    def get(self) -> Held:
        """Return the object, its arrays mapped into memory."""
        held: Held = self._spill.get(self._name)
        return held

    def keep(self, made: Made) -> Spilled[Made]:
        """Keep another object, made of this one, in a file beside it."""
        return Spilled(self._spill, made, self)


class LocalBlocks(Blocks[Held]):
    """Blocks in memory or on disk.

    Several threads work on several blocks, one on each. Sums are added in the order of the blocks,
    so that the number of threads changes nothing, to the bit.
    """

    def __init__(self, places: Sequence[Place[Held]], threads: int | None = None) -> None:
        self._places = list(places)
        self.threads = threads

    def __len__(self) -> int:
        return len(self._places)

    def prepare(self, make: Callable[..., Made | None], *shared: Any) -> LocalBlocks[Made]:
        """Make something of each block, and keep it beside the block; None is left out."""

        def keep(place: Place[Held]) -> Place[Made] | None:
            made = make(place.get(), *shared)
            return None if made is None else place.keep(made)

        return LocalBlocks([kept for kept in self._each(keep) if kept is not None], self.threads)

    def results(self, function: Callable[..., Made], *shared: Any) -> Iterator[Made]:
        """Call a function on each block; yield what it returns, in the order of the blocks."""
        return self._each(lambda place: function(place.get(), *shared))

    def _each(self, work: Callable[[Place[Held]], Made]) -> Iterator[Made]:
        threads = min(self.threads or default_threads(), len(self._places))
        if threads <= 1:  # of one block, threads may work on several ranges of items
            yield from map(work, self._places)
            return
        with ThreadPoolExecutor(threads) as pool:
            under_way: deque[Future[Made]] = deque()
            for place in self._places:
                under_way.append(pool.submit(contextvars.copy_context().run, _alone, work, place))
                if len(under_way) > threads:  # no more results wait than blocks are worked on
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()


class OneBlock(LocalBlocks[Held]):
    """The only block, in memory."""

    def __init__(self, held: Held) -> None:
        super().__init__([InMemory(held)])
        self.only = held

    def prepare(self, make: Callable[..., Made | None], *shared: Any) -> OneBlock[Made]:
        """Make something of the block."""
        made = make(self.only, *shared)
        assert made is not None
        return OneBlock(made)


def _alone(work: Callable[[Place[Held]], Made], place: Place[Held]) -> Made:
    """Work on a block by one thread."""
    with use_threads(1):
        return work(place)


def in_one_block(claims: Claims, known: KnownTruth | None = None) -> ClaimsInBlocks:
    """Return claims in memory as one block, which shares what they hold."""
    matrix = claims.matrix
    block = ClaimBlock(claims, np.arange(matrix.n_sources), known=known)
    return ClaimsInBlocks(
        OneBlock(block),
        matrix.sources,
        claims.attributes,
        claims.settings,
        claims.columns,
        claims.feature_types,
        len(claims),
        len(matrix.entities),
        claims.notes,
    )
