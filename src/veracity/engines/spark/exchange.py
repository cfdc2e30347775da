"""The exchange of numbers between blocks and shards, both on executors.

In a pass, numbers are shuffled twice: from the shards to the partitions of the blocks, and from
these to the shards. A block and its numbers meet where the file of the block is. Nothing but
numbers is shuffled; both sides know in which order they come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from veracity.data.arrays import Floats
from veracity.data.threads import use_threads
from veracity.engines.shards import Exchange, Shards
from veracity.engines.spark.failures import clear_errors
from veracity.engines.spark.listed import Read
from veracity.engines.spark.shards import SparkShards, described, one_by_one, side_by_side
from veracity.engines.spark.workers import spare_modules
from veracity.engines.sums import Sums, add

if TYPE_CHECKING:
    from veracity.engines.spark.blocks import SparkBlocks

#: What shards are sent, in this order: that the file of a block is missing, the sums of a block
#: (only the first shard), and its message to the shard.
MISSING, SUMS, MESSAGE = range(3)


class SparkExchange(Exchange):
    """Blocks and shards of a cluster, and what each block needs of each shard."""

    def __init__(self, blocks: SparkBlocks[Any], routes: SparkBlocks[Any], n_shards: int) -> None:
        """Tell each shard what blocks need of it.

        Parameters
        ----------
        blocks, routes
            The blocks, and what each of them needs of whom.
        n_shards
            Number of shards.
        """
        self._blocks, self._routes, self._n_shards = blocks, routes, n_shards
        self._context = blocks.session.sparkContext
        listed = routes.listed(in_files=False)
        wanted = (
            listed.rdd.mapPartitionsWithIndex(_Wanting(listed.read))
            .partitionBy(n_shards, int)
            .mapPartitions(_in_order)
        )
        self._wanted = SparkShards(wanted)

    def shards(self, parts: Sequence[Any]) -> SparkShards:
        """Hand out an object to each shard."""
        found = SparkShards(self._context.parallelize(parts, len(parts)).map(_untold))
        found.what_is_told()  # so that the driver's JVM need not hold them any longer
        return found

    def passed(
        self,
        numbers: Shards[Floats],
        answer: Callable[..., Any],
        gather: Callable[..., Any],
        *others: Shards[Any],
        shared: Any,
    ) -> tuple[SparkShards, list[Any], Sums]:
        """Pass over all blocks, and make something of each shard of what blocks send it."""
        with clear_errors(), described(self._context, answer):
            for in_files in (True, False):
                found = self._pass(numbers, answer, gather, others, shared, in_files)
                told = found.what_is_told()
                if None not in told:
                    break
        return found, [of for of, _ in told], told[0][1]

    def _pass(
        self,
        numbers: Any,
        answer: Callable[..., Any],
        gather: Callable[..., Any],
        others: Any,
        shared: Any,
        in_files: bool,
    ) -> SparkShards:
        """Do what `passed` does, with blocks from files or from what Spark keeps of them."""
        blocks, routes = (each.listed(in_files=in_files) for each in (self._blocks, self._routes))
        n_blocks = blocks.rdd.getNumPartitions()
        asked = side_by_side(numbers.rdd, self._wanted.rdd).mapPartitionsWithIndex(_asked)
        sent = asked.partitionBy(n_blocks, int).mapPartitions(_together)
        here = one_by_one(blocks.rdd).zip(one_by_one(routes.rdd)).zip(one_by_one(sent))
        answering = _Answering(blocks.read, routes.read, answer, shared, self._n_shards)
        found = here.mapPartitions(answering).partitionBy(self._n_shards, int)
        inbox = one_by_one(found.mapPartitions(_in_order))
        needed = (self._wanted, numbers, *others)
        made = side_by_side(inbox, *(each.rdd for each in needed)).mapPartitions(_Gathering(gather))
        return SparkShards(made, needed)


# What executors are told to do


class _Wanting:
    """Tell each shard which of its numbers a block needs, and in which partition that is."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def __call__(self, partition: int, lists: Iterable[list[Any]]) -> Iterator[Any]:
        for rows in lists:
            for block, route in self._read(rows):
                for shard, places in zip(route.shards, route.places, strict=True):
                    yield int(shard), (block, partition, places)


def _asked(shard: int, sides: Iterable[list[Any]]) -> Iterator[Any]:
    """Send each block its numbers of a shard."""
    for numbers, wanted in sides:
        for block, partition, places in wanted:
            yield partition, (block, shard, numbers[places])


class _Answering:
    """Send each shard what the blocks of a partition have for it, and the first one their sums."""

    def __init__(
        self,
        read: Read,
        read_routes: Read,
        answer: Callable[..., Any],
        shared: Any,
        n_shards: int,
    ) -> None:
        self._read, self._read_routes, self._answer = read, read_routes, answer
        self._shared, self._n_shards = tuple(shared), n_shards

    def __call__(self, sides: Iterable[Any]) -> Iterator[Any]:
        spare_modules()
        for (rows, of_routes), came in sides:
            blocks = zip(self._read(rows), self._read_routes(of_routes), strict=True)
            for (block, held), (_, route) in blocks:
                if held is None or route is None:
                    yield from ((shard, (block, MISSING, None)) for shard in range(self._n_shards))
                    continue
                numbers = [message for number, _, message in came if number == block]
                with use_threads(1):
                    sums, messages = self._answer(held, route, numbers, *self._shared)
                yield 0, (block, SUMS, sums)
                for shard, message in zip(route.shards, messages, strict=True):
                    yield int(shard), (block, MESSAGE, message)


class _Gathering:
    """Make something of a shard and what it was sent."""

    def __init__(self, gather: Callable[..., Any]) -> None:
        self._gather = gather

    def __call__(self, sides: Iterable[Any]) -> Iterator[Any]:
        spare_modules()
        for inbox, wanted, *objects in sides:
            if any(kind == MISSING for _, kind, _ in inbox):
                yield None, None
                continue
            sums = [message for _, kind, message in inbox if kind == SUMS]
            messages = [message for _, kind, message in inbox if kind == MESSAGE]
            received = [
                (places, message) for (*_, places), message in zip(wanted, messages, strict=True)
            ]
            made, told = self._gather(received, *objects)
            yield made, (told, reduce(add, sums) if sums else None)


def _together(pairs: Iterable[tuple[int, Any]]) -> Iterator[list[Any]]:
    """Put all that a partition was sent into one list, in the order of blocks and shards."""
    yield sorted((came for _, came in pairs), key=itemgetter(0, 1))


def _in_order(pairs: Iterable[tuple[int, Any]]) -> Iterator[tuple[list[Any], None]]:
    """Put all that a shard was sent into one list, in the order of blocks."""
    for came in _together(pairs):
        yield came, None


def _untold(held: Any) -> tuple[Any, None]:
    return held, None
