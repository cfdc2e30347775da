"""Shards on executors: an RDD with one object in each partition.

Vectors of a search follow from each other, so that what Spark remembers of how to make one would
grow with every step. It is cut: Spark keeps each shard on two executors, in memory or on disk, and
forgets how it was made. If an executor is lost, the others have all shards, and Spark copies them
once more; if two are lost before it has, the fit fails.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from veracity.data.threads import use_threads
from veracity.engines.base import name_of
from veracity.engines.shards import Shards
from veracity.engines.spark.failures import clear_errors
from veracity.engines.spark.leftovers import note_unused, release_unused
from veracity.engines.spark.workers import spare_modules

if TYPE_CHECKING:
    from pyspark import RDD


class SparkShards(Shards[Any]):
    """One object for each shard, with what the driver is told of it."""

    def __init__(self, rdd: RDD[Any], made_of: Iterable[SparkShards] = ()) -> None:
        """Hold an RDD that has one pair in each partition.

        Parameters
        ----------
        rdd
            For each shard its object, and what the driver is told.
        made_of
            The shards that it needs until it has been worked out.
        """
        release_unused()
        self._rdd = _kept(rdd)
        self._made_of = tuple(made_of)
        weakref.finalize(self, note_unused, self._rdd)

    @property
    def rdd(self) -> RDD[Any]:
        """The pairs."""
        return self._rdd

    def made(self, function: Callable[..., Any], *others: Any, shared: Any) -> SparkShards:
        """Make something of each shard; it is worked out when it is needed."""
        rdd = _objects(self, *others).mapPartitions(_Making(function, shared))
        return SparkShards(rdd, (self, *others))

    def told(self, function: Callable[..., Any], *others: Any, shared: Any) -> list[Any]:
        """Return what a function tells of each shard, in order."""
        rdd = _objects(self, *others).mapPartitions(_Telling(function, shared))
        with clear_errors(), described(rdd.context, function):
            found = rdd.collect()
        for each in (self, *others):
            each.settle()
        return found

    def what_is_told(self) -> list[Any]:
        """Return what the driver is told of each shard."""
        found = self._rdd.map(_second).collect()
        self.settle()
        return found

    def settle(self) -> None:
        """Note that it has been worked out, and of what it was made is needed no more."""
        for each in self._made_of:
            each.settle()
        self._made_of = ()

    def __iter__(self) -> Iterator[Any]:
        if self._made_of:
            self.what_is_told()
        return (held for held, _ in self._rdd.toLocalIterator())


@contextmanager
def described(context: Any, function: Callable[..., Any]) -> Iterator[None]:
    """Name the jobs within, for those who look at the cluster."""
    context.setJobDescription(f"veracity: {name_of(function)}")
    try:
        yield
    finally:
        context.setJobDescription(None)


def _objects(*shards: SparkShards) -> RDD[list[Any]]:
    return side_by_side(*(each.rdd for each in shards))


def side_by_side(first: RDD[Any], *others: RDD[Any]) -> RDD[list[Any]]:
    """Return a list of the objects of each shard."""
    for other in others:
        first = first.zip(other)
    return first.map(_Listing(len(others)))


def one_by_one(rdd: RDD[Any]) -> RDD[Any]:
    """Let each object be handed over by itself, as those that are zipped have to be."""
    from pyspark.serializers import BatchedSerializer, CPickleSerializer

    single: Any = BatchedSerializer(CPickleSerializer(), 1)  # type: ignore[no-untyped-call]
    return rdd._reserialize(single)


def _kept(rdd: RDD[Any]) -> RDD[Any]:
    """Keep what an RDD has once it is worked out, and then forget how that was done."""
    from pyspark import RDD, StorageLevel

    rdd = one_by_one(rdd)
    context: Any = rdd.context
    n_executors = context._jsc.sc().getExecutorMemoryStatus().size() - 1  # the driver has one, too
    several = n_executors > 1
    rdd.persist(StorageLevel.MEMORY_AND_DISK_2 if several else StorageLevel.MEMORY_AND_DISK)
    rdd._jrdd.rdd().localCheckpoint()
    return RDD(rdd._jrdd, context, rdd._jrdd_deserializer)  # knows nothing of those before it


# What executors are told to do


class _Listing:
    """Put nested pairs of objects and what is told of them into a list of the objects."""

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def __call__(self, nested: Any) -> list[Any]:
        found = []
        for _ in range(self._depth):
            nested, (held, _) = nested
            found.append(held)
        return [nested[0], *reversed(found)]


class _Telling:
    """Call a function on the objects of a shard."""

    def __init__(self, function: Callable[..., Any], shared: Any) -> None:
        self._function, self._shared = function, tuple(shared)

    def __call__(self, shards: Iterable[list[Any]]) -> Iterator[Any]:
        spare_modules()
        for objects in shards:
            with use_threads(1):
                found = self._function(*objects, *self._shared)
            yield found


class _Making(_Telling):
    """As `_Telling`, but keep what it returns."""

    def __call__(self, shards: Iterable[list[Any]]) -> Iterator[Any]:
        return ((found, None) for found in super().__call__(shards))


def _second(pair: tuple[Any, Any]) -> Any:
    return pair[1]
