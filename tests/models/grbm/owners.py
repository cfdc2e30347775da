"""Owners of shards in this process, in place of a cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

from veracity.engines.base import Blocks
from veracity.engines.shards import Exchange, Shards
from veracity.engines.sums import Sums, add


class HereShards(Shards[Any]):
    """One object for each shard, in a list."""

    def __init__(self, held: Sequence[Any]) -> None:
        self._held = list(held)

    def made(self, function: Callable[..., Any], *others: Any, shared: Any) -> HereShards:
        """Make something of each shard."""
        return HereShards(self.told(function, *others, shared=shared))

    def told(self, function: Callable[..., Any], *others: Any, shared: Any) -> list[Any]:
        """Return what a function tells of each shard."""
        pickle.dumps((function, shared))  # it could be sent
        objects = zip(self._held, *(other._held for other in others), strict=True)
        return [function(*each, *shared) for each in objects]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held)


class HereExchange(Exchange):
    """Blocks of this process, and shards in a list."""

    def __init__(self, blocks: Blocks[Any], route: Callable[..., Any], n: int, *shared: Any):
        self._blocks, self._n = blocks, n
        self._routes = list(blocks.results(route, *shared))

    def shards(self, parts: Sequence[Any]) -> HereShards:
        """Hand out an object to each shard."""
        return HereShards(list(parts))

    def passed(
        self,
        numbers: Any,
        answer: Callable[..., Any],
        gather: Callable[..., Any],
        *others: Any,
        shared: Any,
    ) -> tuple[HereShards, list[Any], Sums]:
        """Pass over all blocks."""
        inbox: list[list[Any]] = [[] for _ in range(self._n)]
        found = []
        for block, route in zip(self._blocks.results(_itself), self._routes, strict=True):
            sent = [numbers._held[s][p] for s, p in zip(route.shards, route.places, strict=True)]
            sums, messages = answer(block, route, sent, *shared)
            found.append(sums)
            for shard, place, message in zip(route.shards, route.places, messages, strict=True):
                inbox[shard].append((place, message))
        objects = zip(inbox, numbers._held, *(other._held for other in others), strict=True)
        made = [gather(*each) for each in objects]
        return HereShards([one for one, _ in made]), [told for _, told in made], reduce(add, found)


def _itself(block: Any) -> Any:
    return block


def exchange_here(blocks: Any, route: Callable[..., Any], n: int, *shared: Any) -> HereExchange:
    """Stand in for the exchange of a cluster."""
    return HereExchange(blocks, route, n, *shared)
